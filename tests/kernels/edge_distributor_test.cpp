// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of scalable-bfs: Figure 2's setting, and what section III-B says about every graph.
#include "kernels/distributed/partition/edge_distributor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "datasets/load_graph.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using distributed::delegates;
using distributed::EdgeClass;
using distributed::EdgeDistributor;
using distributed::GpuPlace;

std::vector<std::uint64_t> degrees_of(const CsrGraph& graph) {
  std::vector<std::uint64_t> degrees(graph.vertex_count());
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) degrees[v] = graph.degree(v);
  return degrees;
}

// Algorithm 1 line by line, as in the paper.
GpuPlace by_the_paper(std::uint64_t u, std::uint64_t v, std::uint64_t du, std::uint64_t dv,
                      std::uint64_t th, std::uint32_t ranks, std::uint32_t gpus) {
  const auto p = [&](std::uint64_t x) { return static_cast<std::uint32_t>(x % ranks); };
  const auto g = [&](std::uint64_t x) { return static_cast<std::uint32_t>((x / ranks) % gpus); };
  if (du <= th) return {p(u), g(u)};
  if (dv <= th) return {p(v), g(v)};
  if (du < dv) return {p(u), g(u)};
  if (du > dv) return {p(v), g(v)};
  return {p(std::min(u, v)), g(std::min(u, v))};
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
  const EdgeDistributor distributor_{3, 1, 5};
};

TEST_F(Figure2, MakesVertex7Delegate0AndVertex8Delegate1) {
  EXPECT_EQ(delegates(degrees_, distributor_), (std::vector<std::uint64_t>{7, 8}));
}

TEST_F(Figure2, NumbersTheNormalVerticesOfAPartitionDensely) {
  for (std::uint64_t v = 0; v < 12; ++v) {
    EXPECT_EQ(distributor_.owner(v).rank, v % 3);
    EXPECT_EQ(distributor_.owner(v).gpu, 0U);
    EXPECT_EQ(distributor_.local(v), v / 3);
    EXPECT_EQ(distributor_.global(distributor_.owner(v), distributor_.local(v)), v);
  }
}

TEST_F(Figure2, OnlyEdgesBetweenNormalVerticesCrossPartitions) {
  std::array<int, distributed::kEdgeClasses> count{};
  for_each_entry(*graph_, [&](vertex_t u, vertex_t v) {
    const auto edge_class = distributor_.edge_class(degrees_[u], degrees_[v]);
    ++count[static_cast<std::size_t>(edge_class)];
    const GpuPlace at = distributor_.place(u, v, degrees_[u], degrees_[v]);
    // A delegate is on every partition; a normal end must be at its owner, except where nn edges
    // end.
    if (edge_class == EdgeClass::nn || edge_class == EdgeClass::nd) {
      EXPECT_EQ(at, distributor_.owner(u)) << u << "->" << v;
    } else if (edge_class == EdgeClass::dn) {
      EXPECT_EQ(at, distributor_.owner(v)) << u << "->" << v;
    }
  });
  EXPECT_EQ(count, (std::array<int, 4>{8, 11, 11, 2}));
}

TEST_F(Figure2, TheEdgeBetweenTheDelegatesGoesToTheOneOfSmallerDegree) {
  ASSERT_EQ(degrees_[7], 7U);
  ASSERT_EQ(degrees_[8], 6U);
  EXPECT_EQ(distributor_.place(7, 8, 7, 6), distributor_.owner(8));
  EXPECT_EQ(distributor_.place(8, 7, 6, 7), distributor_.owner(8));
}

TEST(EdgeDistributor, TiesGoToTheSmallerId) {
  const EdgeDistributor distributor(4, 2, 5);
  EXPECT_EQ(distributor.place(13, 6, 9, 9), distributor.owner(6));
  EXPECT_EQ(distributor.place(6, 13, 9, 9), distributor.owner(6));
  EXPECT_EQ(distributor.owner(6), (GpuPlace{2, 1}));
}

TEST(EdgeDistributor, MoreThanTheThresholdIsADelegate) {
  const EdgeDistributor distributor(1, 1, 5);
  EXPECT_FALSE(distributor.is_delegate(5));
  EXPECT_TRUE(distributor.is_delegate(6));
  EXPECT_EQ(distributor.edge_class(5, 5), EdgeClass::nn);
  EXPECT_EQ(distributor.edge_class(5, 6), EdgeClass::nd);
  EXPECT_EQ(distributor.edge_class(6, 5), EdgeClass::dn);
  EXPECT_EQ(distributor.edge_class(6, 6), EdgeClass::dd);
}

TEST(EdgeDistributor, KnowsIdsBeyond32Bits) {
  constexpr EdgeDistributor distributor(31, 4, 64);
  constexpr std::uint64_t v = (std::uint64_t{1} << 36) + 12345;
  static_assert(distributor.global(distributor.owner(v), distributor.local(v)) == v);
  EXPECT_EQ(distributor.number(distributor.owner(v)), v % 124);
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
    const EdgeDistributor distributor(ranks, gpus, threshold);
    for (vertex_t u = 0; u < graph().vertex_count(); ++u) {
      for (const vertex_t v : graph().neighbors(u)) {
        ASSERT_EQ(distributor.place(u, v, degrees[u], degrees[v]),
                  by_the_paper(u, v, degrees[u], degrees[v], threshold, ranks, gpus))
            << u << "->" << v << " at threshold " << threshold;
      }
    }
  }
}

TEST_P(Partitioned, SymmetricBoundedAndBalanced) {
  const auto [ranks, gpus] = GetParam();
  const auto degrees = degrees_of(graph());
  const EdgeDistributor distributor(ranks, gpus, 32);
  const std::uint32_t p = distributor.gpu_count();
  std::vector<std::multiset<std::pair<vertex_t, vertex_t>>> mixed(p);
  std::vector<std::uint64_t> load(p);
  for_each_entry(graph(), [&](vertex_t u, vertex_t v) {
    const GpuPlace at = distributor.place(u, v, degrees[u], degrees[v]);
    ASSERT_LT(at.rank, distributor.gpu_count());
    const std::uint32_t gpu = distributor.number(at);
    ASSERT_LT(gpu, p);
    ++load[gpu];
    if (distributor.edge_class(degrees[u], degrees[v]) != EdgeClass::nn) mixed[gpu].emplace(u, v);
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
  const EdgeDistributor distributor(ranks, gpus, 8);
  const std::uint32_t p = distributor.gpu_count();
  std::vector<std::uint64_t> load(p);
  std::vector<std::uint64_t> by_source(p);
  for_each_entry(star, [&](vertex_t u, vertex_t v) {
    ++load[distributor.number(distributor.place(u, v, degrees[u], degrees[v]))];
    ++by_source[distributor.number(distributor.owner(u))];
  });
  EXPECT_GE(*std::max_element(by_source.begin(), by_source.end()), star.edge_count() / 2);
  const auto [least, most] = std::minmax_element(load.begin(), load.end());
  EXPECT_LE(*most - *least, 2U) << "one edge, both ways";
}

TEST_P(Partitioned, LocalNumbersFillEachGpu) {
  const auto [ranks, gpus] = GetParam();
  const EdgeDistributor distributor(ranks, gpus, 32);
  std::map<std::uint32_t, std::set<distributed::local_vertex_t>> numbers;
  const vertex_t n = graph().vertex_count();
  for (vertex_t v = 0; v < n; ++v) {
    const GpuPlace at = distributor.owner(v);
    EXPECT_EQ(distributor.global(at, distributor.local(v)), v);
    EXPECT_TRUE(numbers[distributor.number(at)].insert(distributor.local(v)).second);
  }
  for (const auto& [gpu, of_gpu] : numbers) {
    EXPECT_LE(of_gpu.size(), n / distributor.gpu_count() + 1) << "at most n / p, rounded up";
    EXPECT_EQ(*of_gpu.rbegin() + std::size_t{1}, of_gpu.size()) << "dense on GPU " << gpu;
  }
}

INSTANTIATE_TEST_SUITE_P(EdgeDistributor, Partitioned,
                         testing::Values(std::pair{1U, 1U}, std::pair{3U, 1U}, std::pair{1U, 4U},
                                         std::pair{4U, 2U}, std::pair{5U, 3U}));

}  // namespace
}  // namespace bfslab::tests
