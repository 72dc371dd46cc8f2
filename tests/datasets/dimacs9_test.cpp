// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/dimacs9.hpp"

#include <gtest/gtest.h>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/real_data.hpp"

namespace bfslab::tests {
namespace {

EdgeList parse(const std::string& text, int threads = 2) {
  return parse_as("dimacs9", text, threads);
}
std::string refusal(const std::string& text) { return refusal_of("dimacs9", text); }

TEST(Dimacs9, ArcsAreDirected) {
  const EdgeList list = parse("c remark\nc\n\np sp 4 3\nc more\na 1 2 10\r\na\t2 1 10\na 4 4 0\n");
  EXPECT_EQ(list.vertex_count, 4U);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {1, 0}, {3, 3}}));
  EXPECT_FALSE(list.undirected);
  EXPECT_TRUE(list.labels.empty());
  EXPECT_EQ(list.first_label, 1U);
  EXPECT_EQ(fact(list.provenance, "ignored"), "arc lengths");
  EXPECT_EQ(fact(list.provenance, "edge_lines"), "3");
}

TEST(Dimacs9, WithoutArcsAllVerticesAreAlone) { EXPECT_EQ(parse("p sp 5 0\n").vertex_count, 5U); }

TEST(Dimacs9, BadHeaders) {
  EXPECT_EQ(refusal(""), "FILE: holds no line \"p sp VERTICES ARCS\"; is it empty?");
  EXPECT_EQ(refusal("c only remarks\n"),
            "FILE: holds no line \"p sp VERTICES ARCS\"; is it empty?");
  EXPECT_EQ(refusal("a 1 2 3\n"),
            "FILE:1: found \"a 1 2 3\", expected \"p sp VERTICES ARCS\" before the first arc");
  EXPECT_EQ(refusal("c x\np edge 3 2\ne 1 2\n"),
            "FILE:2: found \"p edge 3 2\", expected \"p sp VERTICES ARCS\" before the first arc");
  EXPECT_EQ(refusal("p sp 3\n"), "FILE:1: found nothing, expected the number of arcs");
  EXPECT_EQ(refusal("p sp three 2\n"), "FILE:1: found \"three\", expected the number of vertices");
  EXPECT_EQ(refusal("p sp 3 2 1\n"), "FILE:1: found \"1\" after the two counts");
  EXPECT_EQ(refusal("p sp 0 0\n"), "FILE:1: a graph without vertices");
  EXPECT_TRUE(contains(refusal("p sp 4294967295 1\na 1 2 3\n"), "at most 2^32 - 2"));
}

TEST(Dimacs9, AbsurdlyManyVerticesAreRefused) {
  EXPECT_TRUE(
      contains(refusal("p sp 4294967294 1\na 1 2 3\n"),
               "FILE: 4294967294 vertices for 1 edge line; more than 2^22 plus 256 per line"));
  EXPECT_EQ(parse("p sp 4194304 0\n").vertex_count, 4194304U);
  EXPECT_TRUE(contains(refusal("p sp 4194305 0\n"), "4194305 vertices for 0 edge lines"));
}

TEST(Dimacs9, CountsBind) {
  EXPECT_EQ(refusal("p sp 3 3\na 1 2 1\na 2 3 1\n"),
            "FILE:3: the file ends after 2 arcs, but its header announces 3; fetch it again");
  EXPECT_EQ(refusal("p sp 3 1\na 1 2 1\na 2 3 1\n"),
            "FILE:3: the file lists 2 arcs, but its header announces 1");
}

TEST(Dimacs9, BadLines) {
  const std::string head = "p sp 3 2\na 1 2 5\n";
  EXPECT_EQ(refusal(head + "a 1 4 5\n"),
            "FILE:3: the vertex id 4 is beyond the header's 3 vertices");
  EXPECT_EQ(refusal(head + "a 0 1 5\n"), "FILE:3: the vertex id 0 is below 1, where ids begin");
  EXPECT_EQ(refusal(head + "a 1 -2 5\n"),
            "FILE:3: found \"-2\", expected a vertex id, which is never negative");
  EXPECT_EQ(refusal(head + "a 1 2\n"), "FILE:3: found 2 columns, expected 3 columns");
  EXPECT_EQ(refusal(head + "a 1\n"), "FILE:3: found one column, expected two vertex ids");
  EXPECT_EQ(refusal(head + "1 2 5\n"), "FILE:3: found \"1\", expected \"a\"");
  EXPECT_EQ(refusal(head + "arc 1 2 5\n"), "FILE:3: found \"arc\", expected \"a\"");
  EXPECT_EQ(refusal(head + "p sp 3 2\n"), "FILE:3: found \"p\", expected \"a\"");
}

TEST(Dimacs9, ThreadsChangeNothing) {
  const std::vector<Edge> edges = many_edges(60000, 6);
  std::string text = "p sp 60000 " + std::to_string(edges.size()) + "\n";
  for (const Edge edge : edges) {
    text += "a " + std::to_string(edge.from + 1) + " " + std::to_string(edge.to + 1) + " 17\n";
    if (edge.from % 1000 == 0) text += "c in between\n";
  }
  for (const int threads : {1, 2, 5}) EXPECT_EQ(edges_in(parse(text, threads)), edges);
}

TEST(Dimacs9, Rome) {
  BFSLAB_REAL_DATA(path, "mirror/www.diag.uniroma1.it/challenge9/data/rome/rome99.gr");
  const EdgeList list = format_called("dimacs9").read(path, 2);
  EXPECT_EQ(list.vertex_count, 3353U);
  EXPECT_EQ(list.edges.size(), 8870U);
  EXPECT_EQ(fact(list.provenance, "packing"), "");
}

}  // namespace
}  // namespace bfslab::tests
