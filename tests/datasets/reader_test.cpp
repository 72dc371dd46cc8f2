// SPDX-License-Identifier: Apache-2.0
// The table of formats: which one a path means, and every format in every packing.
#include "datasets/read/reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

std::string format_of(const std::string& path) {
  const GraphFormat* format = format_by_name(path);
  return format == nullptr ? "" : format->name;
}

TEST(Formats, TheEndingTells) {
  for (const char* ending : {"txt", "el", "wel", "edges", "edgelist", "csv", "tsv", "out"}) {
    EXPECT_EQ(format_of(std::string("a/b.") + ending), "edges");
  }
  EXPECT_EQ(format_of("a/b.txt.gz"), "edges");
  EXPECT_EQ(format_of("b.mtx.tar.bz2"), "matrix-market");
  EXPECT_EQ(format_of("b.graph.zst"), "metis");
  EXPECT_EQ(format_of("USA-road-d.NY.gr.gz"), "dimacs9");
  EXPECT_EQ(format_of("kron.sg"), "gapbs");
  EXPECT_EQ(format_of("uk.arcs.tsv.zst"), "arcs");  // not the edge list of a .tsv
  EXPECT_EQ(format_of("rMat.adj"), "adjacency");
  EXPECT_EQ(format_of("datagen.e.zst"), "graphalytics");
  EXPECT_EQ(format_of("g.csr"), "csr");
}

TEST(Formats, OrTheBeginningOfTheFilesName) {
  EXPECT_EQ(format_of("a/out.opsahl-powergrid"), "konect");
  EXPECT_EQ(format_of("a/out.x.bz2"), "konect");
  EXPECT_EQ(format_of("download.tsv.opsahl-powergrid.tar.bz2"), "konect");
  EXPECT_EQ(format_of("a.tar.gz"), "");
  EXPECT_EQ(format_of("a/out.csr"), "csr");  // an ending decides more
  EXPECT_EQ(format_of("out.txt"), "edges");
}

TEST(Formats, NamesAndEndingsAreUnique) {
  std::set<std::string> seen;
  for (const GraphFormat& format : graph_formats()) {
    EXPECT_TRUE(seen.insert(format.name).second) << format.name;
    EXPECT_FALSE(format.doc.empty());
    EXPECT_NE(format.parse == nullptr, format.from_path == nullptr);
    for (const std::string& ending : format.endings) {
      const bool theirs = format.name == "snap";  // endings of edge lists may be shared
      EXPECT_TRUE(seen.insert(ending).second || theirs) << ending;
    }
    for (const std::string& opening : format.openings) {
      EXPECT_TRUE(seen.insert(opening).second) << opening;
    }
  }
}

TEST(Formats, EveryOneIsReadInEveryPacking) {
  // The path 0 - 1 - 2, in each.
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"edges", "from,to\n0,1\n1,2\n"},
      {"snap", "0 1\n1 2\n"},
      {"konect", "% sym unweighted\n1 2\n2 3\n"},
      {"matrix-market", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n"},
      {"metis", "3 2\n2\n1 3\n2\n"},
      {"dimacs9", "p sp 3 2\na 1 2 1\na 2 3 1\n"},
      {"adjacency", "AdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n"},
      {"arcs", "0\t1\n1\t2\n"},
  };
  const TemporaryFolder folder;
  for (const auto& [name, text] : texts) {
    const GraphFormat& format = format_called(name);
    std::vector<std::pair<std::string, std::string>> files = {{"", text}, {"gzip", gzip_of(text)}};
    if (has_zstd()) files.emplace_back("zstd", zstd_of(text));
    if (has_archives()) {
      std::string member = format.members.front();
      member.replace(member.find('*'), 1, "x");
      const std::string tar = tar_of({{"x/README", "read me", {}}, {"x/" + member, text, {}}});
      files.emplace_back("bzip2", bzip2_of(text));
      files.emplace_back("tar member x/" + member, tar);
      files.emplace_back("gzip, tar member x/" + member, gzip_of(tar));
      files.emplace_back("bzip2, tar member x/" + member, bzip2_of(tar));
      if (has_zstd()) files.emplace_back("zstd, tar member x/" + member, zstd_of(tar));
    }
    for (const auto& [packing, bytes] : files) {
      write_bytes(folder.file("file"), bytes);
      const EdgeList list = format.read(folder.file("file"), 2);
      EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {1, 2}})) << name << " " << packing;
      EXPECT_EQ(fact(list.provenance, "packing"), packing) << name;
    }
  }
}

TEST(Formats, AMemberCanBeNamed) {
  if (!has_archives()) GTEST_SKIP() << "this build does not read tar";
  const TemporaryFolder folder;
  write_bytes(folder.file("g.tar"), tar_of({{"a.txt", "0 1\n", {}}, {"b.txt", "0 1\n1 2\n", {}}}));
  EXPECT_EQ(format_called("snap").read(folder.file("g.tar"), 1, "b.txt").edges.size(), 2U);
  EXPECT_THROW(static_cast<void>(format_called("snap").read(folder.file("g.tar"), 1)), InputError);
}

}  // namespace
}  // namespace bfslab::tests
