// SPDX-License-Identifier: Apache-2.0
// Communities, tails, the order of ids, and one id space for both sides: what stand-ins are made
// of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "datasets/generate/calibrate.hpp"
#include "datasets/generate/rank_weights.hpp"
#include "datasets/generate/tails.hpp"
#include "datasets/summary/summary.hpp"
#include "datasets/summary/sweep.hpp"
#include "tests/datasets/naive_csr.hpp"

namespace bfslab::tests {
namespace {

TEST(Tails, HaveLengthsThatFallOff) {
  const Tails tails(8, 9);
  std::vector<std::uint64_t> lengths(8);
  for (std::uint64_t v = 0; v < tails.vertices(); ++v) {
    const Tails::Place place = tails.place(v);
    EXPECT_EQ(place.step, lengths.at(place.tail)++);
  }
  EXPECT_EQ(lengths, (std::vector<std::uint64_t>{9, 9, 5, 5, 2, 2, 1, 1}));
  EXPECT_EQ(tails.count(), 8U);
  EXPECT_EQ(Tails(0, 0).vertices(), 0U);
  EXPECT_EQ(Tails(1, 5).vertices(), 5U);
  EXPECT_EQ(Tails(2, 5).vertices(), 10U);
}

// Tails of one length are found together; here each has its length by itself.
TEST(Tails, HaveTheLengthOfTheirPair) {
  for (const std::uint64_t count : {1, 2, 3, 7, 64, 1001, 50'000}) {
    for (const std::uint64_t length : {1, 2, 3, 8, 255, 5000}) {
      const Tails tails(count, length);
      const std::uint64_t whole = fixed_log2((count + 1) / 2);
      std::uint64_t first = 0;
      for (std::uint64_t tail = 0; tail < count; ++tail) {
        const Tails::Place place = tails.place(first);
        ASSERT_EQ(place.tail, tail) << count << " tails of " << length;
        ASSERT_EQ(place.step, 0U) << count << " tails of " << length;
        const std::uint64_t left = whole - fixed_log2(tail / 2 + 1);  // below 2^37
        first += whole == 0 ? length : 1 + left * (length - 1) / whole;
      }
      EXPECT_EQ(tails.vertices(), first) << count << " tails of " << length;
    }
  }
}

// Vertices and edges stay what the name says, and the last vertices are paths, each on another
// vertex of the core.
TEST(Tails, HangOnDistinctVerticesAndMakeTheGraphDeep) {
  const std::string core = "power_law:vertices=5000,edges=40000";
  const std::string text = core + ",tails=50,tail_length=30,order=crawl,communities=20,local=0.4";
  const std::uint64_t on_tails = Tails(50, 30).vertices();
  const auto first = static_cast<vertex_t>(5000 - on_tails);
  const std::vector<Edge> all = tuples(text);
  EXPECT_EQ(all.size(), 40000U);
  std::set<vertex_t> held;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [from, to] = all[i];
    const bool tail = i >= all.size() - on_tails;
    EXPECT_EQ(to >= first, tail) << i;
    if (from < first) {
      EXPECT_TRUE(!tail || held.insert(from).second) << i;
    } else {
      EXPECT_EQ(from + 1, to) << i;
    }
  }
  EXPECT_EQ(held.size(), 50U);
  const CsrGraph graph = load(text);
  const GraphSummary summary = summarize(graph);
  const GraphSummary shallow = summarize(load(core));
  EXPECT_EQ(graph.vertex_count(), 5000U);
  EXPECT_EQ(summary.components, 1U);
  EXPECT_EQ(summary.isolated_vertices, 0U);
  EXPECT_LT(shallow.diameter_at_least, 12U);
  // From the end of one of the two longest tails to that of the other.
  EXPECT_GT(summary.diameter_at_least, 60U);
  EXPECT_LT(summary.diameter_at_least, 60 + 12U);
  // Outwards along the edges, too: a directed search from the core reaches the ends.
  EXPECT_GT(sweep(load(text + ",symmetrize=false"), 0).depth, 30U);
}

TEST(Communities, GiveEveryRankItsOwnId) {
  for (const bool crawl : {false, true}) {
    for (const vertex_t count : {1U, 7U, 100U, 999U, 1000U}) {
      CommunityShape shape;
      shape.count = count;
      shape.crawl = crawl;
      const Communities communities(shape, 1000, 3, 9);
      std::set<vertex_t> ids;
      for (vertex_t rank = 0; rank < 1000; ++rank) {
        ids.insert(communities.id(rank));
        const vertex_t moved = communities.moved(rank, count - 1);
        EXPECT_LT(moved, 1000U);
        EXPECT_EQ(communities.of(moved), count - 1);
        EXPECT_FALSE(communities.is_local(rank));
      }
      EXPECT_EQ(ids.size(), 1000U);
      EXPECT_EQ(*ids.rbegin(), 999U);
    }
  }
}

// With local=1 no edge leaves a community but those that avoid a self-loop; with 0.6 at least that
// share of the tuples stays within one.
TEST(Communities, KeepTheirShareOfTheEdges) {
  CommunityShape shape;
  shape.count = 25;
  shape.crawl = true;
  const Communities communities(shape, 2000, 1, 9);
  std::vector<vertex_t> community(2000);
  for (vertex_t rank = 0; rank < 2000; ++rank) {
    community[communities.id(rank)] = communities.of(rank);
  }
  const auto within = [&](const char* local) {
    double count = 0;
    const auto all = tuples(fmt::format(
        "power_law:vertices=2000,edges=20000,communities=25,order=crawl,local={}", local));
    for (const Edge edge : all) count += community[edge.from] == community[edge.to] ? 1 : 0;
    return count / static_cast<double>(all.size());
  };
  EXPECT_GT(within("1"), 0.95);
  EXPECT_NEAR(within("0.6"), 0.6 + 0.4 / 25, 0.04);
  EXPECT_LT(within("0"), 0.1);
}

// Nearly every vertex has a neighbour of smaller id, as a crawl meets it through one, and
// neighbours are nearer to one another than random ids are.
TEST(Crawl, OrdersIds) {
  const std::string text = "power_law:vertices=20000,edges=120000,communities=100,local=0.6";
  const auto met = [](const CsrGraph& graph) {
    double count = 0;
    for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
      count += !graph.neighbors(v).empty() && graph.neighbors(v).front() < v ? 1 : 0;
    }
    return count / graph.vertex_count();
  };
  const CsrGraph random = load(text);
  const CsrGraph crawl = load(text + ",order=crawl");
  EXPECT_LT(met(random), 0.9);
  EXPECT_GT(met(crawl), 0.98);
  EXPECT_LT(summarize(crawl).mean_gap_bits + 0.7, summarize(random).mean_gap_bits);
  EXPECT_NEAR(summarize(random).mean_gap_bits, std::log2(20000) - 1.7, 0.2);
}

// A graph of before these parameters keeps its name.
TEST(CanonicalName, LeavesOutLaterParametersAtTheirDefaults) {
  const std::string plain = GraphName::parse("power_law:vertices=9,edges=20").canonical;
  EXPECT_EQ(plain,
            "power_law:vertices=9,edges=20,exponent=2.5,offset=0,reciprocal=0,seed=1,"
            "symmetrize=true,self_loops=drop,duplicates=drop,relabel=none");
  EXPECT_EQ(GraphName::parse("power_law:vertices=9,edges=20,local=0,order=random").canonical,
            plain);
  EXPECT_TRUE(contains(GraphName::parse("power_law:vertices=9,edges=20,order=crawl").canonical,
                       ",seed=1,order=crawl,symmetrize"));
}

TEST(Bipartite, OneIdSpaceHasTheLargerSidesVertices) {
  const std::string text = "bipartite:left=300,right=700,edges=5000,ids=shared";
  const CsrGraph graph = load(text);
  EXPECT_EQ(graph.vertex_count(), 700U);
  EXPECT_EQ(summarize(graph).isolated_vertices, 0U);
  bool low = false;
  for (const Edge edge : tuples(text)) {
    EXPECT_LT(edge.from, 300U);
    EXPECT_LT(edge.to, 700U);
    low = low || edge.to < 300;
  }
  EXPECT_TRUE(low);
}

TEST(Calibrate, MeetsTheWantedCountsWithCommunitiesAndTails) {
  for (const bool directed : {false, true}) {
    const Tails tails(100, 12);
    PowerLawShape shape;
    shape.vertices = 20000;
    shape.exponent = 2.3;
    shape.reciprocal = directed ? 0.3 : 0;
    shape.communities.count = 100;
    shape.communities.local = 0.5;
    shape.tails = tails.count();
    shape.tail_vertices = tails.vertices();
    shape = calibrate(shape, 200000, directed, 1500);
    const std::string name = fmt::format(
        "power_law:vertices=20000,edges={},exponent=2.3,offset={},reciprocal={},communities=100,"
        "local=0.5,tails=100,tail_length=12",
        shape.edges, shape.offset, shape.reciprocal);
    const CsrGraph undirected = load(name);
    const edge_t found =
        directed ? load(name + ",symmetrize=false").edge_count() : undirected.edge_count() / 2;
    EXPECT_NEAR(static_cast<double>(found), 200000, 2000) << name;
    EXPECT_NEAR(static_cast<double>(summarize(undirected).maximum_degree), 1500, 300) << name;
  }
  BipartiteShape sides;
  sides.left = 5000;
  sides.right = 20000;
  sides.left_exponent = 2;
  sides.right_exponent = 4;
  sides.communities.count = 50;
  sides.communities.local = 0.5;
  sides = calibrate(sides, 100000, 2000, 40);
  const CsrGraph graph = load(fmt::format(
      "bipartite:left=5000,right=20000,edges={},left_exponent=2,left_offset={},right_exponent=4,"
      "right_offset={},communities=50,local=0.5",
      sides.edges, sides.left_offset, sides.right_offset));
  EXPECT_NEAR(static_cast<double>(graph.edge_count()) / 2, 100000, 1000);
}

TEST(CalibratedShapes, RefuseWhatDoesNotGoTogether) {
  const auto error = [](const char* more) {
    return input_error(
        [&] { GraphName::parse(fmt::format("power_law:vertices=100,edges=900{}", more)); });
  };
  EXPECT_TRUE(contains(error(",tails=3"), "give both numbers"));
  EXPECT_TRUE(contains(error(",tail_length=3"), "give both numbers"));
  EXPECT_TRUE(contains(error(",tails=2,tail_length=49"), "lower tails or tail_length"));
  EXPECT_TRUE(contains(error(",communities=101"), "lower communities"));
  EXPECT_TRUE(contains(error(",communities=80,tails=2,tail_length=15"), "lower communities"));
  EXPECT_TRUE(contains(
      input_error([] { GraphName::parse("bipartite:left=3,right=9,edges=50,communities=4"); }),
      "lower communities"));
}

}  // namespace
}  // namespace bfslab::tests
