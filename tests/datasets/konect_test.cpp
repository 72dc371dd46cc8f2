// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/konect.hpp"

#include <gtest/gtest.h>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/real_data.hpp"

namespace bfslab::tests {
namespace {

using Labels = std::vector<std::uint64_t>;

EdgeList parse(const std::string& text, int threads = 2) {
  return parse_as("konect", text, threads);
}
std::string refusal(const std::string& text) { return refusal_of("konect", text); }

TEST(Konect, CountsInTheHeaderTellTheVertices) {
  const EdgeList list = parse("% sym unweighted\n% 3 5 5\n1 2\n2  3\r\n1\t3\n");
  EXPECT_EQ(list.vertex_count, 5U);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}}));
  EXPECT_TRUE(list.undirected);
  EXPECT_TRUE(list.labels.empty());
  EXPECT_EQ(list.first_label, 1U);
  EXPECT_EQ(fact(list.provenance, "network"), "sym unweighted");
  EXPECT_EQ(fact(list.provenance, "edge_lines"), "3");
  EXPECT_EQ(fact(list.provenance, "warning"), "");
}

TEST(Konect, WithoutCountsIdsAreNumberedInTheirOrder) {
  const EdgeList list = parse("% asym positive\n10 7 2\n7 900 1\n");
  EXPECT_FALSE(list.undirected);
  EXPECT_EQ(list.vertex_count, 3U);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{1, 0}, {0, 2}}));
  EXPECT_EQ(list.labels, (Labels{7, 10, 900}));
  EXPECT_EQ(fact(list.provenance, "ignored"), "weights");
}

TEST(Konect, TheSecondSetOfABipartiteGraphComesBehindTheFirst) {
  const EdgeList list = parse("% bip unweighted\n% 3 4 3\n1 1\n2 3\n4 1\n");
  EXPECT_EQ(list.vertex_count, 7U);
  EXPECT_TRUE(list.undirected);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 4}, {1, 6}, {3, 4}}));
  EXPECT_EQ(list.labels, (Labels{1, 2, 3, 4, 1, 2, 3}));
  EXPECT_EQ(fact(list.provenance, "sets"), "4 + 3 vertices");
}

TEST(Konect, BipartiteWithoutCounts) {
  const EdgeList list = parse("% bip unweighted\n1 1\n5 2\n1 2\n");
  EXPECT_EQ(list.vertex_count, 4U);
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 2}, {1, 3}, {0, 3}}));
  EXPECT_EQ(list.labels, (Labels{1, 5, 1, 2}));
}

TEST(Konect, WeightsAndTimesAreIgnored) {
  const EdgeList list =
      parse("% sym weighted\n% 2 3 3\n1 2 -0.5 1082040961\n2 3 1e-3 1082155839\n");
  EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(fact(list.provenance, "ignored"), "weights and times");
}

TEST(Konect, CountsThatDifferAreAnErrorOrAWarning) {
  EXPECT_EQ(refusal("% sym unweighted\n% 4 3 3\n1 2\n2 3\n"),
            "FILE:4: the file ends after 2 edges, but its header announces 4; fetch it again");
  // A weight may be a multiplicity, and the count their sum.
  EXPECT_EQ(fact(parse("% sym positive\n% 4 3 3\n1 2 3\n2 3 1\n").provenance, "warning"),
            "the header announces 4 edges, the file lists 2");
  EXPECT_EQ(fact(parse("% sym unweighted\n% 1 3 3\n1 2\n2 3\n").provenance, "warning"),
            "the header announces 1 edges, the file lists 2");
}

TEST(Konect, CommentsMayFollow) {
  EXPECT_EQ(parse("% asym unweighted\n% a remark\n%\n1 2\n% another\n\n2 1\n").edges.size(), 2U);
}

TEST(Konect, BadHeaders) {
  EXPECT_EQ(refusal(""), "FILE: is empty; expected a KONECT file");
  EXPECT_TRUE(contains(refusal("1 2\n"), "FILE:1: found \"1 2\", expected \"% sym\""));
  EXPECT_TRUE(contains(refusal("% tree unweighted\n1 2\n"), "FILE:1: found \"% tree unweighted\""));
  EXPECT_EQ(refusal("% sym unweighted\n% 0 5000000000 5000000000\n1 2\n"),
            "FILE: has 5000000000 vertices; at most 2^32 - 2 are supported");
  EXPECT_EQ(refusal("% bip unweighted\n% 1 3000000000 3000000000\n1 2\n"),
            "FILE: has 3000000000 + 3000000000 vertices; at most 2^32 - 2 are supported");
}

TEST(Konect, AbsurdlyManyVerticesAreRefused) {
  for (const char* counts : {"sym unweighted\n% 1 4294967294 4294967294", "bip -\n% 1 3 4194558"}) {
    EXPECT_TRUE(contains(refusal(std::string("% ") + counts + "\n1 2\n"),
                         "for 1 edge line; more than 2^22 plus 256 per line"));
  }
  EXPECT_EQ(parse("% bip -\n% 1 3 4194557\n1 2\n").vertex_count, 4194560U);
  // Without counts there is nothing to doubt: the ids that occur are renumbered.
  EXPECT_EQ(parse("% sym unweighted\n1 4294967294\n").labels, (Labels{1, 4294967294}));
}

TEST(Konect, IdsFromOneWithoutCountsOrGapsTakeNoMemory) {
  const EdgeList list = parse("% asym unweighted\n1 2\n3 2\n");
  EXPECT_TRUE(list.labels.empty());
  EXPECT_EQ(list.first_label, 1U);
}

TEST(Konect, BadLines) {
  const std::string head = "% sym unweighted\n% 2 3 3\n1 2\n";
  EXPECT_EQ(refusal(head + "2\n"), "FILE:4: found one column, expected two vertex ids");
  EXPECT_EQ(refusal(head + "-2 3\n"),
            "FILE:4: found \"-2\", expected a vertex id, which is never negative");
  EXPECT_EQ(refusal(head + "two 3\n"),
            "FILE:4: found \"two\", expected a vertex id, which is a number (docs/formats.md shows "
            "how to number names)");
  EXPECT_EQ(refusal(head + "0 3\n"), "FILE:4: the vertex id 0 is below 1, where ids begin");
  EXPECT_EQ(refusal(head + "2 4\n"), "FILE:4: the vertex id 4 is beyond the header's 3 vertices");
  EXPECT_TRUE(contains(refusal(head + "2 18446744073709551616\n"), "FILE:4: "));
  EXPECT_TRUE(contains(refusal(head + "2 3 4\n"), "FILE:4: found 3 columns, expected 2"));
  EXPECT_TRUE(contains(refusal(head + std::string("\x01\xff\0", 3) + "\n"), "\"\\x01\\xff\\x00\""));
  EXPECT_EQ(refusal("% bip unweighted\n% 2 4 3\n4 3\n3 4\n"),
            "FILE:4: the vertex id 4 is beyond the header's 3 vertices of the second set");
  EXPECT_EQ(refusal("% bip unweighted\n1 5000000000\n"),
            "FILE:2: the vertex id 5000000000 of the second set does not fit 32 bits");
  EXPECT_TRUE(contains(refusal("% sym unweighted\n"), "holds no edge"));
}

TEST(Konect, ThreadsChangeNothing) {
  const std::vector<Edge> edges = many_edges(60000, 6);
  std::string text = "% bip unweighted\n% " + std::to_string(edges.size()) + " 60000 60000\n";
  for (const Edge edge : edges) {
    text += std::to_string(edge.from + 1) + " " + std::to_string(edge.to + 1) + "\n";
  }
  ASSERT_GT(text.size(), std::size_t{3} << 20);  // several blocks
  const EdgeList one = parse(text, 1);
  ASSERT_EQ(one.edges.size(), edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    ASSERT_EQ(one.edges[e], (Edge{edges[e].from, edges[e].to + 60000}));
  }
  for (const int threads : {2, 5}) EXPECT_EQ(edges_in(parse(text, threads)), edges_in(one));
}

TEST(Konect, OpsahlPowergrid) {
  if (!has_archives()) GTEST_SKIP() << "this build does not read tar";
  BFSLAB_REAL_DATA(path, "mirror/konect.cc/files/download.tsv.opsahl-powergrid.tar.bz2");
  const EdgeList list = format_called("konect").read(path, 2);
  EXPECT_EQ(list.vertex_count, 4941U);
  EXPECT_EQ(list.edges.size(), 6594U);
  EXPECT_TRUE(list.undirected);
  EXPECT_EQ(fact(list.provenance, "packing"),
            "bzip2, tar member opsahl-powergrid/out.opsahl-powergrid");
  EXPECT_EQ(fact(list.provenance, "warning"), "");
}

}  // namespace
}  // namespace bfslab::tests
