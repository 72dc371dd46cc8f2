// SPDX-License-Identifier: Apache-2.0
// Graphs written to files and read back, and the real files that bfslab is used on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "datasets/load_graph.hpp"
#include "datasets/summary/summary.hpp"
#include "datasets/write/program_files.hpp"
#include "datasets/write/write.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/real_data.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

TEST(Write, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  for (const std::string text : {"complete:vertices=9", "path:vertices=30,symmetrize=false",
                                 "grid:width=9,height=9", "path:vertices=30,relabel=shuffle"}) {
    const CsrGraph graph = load(text);
    // Text names the ids that the graph had before it was relabelled.
    const CsrGraph plain = load(text.substr(0, text.find(",relabel")));
    for (const std::string ending : {".txt", ".txt.gz", ".csr", ".sg"}) {
      const std::string file = folder.file("g" + ending);
      write_graph(graph, file, 2);
      const CsrGraph back = load("file:" + file + (graph.symmetric() ? "" : ",symmetrize=false"));
      const CsrGraph& expected = ending == ".csr" || ending == ".sg" ? graph : plain;
      EXPECT_EQ(back.identity().content_hash, expected.identity().content_hash) << text << ending;
      EXPECT_EQ(back.symmetric(), graph.symmetric());
    }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 4);
}

TEST(Write, BinaryKeepsIsolatedVerticesAndLabels) {
  const TemporaryFolder folder;
  const CsrGraph graph = load("kronecker:scale=9,relabel=degree");
  write_graph(graph, folder.file("g.csr"), 1);
  const CsrGraph back = load("file:" + folder.file("g.csr"));
  EXPECT_EQ(back.vertex_count(), 512U);
  EXPECT_EQ(back.identity().content_hash, graph.identity().content_hash);
  EXPECT_TRUE(std::ranges::equal(back.labels(), graph.labels()));
}

TEST(Write, IdsFromOneAreWrittenFromOne) {
  const TemporaryFolder folder;
  write_bytes(folder.file("a.gr"), "p sp 3 2\na 1 2 5\na 2 3 5\n");
  const CsrGraph graph = load("file:" + folder.file("a.gr"));
  write_graph(graph, folder.file("a.txt"), 1);
  EXPECT_TRUE(contains(read_bytes(folder.file("a.txt")), "\n1\t2\n2\t3\n"));
  write_graph(graph, folder.file("a.csr"), 1);
  EXPECT_EQ(load("file:" + folder.file("a.csr")).label(2), 3U);
  EXPECT_EQ(load("file:" + folder.file("a.csr") + ",relabel=degree").label(0), 2U);
}

// Returns the integers as the bytes of a file.
template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(Write, ProgramsOfOthersGetRowsAndEntries) {
  const TemporaryFolder folder;
  write_bytes(folder.file("a.gr"), "p sp 4 3\na 1 2 5\na 1 3 5\na 3 1 5\n");  // 4 has no edge
  const CsrGraph graph = load("file:" + folder.file("a.gr") + ",symmetrize=false");
  for (const char* ending : {".dfq", ".arrays32", ".arrays64"}) {
    ASSERT_TRUE(is_program_form(ending));
    write_program_files(graph, folder.file(std::string("g") + ending));
  }
  EXPECT_FALSE(is_program_form(".csr"));
  EXPECT_EQ(read_bytes(folder.file("g.dfq")), "4 3 0\n0 2\n2 0\n2 1\n3 0\n1 1\n2 1\n0 1\n");
  for (const char* form : {"g.arrays32", "g.arrays64"}) {
    EXPECT_EQ(read_bytes(folder.file(form) + ".offsets"), bytes_of<std::int64_t>({0, 2, 2, 3, 3}));
  }
  EXPECT_EQ(read_bytes(folder.file("g.arrays32.columns")), bytes_of<std::int32_t>({1, 2, 0}));
  EXPECT_EQ(read_bytes(folder.file("g.arrays64.columns")), bytes_of<std::int64_t>({1, 2, 0}));
  EXPECT_EQ(program_files("g.dfq"), std::vector<std::string>{"g.dfq"});
  const std::string nowhere = folder.file("none") + "/g.arrays32";
  EXPECT_TRUE(contains(input_error([&] { write_program_files(graph, nowhere); }), nowhere));
}

TEST(Write, TextsOfAllVerticesAreReadBack) {
  const TemporaryFolder folder;
  const auto reads_back = [&](const std::string& name, const char* file) {
    const CsrGraph graph = load(name);
    write_graph(graph, folder.file(file), 1);
    const CsrGraph back = load("file:" + folder.file(file) + ",symmetrize=false");
    EXPECT_EQ(back.symmetric(), graph.symmetric() && !std::string(file).ends_with(".gr")) << file;
    return std::ranges::equal(back.columns(), graph.columns()) &&
           std::ranges::equal(back.row_offsets(), graph.row_offsets());
  };
  for (const char* file : {"g.adj", "g.graph", "g.gr"}) {
    EXPECT_TRUE(reads_back("kronecker:scale=8,relabel=shuffle", file))
        << file;  // with isolated ones
    EXPECT_TRUE(reads_back("path:vertices=2", file)) << file;
  }
  write_bytes(folder.file("d.gr"), "p sp 4 3\na 1 2 5\na 1 3 5\na 3 1 5\n");
  const std::string directed = "file:" + folder.file("d.gr") + ",symmetrize=false";
  for (const char* file : {"back.adj", "back.gr"}) EXPECT_TRUE(reads_back(directed, file)) << file;
  write_graph(load("path:vertices=3"), folder.file("p.graph"), 1);
  EXPECT_EQ(read_bytes(folder.file("p.graph")), "3 2\n2\n1 3\n2\n");
}

TEST(Write, MetisRefusesWhatItHasNoFormFor) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name) {
    const CsrGraph graph = load(name);
    return input_error([&] { write_graph(graph, folder.file("g.graph"), 1); });
  };
  write_bytes(folder.file("a.gr"), "p sp 3 4\na 1 2 5\na 1 2 5\na 2 1 5\na 3 3 5\n");
  const std::string file = "file:" + folder.file("a.gr");
  EXPECT_TRUE(contains(refusal(file + ",symmetrize=false"), "METIS has no directed graphs"));
  EXPECT_TRUE(contains(refusal(file + ",self_loops=keep"), "vertex 2 has one"));
  EXPECT_TRUE(contains(refusal(file + ",duplicates=keep"), "0 to 1 is one"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("g.graph")));
}

TEST(Write, ListsOfEdgesHaveBothDirectionsByTheIdsOfTheLoadedGraph) {
  const TemporaryFolder folder;
  const CsrGraph graph = load("path:vertices=30,relabel=shuffle");
  write_graph(graph, folder.file("g.mtx"), 1);
  write_graph(graph, folder.file("g.el"), 1);
  const CsrGraph back = load("file:" + folder.file("g.mtx") + ",symmetrize=false");
  EXPECT_TRUE(std::ranges::equal(back.columns(), graph.columns()));
  EXPECT_TRUE(std::ranges::equal(back.row_offsets(), graph.row_offsets()));
  const std::string text = read_bytes(folder.file("g.el"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 58);
  EXPECT_TRUE(text.starts_with(fmt::format("0 {}\n", graph.neighbors(0)[0])));
}

TEST(Write, RefusesUnknownEndingsAndUnwritablePaths) {
  const CsrGraph graph = load("path:vertices=3");
  EXPECT_TRUE(contains(input_error([&] { write_graph(graph, "g.metis", 1); }), "expected .txt"));
  for (const char* path : {"/nowhere/g.txt", "/nowhere/g.csr", "/nowhere/g.sg"}) {
    EXPECT_TRUE(contains(input_error([&] { write_graph(graph, path, 1); }), "cannot be written"));
  }
  const TemporaryFolder folder;
  const CsrGraph empty = load("path:vertices=0");
  EXPECT_TRUE(contains(input_error([&] { write_graph(empty, folder.file("g.sg"), 1); }),
                       "a graph of 0 vertices"));
}

// Two sets of vertices with the ids 1, 2, 3 and 1, 2.
TEST(Write, TwoSetsAreKeptOrRefused) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> sources = {
      {"a.edges", "% bip unweighted\n1 1\n1 2\n2 2\n3 1\n"},
      {"b.edges", "% bip unweighted\n% 4 3 2\n1 1\n1 2\n2 2\n3 1\n"},
      {"c.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 2 4\n1 1\n1 2\n2 2\n3 1\n"},
  };
  for (const auto& [name, text] : sources) {
    write_bytes(folder.file(name), text);
    for (const char* options : {"", ",symmetrize=false", ",relabel=degree", ",relabel=shuffle"}) {
      const CsrGraph graph = load("file:" + folder.file(name) + options);
      ASSERT_EQ(graph.vertex_count(), 5U);
      for (const std::string ending : {".mtx", ".el", ".sg", ".csr"}) {
        const std::string file = folder.file("out" + ending);
        write_graph(graph, file, 1);
        const CsrGraph back = load("file:" + file);
        EXPECT_EQ(back.vertex_count(), 5U) << name << options << ending;
        EXPECT_EQ(back.edge_count(), graph.edge_count()) << name << options << ending;
      }
      for (const std::string ending : {".txt", ".txt.gz"}) {
        const std::string file = folder.file("out" + ending);
        const std::string message = input_error([&] { write_graph(graph, file, 1); });
        EXPECT_TRUE(contains(message, "have the id 1; choose .mtx, .el, .sg or .csr")) << message;
        EXPECT_FALSE(std::filesystem::exists(file));
      }
    }
  }
  // Sets that share no id are distinguished by their labels.
  write_bytes(folder.file("d.edges"), "% bip unweighted\n1 3\n2 4\n");
  write_graph(load("file:" + folder.file("d.edges")), folder.file("d.txt"), 1);
  EXPECT_EQ(load("file:" + folder.file("d.txt")).vertex_count(), 4U);
}

TEST(Write, IsolatedVerticesAreKeptOrCounted) {
  const TemporaryFolder folder;
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  struct Case {
    std::string text;
    vertex_t isolated;
  };
  for (const Case& each : {Case{"5 5 0\n", 5}, Case{"5 5 1\n1 2\n", 3}, Case{"5 5 1\n5 5\n", 5},
                           Case{"4 4 2\n1 2\n3 4\n", 0}, Case{"3 4 1\n2 3\n", 5}}) {
    write_bytes(folder.file("a.mtx"), head + each.text);
    for (const char* options : {"", ",symmetrize=false"}) {
      const CsrGraph graph = load("file:" + folder.file("a.mtx") + options);
      for (const std::string ending : {".mtx", ".sg", ".csr", ".txt", ".txt.gz", ".el"}) {
        const std::string file = folder.file("out" + ending);
        const bool keeps = ending == ".mtx" || ending == ".sg" || ending == ".csr";
        const vertex_t lost = keeps ? 0 : each.isolated;
        EXPECT_EQ(vertices_lost(graph, file), lost) << each.text << ending;
        const std::string refused = input_error([&] { check_readable(graph, file); });
        if (!keeps && graph.edge_count() == 0) {
          EXPECT_TRUE(contains(refused, "a graph without edges")) << refused;
          continue;
        }
        EXPECT_EQ(refused, "no error");
        if (!keeps && graph.vertex_count() == 7) continue;  // two sets
        write_graph(graph, file, 1);
        EXPECT_EQ(load("file:" + file).vertex_count(), graph.vertex_count() - lost) << ending;
      }
    }
  }
  const CsrGraph empty = load("path:vertices=0");
  for (const char* file : {"g.txt", "g.txt.gz", "g.el", "g.mtx", "g.sg"}) {
    EXPECT_TRUE(contains(input_error([&] { check_readable(empty, file); }), "of 0 vertices"));
  }
  EXPECT_EQ(input_error([&] { check_readable(empty, "g.csr"); }), "no error");
}

TEST(Read, RefusesADamagedBinaryFile) {
  const TemporaryFolder folder;
  write_bytes(folder.file("g.csr"), std::string(9000, 'x'));
  EXPECT_TRUE(contains(input_error([&] { load("file:" + folder.file("g.csr")); }),
                       "not a bfslab CSR file"));
}

TEST(Summary, OfGraphsThatAreKnown) {
  const GraphSummary path = summarize(load("path:vertices=100"), 2);
  EXPECT_EQ(path.components, 1U);
  EXPECT_EQ(path.diameter_at_least, 99U);
  EXPECT_EQ(path.maximum_degree, 2U);
  EXPECT_EQ(path.minimum_degree, 1U);
  const GraphSummary star = summarize(load("star:vertices=1000"), 2);
  EXPECT_EQ(star.maximum_degree, 999U);
  EXPECT_EQ(star.maximum_degree_vertex, 0U);
  EXPECT_EQ(star.percentile_99_degree, 1U);
  EXPECT_EQ(star.diameter_at_least, 2U);
  const GraphSummary empty = summarize(load("path:vertices=0"), 2);
  EXPECT_EQ(empty.components, 0U);
  // Three components, one of them isolated; weak where directed.
  BuildOptions directed;
  directed.symmetrize = false;
  const CsrGraph graph = build_csr(edge_list(6, {{1, 0}, {1, 2}, {4, 3}}), directed, "test:");
  const GraphSummary parts = summarize(graph, 2);
  EXPECT_EQ(parts.components, 3U);
  EXPECT_EQ(parts.isolated_vertices, 1U);
  EXPECT_EQ(parts.largest_component_vertices, 3U);
}

TEST(Summary, ComponentsDoNotDependOnTheThreads) {
  const CsrGraph graph = load("grid:width=200,height=200,removed=0.55");
  const GraphSummary one = summarize(graph, 1);
  const GraphSummary many = summarize(graph, 8);
  EXPECT_GT(one.components, 1000U);
  EXPECT_EQ(one.components, many.components);
  EXPECT_EQ(one.largest_component_vertices, many.largest_component_vertices);
}

struct RealGraph {
  const char* name;
  vertex_t vertices;
  edge_t edges;  // lines of the file
};

class RealFiles : public ::testing::TestWithParam<RealGraph> {};

TEST_P(RealFiles, HaveThePublishedCounts) {
  BFSLAB_REAL_DATA(mirror, "mirror");
  const RealGraph& expected = GetParam();
  LoadOptions options;
  options.data_folders = {mirror};
  const CsrGraph directed =
      load_graph(GraphName::parse(std::string("snap:") + expected.name +
                                  ",symmetrize=false,self_loops=keep,duplicates=keep"),
                 options);
  EXPECT_EQ(directed.vertex_count(), expected.vertices);
  EXPECT_EQ(directed.edge_count(), expected.edges);
  EXPECT_EQ(directed.input_edge_count(), expected.edges);
  EXPECT_EQ(fact(directed.provenance(), "warning"), "");

  const CsrGraph graph =
      load_graph(GraphName::parse(std::string("snap:") + expected.name), options);
  std::vector<Edge> edges;
  for (vertex_t u = 0; u < directed.vertex_count(); ++u) {
    for (const vertex_t v : directed.neighbors(u)) edges.push_back({u, v});
  }
  const NaiveCsr naive = naive_csr(expected.vertices, edges, true);
  EXPECT_TRUE(as_naive(graph).rows == naive.rows);
  EXPECT_TRUE(as_naive(graph).input_edges == naive.input_edges);
}

INSTANTIATE_TEST_SUITE_P(Snap, RealFiles,
                         ::testing::Values(RealGraph{"wiki-Vote", 7115, 103689},
                                           RealGraph{"p2p-Gnutella24", 26518, 65369},
                                           RealGraph{"p2p-Gnutella08", 6301, 20777},
                                           RealGraph{"facebook_combined", 4039, 88234},
                                           RealGraph{"email-Enron", 36692, 367662},
                                           RealGraph{"soc-Epinions1", 75879, 508837},
                                           RealGraph{"ca-GrQc", 5242, 28980},
                                           RealGraph{"ca-HepPh", 12008, 237010}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace bfslab::tests
