// SPDX-License-Identifier: Apache-2.0
#include "datasets/load_graph.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

constexpr const char* kBuild = "symmetrize=true,self_loops=drop,duplicates=drop,relabel=none";

std::string canonical(const std::string& text) { return GraphName::parse(text).canonical; }

TEST(GraphName, FillsInDefaultsAndNormalises) {
  EXPECT_EQ(canonical("kronecker:scale=20"),
            std::string("kronecker:scale=20,edge_factor=16,a=0.57,b=0.19,c=0.19,seed=1,") + kBuild);
  EXPECT_EQ(canonical("kronecker:seed=01,a=5.7e-1,scale=020"), canonical("kronecker:scale=20"));
  EXPECT_EQ(canonical("snap:wiki-Vote"), std::string("snap:wiki-Vote,") + kBuild);
  EXPECT_EQ(canonical("snap:wiki-Vote,symmetrize=false"),
            "snap:wiki-Vote,symmetrize=false,self_loops=drop,duplicates=drop,relabel=none");
  const GraphName name = GraphName::parse("kronecker:scale=7,relabel=degree,duplicates=keep");
  EXPECT_EQ(name.value("scale"), "7");
  EXPECT_EQ(name.value("edge_factor"), "16");
  EXPECT_EQ(name.build.relabel, Relabel::degree);
  EXPECT_FALSE(name.build.deduplicate);
  EXPECT_THROW(static_cast<void>(name.value("nothing")), std::out_of_range);
}

TEST(GraphName, BareNamesMeanTheirEntries) {
  EXPECT_EQ(canonical("soc-Epinions1"), canonical("snap:soc-Epinions1"));
  EXPECT_EQ(canonical("soc-Epinions1,symmetrize=false"),
            canonical("snap:soc-Epinions1,symmetrize=false"));
  EXPECT_EQ(canonical("opsahl-powergrid"), canonical("konect:opsahl-powergrid"));
  EXPECT_EQ(canonical("delaunay_n13"), canonical("suitesparse:DIMACS10/delaunay_n13"));
  EXPECT_EQ(canonical("uk-2007-05@100000"), canonical("law:uk-2007-05@100000"));
  EXPECT_EQ(canonical("rmat-er,symmetrize=false"),
            canonical("kronecker:scale=24,a=0.25,b=0.25,c=0.25,symmetrize=false"));
  EXPECT_EQ(GraphName::parse("soc-Epinions1").stand_in_for, "");
}

TEST(GraphName, StandInsAreTheirGenerators) {
  const GraphName name = GraphName::parse("amazon0302-standin,relabel=shuffle");
  EXPECT_EQ(name.stand_in_for, "amazon0302");
  EXPECT_EQ(name.build.relabel, Relabel::shuffle);
  EXPECT_EQ(name.path, "");
  EXPECT_EQ(canonical(name.canonical), name.canonical);
  EXPECT_EQ(GraphName::parse(name.canonical).stand_in_for, "") << "a generated graph like others";
  const GraphName third = GraphName::parse("amazon0302-standin,seed=3,relabel=shuffle");
  EXPECT_EQ(third.stand_in_for, "amazon0302");
  EXPECT_EQ(third.integer("seed"), 3U);
  EXPECT_EQ(canonical("amazon0302-standin,seed=1"), canonical("amazon0302-standin"));
}

TEST(GraphName, ShuffleSeedCountsOnlyWhereThereIsAShuffle) {
  EXPECT_EQ(canonical("path:vertices=3,relabel_seed=9"), canonical("path:vertices=3"));
  EXPECT_NE(canonical("path:vertices=3,relabel=shuffle,relabel_seed=9"),
            canonical("path:vertices=3,relabel=shuffle"));
  const std::string largest = "path:vertices=3,relabel=shuffle,relabel_seed=18446744073709551615";
  EXPECT_EQ(GraphName::parse(largest).build.relabel_seed, 18446744073709551615U);
}

TEST(GraphName, PathsMayStartAtAFolder) {
  EXPECT_EQ(GraphName::parse("file:a/../g.txt", "/some/where").path, "/some/where/g.txt");
  EXPECT_EQ(GraphName::parse("file:/g.txt", "/some/where").path, "/g.txt");
  EXPECT_EQ(GraphName::parse("path:vertices=3", "/some/where").canonical,
            GraphName::parse("path:vertices=3").canonical);
}

TEST(GraphName, PathsOfOneFileAreOneName) {
  EXPECT_EQ(canonical("file:some/../graph.txt"), canonical("file:graph.txt"));
  EXPECT_EQ(canonical("file:" + std::filesystem::current_path().string() + "/graph.txt"),
            canonical("file:graph.txt"));
}

TEST(GraphName, IsParsedAgainFromItsCanonicalForm) {
  for (const std::string text :
       {"kronecker:scale=4", "grid:width=3,height=4,removed=0.1", "snap:ca-GrQc,relabel=shuffle",
        "file:x.txt.gz,symmetrize=false"}) {
    EXPECT_EQ(canonical(canonical(text)), canonical(text));
  }
}

TEST(GraphName, IsTheIdentityOfTheGraph) {
  for (const std::string text : {"path:vertices=3", "kronecker:scale=4,relabel=shuffle",
                                 "grid:width=3,height=4,symmetrize=false"}) {
    EXPECT_EQ(load(text).identity().name, canonical(text));
  }
}

TEST(GraphName, RefusesWithReasonAndNearestSpelling) {
  const std::vector<std::pair<std::string, std::string>> corpus = {
      {"kroneker:scale=4", "did you mean \"kronecker\"?"},
      {"", "unknown kind of graph"},
      {"kronecker", "scale is missing"},
      {"kronecker:", "scale is missing"},
      {"kronecker:scal=4", "unknown parameter \"scal\""},
      {"kronecker:scal=4", "did you mean \"scale\"?"},
      {"kronecker:scale", "expected NAME=VALUE"},
      {"kronecker:scale=", "expected a whole number from 1 to 36"},
      {"kronecker:scale=0", "from 1 to 36"},
      {"kronecker:scale=37", "from 1 to 36"},
      {"kronecker:scale=33,a=0.9", "must not exceed 1"},
      {"union:(kronecker:scale=32)+(path:vertices=9)", "a graph of 2^32 vertices cannot be made"},
      {"kronecker:scale=-3", "scale is \"-3\""},
      {"kronecker:scale=4x", "scale is \"4x\""},
      {"kronecker:scale=4.0", "scale is \"4.0\""},
      {"kronecker:scale=4,scale=5", "scale is given twice"},
      {"kronecker:scale=4,a=nan", "a is \"nan\""},
      {"kronecker:scale=4,a=1.5", "a is \"1.5\", expected a number from 0 to 1"},
      {"kronecker:scale=4,a=0.9", "must not exceed 1"},
      {"kronecker:scale=4,seed=18446744073709551616", "seed is"},
      {"kronecker:scale=4,", "expected NAME=VALUE"},
      {"kronecker:scale=4,symmetrize=yes", "expected one of true, false"},
      {"kronecker:scale=4,relabel=degre", "did you mean \"degree\"?"},
      {"uniform:vertices=4294967295", "vertices is"},
      {"grid:width=100000,height=100000", "exceed 2^31"},
      {"snap:", "expected snap:NAME"},
      {"snap", "expected snap:NAME"},
      {"snap:../x", "found \"../x\", expected snap:NAME of letters"},
      {"snap:a/b", "expected snap:NAME of letters"},
      {"snap:.x", "expected snap:NAME of letters"},
      {"konect:", "expected konect:NAME"},
      {"suitesparse:wave", "expected suitesparse:GROUP/NAME"},
      {"suitesparse:a/b/c", "expected suitesparse:GROUP/NAME"},
      {"suitesparse:../c", "expected suitesparse:GROUP/NAME"},
      {"soc-Epinions2", "did you mean \"soc-Epinions1\"?"},
      {"soc-Epinons1,relabel=degree", "did you mean \"soc-Epinions1\"?"},
      {"quite-unknown", "a SNAP file is named \"snap:quite-unknown\""},
      {"kronecker,scale=4", "did you mean \"kronecker:scale=4\"?"},
      {"wiki-Vote,symetrize=true", "did you mean \"symmetrize\"?"},
      {"wiki-Vote,relabel=degre", "graph \"wiki-Vote,relabel=degre\": relabel is \"degre\""},
      {"wiki-Vote,", "found \"\", expected NAME=VALUE"},
      {"wiki-Vote,relabel=none,relabel=none", "relabel is given twice"},
      {"rmat-er,scale=4", "found \"scale=4\", expected NAME=VALUE with one of symmetrize"},
      {"wiki-Vote-standin", "the catalogue has no stand-in for wiki-Vote"},
      {"amazon0302,seed=2", "found \"seed=2\", expected NAME=VALUE"},
      {"xbfs-table1", "xbfs-table1 is a group"},
      {"local:", "expected local:NAME"},
      {"snap:x,format=snap", "unknown parameter \"format\""},
      {"file:", "expected file:PATH"},
      {"file:graph.txt,format=metsi", "format is \"metsi\""},
  };
  for (const auto& [text, message] : corpus) {
    const std::string error = input_error([&, t = text] { GraphName::parse(t); });
    EXPECT_TRUE(contains(error, message)) << text << " -> " << error;
  }
  EXPECT_EQ(GraphName::parse("file:graph.xyz,format=snap").value("format"), "snap");
}

constexpr const char* kPart = "(path:vertices=3)";

TEST(GraphKinds, DefaultsAreLegalAndEverythingIsDocumented) {
  for (const GraphKind& kind : graph_kinds()) {
    EXPECT_FALSE(kind.doc.empty());
    EXPECT_FALSE(kind.form.empty());
    std::string text = kind.name + ":";
    if (kind.takes_path) {
      text += kind.form == "GROUP/NAME" ? "x/x" : kind.form == "(GRAPH)+(GRAPH)" ? kPart : "x.txt";
    }
    for (const GraphParameter& parameter : kind.parameters) {
      EXPECT_FALSE(parameter.doc.empty()) << kind.name << " " << parameter.name;
      if (!parameter.default_value.empty()) continue;
      if (text.back() != ':') text += ',';
      // Few enough of the one for the other where a generator has several.
      const bool part = parameter.name != "vertices" && parameter.name != "edges";
      text += parameter.name + (part ? "=2" : "=5");
    }
    EXPECT_EQ(input_error([&] { GraphName::parse(text); }), "no error") << text;
  }
}

TEST(PredictSize, BoundsTheGraph) {
  for (const std::string text : {"kronecker:scale=9", "uniform:vertices=100,symmetrize=false",
                                 "grid:width=9,height=8", "complete:vertices=9"}) {
    const GraphSize size = predict_size(GraphName::parse(text));
    const CsrGraph graph = load(text);
    EXPECT_EQ(size.vertices, graph.vertex_count());
    EXPECT_GE(size.edges, graph.edge_count());
  }
  EXPECT_EQ(predict_size(GraphName::parse("kronecker:scale=20")).edges, 33554432U);
  EXPECT_EQ(predict_size(GraphName::parse("snap:wiki-Vote")).vertices, 0U);
}

TEST(PredictSize, KnowsGraphsThatAreTooLargeToMake) {
  const GraphName largest = GraphName::parse("kronecker:scale=36,edge_factor=1024");
  EXPECT_EQ(predict_size(largest).vertices, std::uint64_t{1} << 36);
  EXPECT_EQ(predict_size(largest).edges, std::uint64_t{1} << 47);
  EXPECT_EQ(cannot_be_made(GraphName::parse("kronecker:scale=31")), "");
  EXPECT_EQ(cannot_be_made(GraphName::parse("snap:wiki-Vote")), "");
  const GraphName larger = GraphName::parse("kronecker:scale=32");
  const std::string why =
      "a graph of 2^32 vertices cannot be made, since ids of 32 bits suffice up to scale 31";
  EXPECT_NE(cannot_be_made(larger).find(why), std::string::npos) << cannot_be_made(larger);
  EXPECT_NE(input_error([&] { load("kronecker:scale=32"); }).find(why), std::string::npos);
}

TEST(LoadGraph, FindsNamedFilesInTheFoldersInOrder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("b/snap.stanford.edu/data"));
  std::filesystem::create_directories(folder.file("a"));
  write_bytes(folder.file("b/snap.stanford.edu/data/tiny.txt"), "0 1\n1 2\n");
  LoadOptions options;
  options.data_folders = {folder.file("a"), folder.file("b")};
  const GraphName name = GraphName::parse("snap:tiny");
  EXPECT_EQ(load_graph(name, options).vertex_count(), 3U);
  write_bytes(folder.file("a/tiny.txt"), "0 1\n");
  EXPECT_EQ(load_graph(name, options).vertex_count(), 2U);
  const std::string error =
      input_error([&] { load_graph(GraphName::parse("snap:none"), options); });
  EXPECT_TRUE(contains(error, "no file of it in " + folder.file("a"))) << error;
  EXPECT_TRUE(contains(error, "graph fetch")) << error;
}

}  // namespace
}  // namespace bfslab::tests
