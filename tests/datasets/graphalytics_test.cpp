// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/graphalytics.hpp"

#include <gtest/gtest.h>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

using Labels = std::vector<std::uint64_t>;

class Graphalytics : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) const {
    write_bytes(folder.file(name), bytes);
  }
  [[nodiscard]] EdgeList read(const std::string& name) const {
    return read_graphalytics(folder.file(name), 2);
  }
  std::string refusal(const std::string& name) const {
    return input_error([&] { static_cast<void>(read(name)); });
  }
  void put_all(const std::string& directed) const {
    put("g.e", "4 2 0.5\n2 9 0.25\n");
    put("g.v", "2\n4\n7\n9\n");
    put("g.properties",
        "# Properties of g\ngraph.g.vertex-file = g.v\ngraph.g.directed = " + directed + "\n");
  }

  TemporaryFolder folder;
};

TEST_F(Graphalytics, VerticesWithoutAnEdgeCount) {
  put_all("false");
  for (const char* name : {"g.e", "g.v"}) {
    const EdgeList list = read(name);
    EXPECT_EQ(list.vertex_count, 4U);
    EXPECT_TRUE(list.undirected);
    EXPECT_EQ(edges_in(list), (std::vector<Edge>{{1, 0}, {0, 3}}));
    EXPECT_EQ(list.labels, (Labels{2, 4, 7, 9}));
    EXPECT_EQ(fact(list.provenance, "ignored"), "weights");
    EXPECT_EQ(fact(list.provenance, "assumed"), "");
  }
  put_all("true");
  EXPECT_FALSE(read("g.e").undirected);
}

TEST_F(Graphalytics, WhatIsMissingIsSaid) {
  put("g.e", "0 1\n1 2\n");
  EXPECT_EQ(fact(read("g.e").provenance, "assumed"),
            "no vertex without an edge, as no .v file is beside it; directed, as no .properties "
            "file beside it says otherwise");
  EXPECT_TRUE(read("g.e").labels.empty());
  put("h.v", "0\n1\n");
  EXPECT_TRUE(contains(refusal("h.v"), "no .e file with their edges is beside it"));
}

TEST_F(Graphalytics, PackedAndInAnArchive) {
  put("g.e.gz", gzip_of("0 1\n1 2\n"));
  put("g.v", "0\n1\n2\n3\n");
  EXPECT_EQ(read("g.e.gz").vertex_count, 4U);
  EXPECT_EQ(graphalytics_companions(folder.file("g.e.gz")),
            std::vector<std::string>{folder.file("g.v")});
  if (!has_archives()) return;
  put("g.tar", tar_of({{"g/g.e", "0 1\n1 2\n", {}},
                       {"g/g.v", "0\n1\n2\n5\n", {}},
                       {"g/g.properties", "graph.g.directed = false\n", {}}}));
  const EdgeList list = read("g.tar");
  EXPECT_EQ(list.labels, (Labels{0, 1, 2, 5}));
  EXPECT_TRUE(list.undirected);
  EXPECT_EQ(fact(list.provenance, "packing"), "tar member g/g.e");
}

TEST_F(Graphalytics, RefusesFilesThatDoNotFit) {
  put_all("perhaps");
  EXPECT_TRUE(
      contains(refusal("g.e"), "g.properties:3: found \"perhaps\", expected true or false"));
  put_all("false");
  put("g.v", "2\n4\n7\n");
  EXPECT_TRUE(contains(refusal("g.e"), "an edge names the vertex 9"));
  put("g.v", "2\n4\n2\n9\n");
  EXPECT_TRUE(contains(refusal("g.e"), "lists the vertex 2 more than once"));
  put("g.v", "2\n4\nx\n9\n");
  EXPECT_TRUE(contains(refusal("g.e"), "g.v:3: found \"x\", expected a vertex id"));
}

}  // namespace
}  // namespace bfslab::tests
