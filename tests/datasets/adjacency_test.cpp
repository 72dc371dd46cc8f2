// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/adjacency.hpp"

#include <gtest/gtest.h>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/parsing.hpp"

namespace bfslab::tests {
namespace {

EdgeList parse(const std::string& text) { return parse_as("adjacency", text); }
std::string refusal(const std::string& text) { return refusal_of("adjacency", text); }

TEST(Adjacency, EntriesWithTheirReversesAreUndirected) {
  // 0 - 1, 0 - 2, and 3 alone; numbers need not have lines of their own.
  const EdgeList list = parse("AdjacencyGraph\n4 4\n0 2\n3\n4\n1 2\n0\n0\n");
  EXPECT_EQ(list.vertex_count, 4U);
  EXPECT_TRUE(list.undirected);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {0, 2}}));
  EXPECT_EQ(fact(list.provenance, "assumed"), "undirected: every entry has its reverse");
}

TEST(Adjacency, OthersAreDirected) {
  const EdgeList list = parse("WeightedAdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n5\n-1\n2\n");
  EXPECT_FALSE(list.undirected);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {0, 2}, {2, 0}}));
  EXPECT_EQ(fact(list.provenance, "ignored"), "weights");
}

TEST(Adjacency, WithoutEdges) {
  const EdgeList list = parse("AdjacencyGraph\n2\n0\n0\n0\n");
  EXPECT_EQ(list.vertex_count, 2U);
  EXPECT_EQ(list.edges.size(), 0U);
}

TEST(Adjacency, RefusesWhatIsDamaged) {
  EXPECT_TRUE(contains(refusal("Graph\n1\n0\n0\n"), "FILE:1: found \"Graph\", expected"));
  EXPECT_TRUE(contains(refusal(""), "expected AdjacencyGraph"));
  EXPECT_TRUE(contains(refusal("AdjacencyGraph\n0\n0\n"), "FILE:3: a graph without vertices"));
  EXPECT_TRUE(contains(refusal("AdjacencyGraph\n3\n2\n0\n2\n1\n1\n2\n"),
                       "FILE:6: the offset 1 of vertex 2 is below 2"));
  EXPECT_TRUE(contains(refusal("AdjacencyGraph\n3\n2\n0\n3\n"),
                       "FILE:5: the offset of a vertex is 3, at most 2 is possible"));
  EXPECT_TRUE(contains(refusal("AdjacencyGraph\n2\n1\n1\n1\n0\n"), "FILE:4: the offset 1"));
  EXPECT_TRUE(contains(refusal("AdjacencyGraph\n2\n1\n0\n1\n2\n"),
                       "FILE:6: a neighbour is 2, at most 1 is possible"));
  EXPECT_TRUE(contains(refusal("AdjacencyGraph\n2\n2\n0\n1\n1\n"),
                       "FILE:6: the file ends before a neighbour"));
  EXPECT_TRUE(contains(refusal("AdjacencyGraph\n2\n1\n0\n1\n1\n7\n"),
                       "FILE:7: found \"7\" after the last neighbour"));
  EXPECT_TRUE(contains(refusal("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n"),
                       "ends before the weight of every edge"));
  EXPECT_TRUE(contains(refusal("AdjacencyGraph\n2\n1\n0\nx\n1\n"), "FILE:5: found \"x\""));
}

}  // namespace
}  // namespace bfslab::tests
