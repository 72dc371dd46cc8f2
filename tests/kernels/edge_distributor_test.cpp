// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of scalable-bfs: Figure 2's setting, and what section III-B says about every graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "datasets/load_graph.hpp"
#include "tests/kernels/separated.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using distributed::EdgeClass;
using distributed::Ownership;
using distributed::Placed;

std::vector<std::uint64_t> degrees_of(const CsrGraph& graph) {
  std::vector<std::uint64_t> degrees(graph.vertex_count());
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) degrees[v] = graph.degree(v);
  return degrees;
}

// Algorithm 1 line by line, as in the paper. Returns the number of the GPU.
unsigned by_the_paper(std::uint64_t u, std::uint64_t v, std::uint64_t du, std::uint64_t dv,
                      std::uint64_t th, std::uint32_t ranks, std::uint32_t gpus) {
  const auto at = [&](std::uint64_t x) {
    const std::uint64_t rank = x % ranks;
    const std::uint64_t gpu = (x / ranks) % gpus;
    return static_cast<unsigned>(gpu * ranks + rank);
  };
  if (du <= th) return at(u);
  if (dv <= th) return at(v);
  if (du < dv) return at(u);
  if (du > dv) return at(v);
  return at(std::min(u, v));
}

template <typename Visit>
void for_each_entry(const CsrGraph& graph, const Visit& visit) {
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) visit(u, v);
  }
}

// Figure 2: three partitions, threshold 5, and vertices 7 and 8 are the ones with more neighbours.
// Its edges are drawn, not listed: these fit what is said about them.
class Figure2 : public testing::Test {
 protected:
  const std::shared_ptr<const CsrGraph> graph_ = make_graph(12, {{7, 0},
                                                                 {7, 1},
                                                                 {7, 2},
                                                                 {7, 4},
                                                                 {7, 8},
                                                                 {7, 10},
                                                                 {7, 11},
                                                                 {8, 3},
                                                                 {8, 5},
                                                                 {8, 6},
                                                                 {8, 9},
                                                                 {8, 11},
                                                                 {0, 3},
                                                                 {1, 2},
                                                                 {4, 5},
                                                                 {6, 9}});
  const std::vector<std::uint64_t> degrees_ = degrees_of(*graph_);
  const Separated separated_{degrees_, 3, 5};
};

TEST_F(Figure2, MakesVertex7Delegate0AndVertex8Delegate1) {
  EXPECT_EQ(separated_.delegates, (std::vector<std::uint64_t>{7, 8}));
  EXPECT_EQ(separated_.place.delegates.number(7), 0U);
  EXPECT_EQ(separated_.place.delegates.number(8), 1U);
}

TEST_F(Figure2, NumbersTheNormalVerticesOfAPartitionDensely) {
  const Ownership& own = separated_.place.own;
  for (std::uint64_t v = 0; v < 12; ++v) {
    EXPECT_EQ(own.owner(v), v % 3);
    EXPECT_EQ(own.local(v), v / 3);
    EXPECT_EQ(own.global(own.owner(v), own.local(v)), v);
  }
}

TEST_F(Figure2, OnlyEdgesBetweenNormalVerticesCrossPartitions) {
  const Ownership& own = separated_.place.own;
  std::array<int, distributed::kEdgeClasses> count{};
  for_each_entry(*graph_, [&](vertex_t u, vertex_t v) {
    const Placed entry = separated_.place(u, v);
    ++count[static_cast<std::size_t>(entry.subgraph)];
    // A delegate is on every partition; a normal end must be at its owner, except where nn edges
    // end.
    if (entry.subgraph == EdgeClass::nn || entry.subgraph == EdgeClass::nd) {
      EXPECT_EQ(entry.keeper, own.owner(u)) << u << "->" << v;
    } else if (entry.subgraph == EdgeClass::dn) {
      EXPECT_EQ(entry.keeper, own.owner(v)) << u << "->" << v;
    }
  });
  EXPECT_EQ(count, (std::array<int, 4>{8, 11, 11, 2}));
}

TEST_F(Figure2, TheEdgeBetweenTheDelegatesGoesToTheOneOfSmallerDegree) {
  ASSERT_EQ(degrees_[7], 7U);
  ASSERT_EQ(degrees_[8], 6U);
  EXPECT_EQ(separated_.place(7, 8).keeper, 8U % 3);
  EXPECT_EQ(separated_.place(8, 7).keeper, 8U % 3);
}

TEST(EdgeDistributor, TiesGoToTheSmallerId) {
  std::vector<std::uint64_t> degrees(14);
  degrees[6] = degrees[13] = 9;
  const Separated separated(degrees, 8, 5);
  EXPECT_EQ(separated.place(13, 6).keeper, 6U);
  EXPECT_EQ(separated.place(6, 13).keeper, 6U);
}

TEST(EdgeDistributor, MoreThanTheThresholdIsADelegate) {
  const Separated separated({5, 6, 5, 6}, 1, 5);
  EXPECT_EQ(separated.place(0, 2).subgraph, EdgeClass::nn);
  EXPECT_EQ(separated.place(0, 1).subgraph, EdgeClass::nd);
  EXPECT_EQ(separated.place(1, 0).subgraph, EdgeClass::dn);
  EXPECT_EQ(separated.place(1, 3).subgraph, EdgeClass::dd);
}

TEST(EdgeDistributor, KnowsIdsBeyond32Bits) {
  constexpr std::uint64_t v = (std::uint64_t{1} << 36) + 12345;
  const Ownership own = Ownership::round_robin(v + 1, 124);
  EXPECT_EQ(own.owner(v), v % 124);
  EXPECT_EQ(own.global(own.owner(v), own.local(v)), v);
}

class Partitioned : public testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {
 protected:
  static const CsrGraph& graph() {
    static const CsrGraph kronecker = load_graph(GraphName::parse("kronecker:scale=13"), {});
    return kronecker;
  }
};

TEST_P(Partitioned, FollowsAlgorithm1EdgeByEdge) {
  const auto [ranks, gpus] = GetParam();
  const auto degrees = degrees_of(graph());
  for (const std::uint64_t threshold : {0U, 16U, 64U, 1U << 20}) {
    const Separated separated(degrees, ranks * gpus, threshold);
    for (vertex_t u = 0; u < graph().vertex_count(); ++u) {
      for (const vertex_t v : graph().neighbors(u)) {
        ASSERT_EQ(separated.place(u, v).keeper,
                  by_the_paper(u, v, degrees[u], degrees[v], threshold, ranks, gpus))
            << u << "->" << v << " at threshold " << threshold;
      }
    }
  }
}

TEST_P(Partitioned, SymmetricBoundedAndBalanced) {
  const auto [ranks, gpus] = GetParam();
  const auto degrees = degrees_of(graph());
  const std::uint32_t p = ranks * gpus;
  const Separated separated(degrees, p, 32);
  std::vector<std::multiset<std::pair<vertex_t, vertex_t>>> mixed(p);
  std::vector<std::uint64_t> load(p);
  for_each_entry(graph(), [&](vertex_t u, vertex_t v) {
    const Placed entry = separated.place(u, v);
    ASSERT_LT(entry.keeper, p);
    ++load[entry.keeper];
    if (entry.subgraph != EdgeClass::nn) mixed[entry.keeper].emplace(u, v);
  });
  std::uint64_t total = 0;
  for (std::uint32_t gpu = 0; gpu < p; ++gpu) {
    total += load[gpu];
    for (const auto& [u, v] : mixed[gpu]) {
      ASSERT_EQ(mixed[gpu].count({v, u}), 1U) << u << "->" << v << " lacks its reverse";
    }
  }
  EXPECT_EQ(total, graph().edge_count()) << "every entry has one place";
  // "Very close to each other" in the paper's graphs; here a GPU has only a few hundred vertices.
  const auto [least, most] = std::minmax_element(load.begin(), load.end());
  EXPECT_LT(static_cast<double>(*most), 1.25 * static_cast<double>(*least));
}

// "Neighbor lists of high-degree vertices are scattered": a 1D partition puts half of a star's
// entries on the GPU of its hub.
TEST_P(Partitioned, AHubsListIsSpreadOverAllGpus) {
  const auto [ranks, gpus] = GetParam();
  const CsrGraph star = load_graph(GraphName::parse("star:vertices=3001"), {});
  const auto degrees = degrees_of(star);
  const std::uint32_t p = ranks * gpus;
  const Separated separated(degrees, p, 8);
  std::vector<std::uint64_t> load(p);
  std::vector<std::uint64_t> by_source(p);
  for_each_entry(star, [&](vertex_t u, vertex_t v) {
    ++load[separated.place(u, v).keeper];
    ++by_source[separated.place.own.owner(u)];
  });
  EXPECT_GE(*std::max_element(by_source.begin(), by_source.end()), star.edge_count() / 2);
  const auto [least, most] = std::minmax_element(load.begin(), load.end());
  EXPECT_LE(*most - *least, 2U) << "one edge, both ways";
}

TEST_P(Partitioned, LocalNumbersFillEachGpu) {
  const auto [ranks, gpus] = GetParam();
  const vertex_t n = graph().vertex_count();
  const Ownership own = Ownership::round_robin(n, ranks * gpus);
  std::map<unsigned, std::set<std::uint64_t>> numbers;
  for (vertex_t v = 0; v < n; ++v) {
    EXPECT_EQ(own.global(own.owner(v), own.local(v)), v);
    EXPECT_TRUE(numbers[own.owner(v)].insert(own.local(v)).second);
  }
  for (const auto& [gpu, of_gpu] : numbers) {
    EXPECT_EQ(of_gpu.size(), own.count(gpu)) << "at most n / p, rounded up";
    EXPECT_EQ(*of_gpu.rbegin() + std::size_t{1}, of_gpu.size()) << "dense on GPU " << gpu;
  }
}

INSTANTIATE_TEST_SUITE_P(EdgeDistributor, Partitioned,
                         testing::Values(std::pair{1U, 1U}, std::pair{3U, 1U}, std::pair{1U, 4U},
                                         std::pair{4U, 2U}, std::pair{5U, 3U}));

}  // namespace
}  // namespace bfslab::tests
