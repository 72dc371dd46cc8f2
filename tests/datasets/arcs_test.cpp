// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/arcs.hpp"

#include <gtest/gtest.h>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/real_data.hpp"

namespace bfslab::tests {
namespace {

EdgeList parse(const std::string& text, int threads = 2) { return parse_as("arcs", text, threads); }
std::string refusal(const std::string& text) { return refusal_of("arcs", text); }

TEST(Arcs, IdsAreTakenAsGiven) {
  const EdgeList list = parse("0\t3\n3\t0\n7\t3\n");
  EXPECT_EQ(list.vertex_count, 8U);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 3}, {3, 0}, {7, 3}}));
  EXPECT_TRUE(list.labels.empty());
  EXPECT_FALSE(list.undirected);
}

TEST(Arcs, BadInput) {
  EXPECT_TRUE(contains(refusal(""), "holds no edge"));
  EXPECT_EQ(refusal("0\t1\n1\n"), "FILE:2: found one column, expected two vertex ids");
  EXPECT_EQ(refusal("0\t1\t2\n"), "FILE:1: found 3 columns, expected 2 columns");
  EXPECT_EQ(refusal("0\t-1\n"),
            "FILE:1: found \"-1\", expected a vertex id, which is never negative");
  EXPECT_EQ(
      refusal("0\tx\n"),
      "FILE:1: found \"x\", expected a vertex id, which is a number (docs/formats.md shows how "
      "to number names)");
  EXPECT_TRUE(contains(refusal("0\t4294967295\n"), "the largest id is 4294967295"));
  EXPECT_TRUE(contains(refusal("0\t18446744073709551616\n"), "FILE:1: "));
}

TEST(Arcs, AbsurdlyManyVerticesAreRefused) {
  EXPECT_EQ(parse("0\t4194559\n").vertex_count, 4194560U);
  EXPECT_EQ(refusal("0\t4294967290\n"),
            "FILE: 4294967291 vertices for 1 edge line; more than 2^22 plus 256 per line are taken "
            "for damage. Fetch it again, or format=snap renumbers the ids");
}

TEST(Arcs, ThreadsChangeNothing) {
  std::vector<Edge> edges = many_edges(60000, 6);
  for (Edge& edge : edges) edge = {edge.from * 3, edge.to * 3};  // with gaps
  std::string text;
  for (const Edge edge : edges) {
    text += std::to_string(edge.from) + "\t" + std::to_string(edge.to) + "\n";
  }
  for (const int threads : {1, 2, 5}) EXPECT_EQ(edges_in(parse(text, threads)), edges);
}

TEST(Arcs, Uk2007) {
  if (!has_zstd()) GTEST_SKIP() << "this build does not read zstd";
  BFSLAB_REAL_DATA(path, "local/uk-2007-05@100000.arcs.tsv.zst");
  const EdgeList list = format_called("arcs").read(path, 2);
  EXPECT_EQ(list.vertex_count, 100000U);
  EXPECT_EQ(list.edges.size(), 3050615U);
}

}  // namespace
}  // namespace bfslab::tests
