// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/matrix_market.hpp"

#include <gtest/gtest.h>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/real_data.hpp"

namespace bfslab::tests {
namespace {

EdgeList parse(const std::string& text, int threads = 2) {
  return parse_as("matrix-market", text, threads);
}
std::string refusal(const std::string& text) { return refusal_of("matrix-market", text); }
std::string banner(const std::string& kind) { return "%%MatrixMarket matrix coordinate " + kind; }

TEST(MatrixMarket, GeneralIsDirected) {
  const EdgeList list =
      parse(banner("pattern general\n% remark\n\n4 4 3\n1 2\n\n2 1\r\n% in between\n4 4\n"));
  EXPECT_EQ(list.vertex_count, 4U);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {1, 0}, {3, 3}}));
  EXPECT_FALSE(list.undirected);
  EXPECT_TRUE(list.labels.empty());
  EXPECT_EQ(list.first_label, 1U);
  EXPECT_EQ(fact(list.provenance, "matrix"), "pattern general, 4 x 4");
  EXPECT_EQ(fact(list.provenance, "ignored"), "");
}

TEST(MatrixMarket, OneTriangleIsUndirected) {
  for (const char* symmetry : {"symmetric", "skew-symmetric", "hermitian", "SYMMETRIC"}) {
    const EdgeList list = parse(banner("pattern ") + symmetry + "\n3 3 2\n2 1\n3 1\n");
    EXPECT_TRUE(list.undirected) << symmetry;
    EXPECT_EQ(edges_in(list), (std::vector<Edge>{{1, 0}, {2, 0}}));
  }
}

TEST(MatrixMarket, ValuesOfEveryFieldAreIgnored) {
  const std::vector<Edge> expected = {{0, 1}, {2, 0}};
  EXPECT_EQ(edges_in(parse(banner("real general\n3 3 2\n1 2 -1.5e-3\n3 1 0\n"))), expected);
  EXPECT_EQ(edges_in(parse(banner("integer general\n3 3 2\n1 2 -7\n3 1 +8\n"))), expected);
  const EdgeList list = parse(banner("complex general\n3 3 2\n1 2 1 2\n3 1 .5 -.5\n"));
  EXPECT_EQ(edges_in(list), expected);
  EXPECT_EQ(fact(list.provenance, "ignored"), "entries' values");
}

TEST(MatrixMarket, RectangularIsBipartite) {
  const EdgeList list = parse(banner("pattern general\n2 3 3\n1 1\n1 3\n2 2\n"));
  EXPECT_EQ(list.vertex_count, 5U);
  EXPECT_TRUE(list.undirected);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 2}, {0, 4}, {1, 3}}));
  EXPECT_EQ(list.labels, (std::vector<std::uint64_t>{1, 2, 1, 2, 3}));
  EXPECT_EQ(fact(list.provenance, "sets"), "2 rows, 3 columns");
}

TEST(MatrixMarket, WithoutEntriesAllVerticesAreAlone) {
  const EdgeList list = parse(banner("pattern general\n7 7 0\n"));
  EXPECT_EQ(list.vertex_count, 7U);
  EXPECT_EQ(list.edges.size(), 0U);
}

// 2^22 plus 256 per line, in one set or two; a truncated file is reported first.
TEST(MatrixMarket, AbsurdlyManyVerticesAreRefused) {
  const std::string head = banner("pattern general\n");
  EXPECT_EQ(parse(head + "4194560 4194560 1\n1 4194560\n").vertex_count, 4194560U);
  EXPECT_EQ(
      refusal(head + "4194561 4194561 1\n1 2\n"),
      "FILE: 4194561 vertices for 1 edge line; more than 2^22 plus 256 per line are taken for "
      "damage. Fetch it again, or put only its pairs of ids into a .txt file, which "
      "renumbers the ids that occur");
  EXPECT_TRUE(contains(refusal(head + "4294967294 4294967294 1\n1 2\n"), "are taken for damage"));
  EXPECT_TRUE(contains(refusal(head + "1 4194560 1\n1 2\n"), "4194561 vertices"));
  EXPECT_EQ(refusal(head + "4194817 4194817 2\n1 2\n"),
            "FILE:3: the file ends after 1 entries, but its header announces 2; fetch it again");
}

TEST(MatrixMarket, BadBanners) {
  EXPECT_EQ(refusal(""), "FILE: is empty; expected a MatrixMarket file");
  EXPECT_EQ(refusal("3 3 1\n1 2\n"),
            "FILE:1: found \"3\", expected \"%%MatrixMarket matrix coordinate ...\"");
  EXPECT_EQ(refusal("%%MatrixMarket vector coordinate real general\n"),
            "FILE:1: found object \"vector\", expected matrix");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n3 3\n"),
            "FILE:1: found form \"array\", expected coordinate");
  EXPECT_EQ(refusal(banner("boolean general\n")),
            "FILE:1: found field \"boolean\", expected pattern or real or integer or complex");
  EXPECT_TRUE(contains(refusal(banner("real\n")), "FILE:1: found symmetry \"\""));
}

TEST(MatrixMarket, BadSizes) {
  EXPECT_EQ(refusal(banner("pattern general\n% nothing else\n")),
            "FILE:2: the file ends before its line \"ROWS COLUMNS ENTRIES\"; fetch it again");
  EXPECT_EQ(refusal(banner("pattern general\n3 3\n")),
            "FILE:2: found nothing, expected the number of entries");
  EXPECT_EQ(refusal(banner("pattern general\n3 3 1 1\n1 2\n")),
            "FILE:2: found \"1\" after the three counts");
  EXPECT_EQ(refusal(banner("pattern general\n-3 3 1\n")),
            "FILE:2: found \"-3\", expected the number of rows, which is never negative");
  EXPECT_EQ(refusal(banner("pattern symmetric\n3 4 1\n1 2\n")),
            "FILE:2: a symmetric matrix of 3 rows and 4 columns; it must be square");
  EXPECT_EQ(refusal(banner("pattern general\n0 0 0\n")),
            "FILE:2: a matrix without rows or columns");
  EXPECT_TRUE(contains(refusal(banner("pattern general\n4294967295 4294967295 1\n1 2\n")),
                       "at most 2^32 - 2"));
  EXPECT_TRUE(contains(refusal(banner("pattern general\n99999999999999999999 3 1\n")), "64 bits"));
}

TEST(MatrixMarket, CountsBind) {
  EXPECT_EQ(refusal(banner("pattern general\n3 3 3\n1 2\n2 3\n")),
            "FILE:4: the file ends after 2 entries, but its header announces 3; fetch it again");
  EXPECT_EQ(refusal(banner("pattern general\n3 3 1\n1 2\n2 3\n")),
            "FILE:4: the file lists 2 entries, but its header announces 1");
  EXPECT_EQ(refusal(banner("pattern general\n3 3 0\n1 2\n")),
            "FILE:3: the file lists 1 entries, but its header announces 0");
  EXPECT_TRUE(contains(refusal(banner("pattern general\n3 3 1\n")), "holds no edge"));
}

TEST(MatrixMarket, BadEntries) {
  const std::string head = banner("real general\n3 4 2\n1 4 0.5\n");
  EXPECT_EQ(refusal(head + "4 1 1\n"),
            "FILE:4: the vertex id 4 is beyond the header's 3 vertices of the first set");
  EXPECT_EQ(refusal(head + "3 5 1\n"),
            "FILE:4: the vertex id 5 is beyond the header's 4 vertices of the second set");
  EXPECT_EQ(refusal(head + "0 1 1\n"), "FILE:4: the vertex id 0 is below 1, where ids begin");
  EXPECT_EQ(refusal(head + "3 1\n"), "FILE:4: found 2 columns, expected 3 columns");
  EXPECT_EQ(refusal(head + "-3 1 1\n"),
            "FILE:4: found \"-3\", expected a vertex id, which is never negative");
  EXPECT_EQ(refusal(head + "3.0 1 1\n"), "FILE:4: found \"3.0\", expected a vertex id");
}

TEST(MatrixMarket, ThreadsChangeNothing) {
  const std::vector<Edge> edges = many_edges(60000, 6);
  std::string text = banner("integer general\n60000 60000 ") + std::to_string(edges.size()) + "\n";
  for (const Edge edge : edges) {
    text += std::to_string(edge.from + 1) + " " + std::to_string(edge.to + 1) + " 1\n";
  }
  for (const int threads : {1, 2, 5}) EXPECT_EQ(edges_in(parse(text, threads)), edges);
}

TEST(MatrixMarket, DelaunayN13) {
  if (!has_archives()) GTEST_SKIP() << "this build does not read tar";
  BFSLAB_REAL_DATA(path, "mirror/sparse.tamu.edu/MM/DIMACS10/delaunay_n13.tar.gz");
  const EdgeList list = format_called("matrix-market").read(path, 2);
  EXPECT_EQ(list.vertex_count, 8192U);
  EXPECT_EQ(list.edges.size(), 24547U);
  EXPECT_TRUE(list.undirected);
  EXPECT_EQ(fact(list.provenance, "matrix"), "pattern symmetric, 8192 x 8192");
}

}  // namespace
}  // namespace bfslab::tests
