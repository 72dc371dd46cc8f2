// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/metis.hpp"

#include <gtest/gtest.h>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/real_data.hpp"

namespace bfslab::tests {
namespace {

EdgeList parse(const std::string& text, int threads = 2) {
  return parse_as("metis", text, threads);
}
std::string refusal(const std::string& text, int threads = 2) {
  return refusal_of("metis", text, threads);
}

const std::vector<Edge> kTriangleAndTail = {{0, 1}, {0, 2}, {1, 2}, {2, 3}};

TEST(Metis, EachEdgeOnceFromTheSmallerId) {
  const EdgeList list = parse("% remark\n4 4\n2 3\n 1 3 \r\n1\t2 4\n3\n");
  EXPECT_EQ(list.vertex_count, 4U);
  EXPECT_TRUE(list.undirected);
  EXPECT_EQ(edges_in(list), kTriangleAndTail);
  EXPECT_TRUE(list.labels.empty());
  EXPECT_EQ(list.first_label, 1U);
  EXPECT_EQ(fact(list.provenance, "edge_lines"), "4");
  EXPECT_EQ(fact(list.provenance, "ignored"), "");
}

TEST(Metis, ABlankLineIsAVertexAloneUnlessItIsBehindTheLast) {
  const EdgeList list = parse("5 1 0\n\n3\n2\n\n\n\n  \n% end\n");
  EXPECT_EQ(list.vertex_count, 5U);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{1, 2}}));
  EXPECT_EQ(parse("2 0\n\n\n").vertex_count, 2U);
}

TEST(Metis, WeightsOfEveryFormatAreIgnored) {
  EXPECT_EQ(edges_in(parse("4 4 1\n2 9 3 9\n1 9 3 9\n1 9 2 9 4 9\n3 9\n")), kTriangleAndTail);
  EXPECT_EQ(edges_in(parse("4 4 10\n7 2 3\n7 1 3\n7 1 2 4\n7 3\n")), kTriangleAndTail);
  EXPECT_EQ(edges_in(parse("4 4 010 2\n7 8 2 3\n7 8 1 3\n7 8 1 2 4\n7 8 3\n")), kTriangleAndTail);
  EXPECT_EQ(edges_in(parse("4 4 100\n5 2 3\n5 1 3\n5 1 2 4\n5 3\n")), kTriangleAndTail);
  const EdgeList list = parse("4 4 111 1\n5 7 2 9 3 9\n5 7 1 9 3 9\n5 7 1 9 2 9 4 9\n5 7 3 9\n");
  EXPECT_EQ(edges_in(list), kTriangleAndTail);
  EXPECT_EQ(fact(list.provenance, "ignored"), "weights (format 111)");
}

TEST(Metis, CommentsAmongTheVertices) {
  EXPECT_EQ(edges_in(parse("4 4\n% 1\n2 3\n1 3\n%\n%2\n1 2 4\n3\n")), kTriangleAndTail);
  EXPECT_EQ(refusal("4 4\n% 1\n2 3\n1 3\n%\n1 2 9\n3\n"),
            "FILE:6: the vertex id 9 is beyond the header's 4 vertices");
}

TEST(Metis, BadHeaders) {
  EXPECT_EQ(refusal(""), "FILE: holds no header \"VERTICES EDGES\"; is it empty?");
  EXPECT_EQ(refusal("% remark\n"), "FILE: holds no header \"VERTICES EDGES\"; is it empty?");
  EXPECT_EQ(refusal("4\n"), "FILE:1: found nothing, expected the number of edges");
  EXPECT_EQ(refusal("four 4\n"), "FILE:1: found \"four\", expected the number of vertices");
  EXPECT_EQ(refusal("-4 4\n"),
            "FILE:1: found \"-4\", expected the number of vertices, which is never negative");
  EXPECT_EQ(refusal("0 0\n"), "FILE:1: a graph without vertices");
  EXPECT_EQ(refusal("4 4 2\n"),
            "FILE:1: found \"2\", expected a format of up to three digits 0 or 1");
  EXPECT_EQ(refusal("4 4 0 3\n"), "FILE:1: 3 weights per vertex, but the format is 0");
  EXPECT_EQ(refusal("4 4 10 2 9\n"), "FILE:1: found \"9\" after the header's numbers");
  EXPECT_TRUE(contains(refusal("4294967295 1\n"), "at most 2^32 - 2"));
}

TEST(Metis, CountsBind) {
  EXPECT_EQ(
      refusal("4 4\n2 3\n1 3\n1 2 4\n"),
      "FILE:4: the file ends after the lines of 3 vertices, but its header announces 4; fetch it "
      "again");
  EXPECT_EQ(refusal("3 3\n2 3\n1 3\n1 2\n\n1\n"),
            "FILE:5: a line after those of the header's 3 vertices");
  EXPECT_EQ(
      refusal("4 5\n2 3\n1 3\n1 2 4\n3\n"),
      "FILE:5: 8 neighbours are listed, but the header announces 5 edges, each listed by both "
      "of its vertices");
  EXPECT_TRUE(contains(refusal("2 9223372036854775809\n2\n1\n"), "2 neighbours are listed"));
}

TEST(Metis, EveryEdgeHasTwoSides) {
  EXPECT_EQ(refusal("4 4\n2 3\n1 3\n1 2 4\n1\n"),
            "FILE:4: vertex 3 lists 4 once, which lists 3 not at all");
  EXPECT_EQ(refusal("3 2\n2 2\n1 3\n\n"),
            "FILE:2: vertex 1 lists 2 2 times, which lists 1 1 times");
  EXPECT_EQ(refusal("2 2\n2 1\n1 1\n"), "FILE:2: vertex 1 lists itself");
  // An edge that is listed twice, on both sides, is legal.
  EXPECT_EQ(parse("2 2\n2 2\n1 1\n").edges.size(), 2U);
}

TEST(Metis, BadLines) {
  EXPECT_EQ(refusal("2 1\n2\n0\n"), "FILE:3: the vertex id 0 is below 1, where ids begin");
  EXPECT_EQ(refusal("2 1\n3\n1\n"), "FILE:2: the vertex id 3 is beyond the header's 2 vertices");
  EXPECT_EQ(refusal("2 1\n-2\n1\n"),
            "FILE:2: found \"-2\", expected a vertex id, which is never negative");
  EXPECT_EQ(refusal("2 1\n2\nx\n"), "FILE:3: found \"x\", expected a vertex id");
  EXPECT_EQ(refusal("2 1 1\n2\n1 5\n"), "FILE:2: found nothing, expected an edge weight");
  EXPECT_EQ(refusal("2 1 10\n7 2\n\n"), "FILE:3: found nothing, expected a vertex weight");
  EXPECT_TRUE(contains(refusal("2 1\n2\n1 99999999999999999999\n"), "FILE:3: "));
  EXPECT_TRUE(contains(refusal("2 1\n" + std::string("\xff\0", 2) + "\n1\n"), "\"\\xff\\x00\""));
}

// Neighbours' lists of an undirected graph.
std::string text_of(vertex_t vertices, const std::vector<Edge>& edges) {
  std::vector<std::string> lines(vertices);
  for (const Edge edge : edges) {
    lines[edge.from] += std::to_string(edge.to + 1) + " ";
    lines[edge.to] += std::to_string(edge.from + 1) + " ";
  }
  std::string text = std::to_string(vertices) + " " + std::to_string(edges.size()) + "\n";
  for (vertex_t v = 0; v < vertices; ++v) text += (v % 777 == 0 ? "% \n" : "") + lines[v] + "\n";
  return text;
}

TEST(Metis, ThreadsChangeNothing) {
  const std::vector<Edge> edges = many_edges(60000, 6);
  std::string text = text_of(60000, edges);
  ASSERT_GT(text.size(), std::size_t{3} << 20);  // several blocks
  const EdgeList one = parse(text, 1);
  EXPECT_EQ(one.edges.size(), edges.size());
  for (const int threads : {2, 5}) EXPECT_EQ(edges_in(parse(text, threads)), edges_in(one));

  // The line number of a fault in a late block.
  const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  text.insert(text.size() - 1, "60001");
  for (const int threads : {1, 5}) {
    EXPECT_EQ(refusal(text, threads), "FILE:" + std::to_string(lines) +
                                          ": the vertex id 60001 is beyond the header's 60000 "
                                          "vertices");
  }
}

struct RealGraph {
  const char* file;
  vertex_t vertices;
  std::size_t edges;
};

class RealMetis : public ::testing::TestWithParam<RealGraph> {};

TEST_P(RealMetis, HasTheCountsOfItsHeader) {
  if (!has_zstd()) GTEST_SKIP() << "this build does not read zstd";
  BFSLAB_REAL_DATA(path, GetParam().file);
  const EdgeList list = format_called("metis").read(path, 2);
  EXPECT_EQ(list.vertex_count, GetParam().vertices);
  EXPECT_EQ(list.edges.size(), GetParam().edges);
  EXPECT_EQ(fact(list.provenance, "packing"), "zstd");
}

INSTANTIATE_TEST_SUITE_P(Each, RealMetis,
                         ::testing::Values(RealGraph{"local/astro-ph.graph.zst", 16706, 121251},
                                           RealGraph{"local/delaunay_n15.graph.zst", 32768, 98274},
                                           RealGraph{"local/rgg_n_2_15_s0.graph.zst", 32768,
                                                     160240},
                                           RealGraph{"local/wave.graph.zst", 156317, 1059331}));

}  // namespace
}  // namespace bfslab::tests
