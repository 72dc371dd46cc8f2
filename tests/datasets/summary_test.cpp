// SPDX-License-Identifier: Apache-2.0
#include "datasets/summary/summary.hpp"

#include <gtest/gtest.h>

#include "datasets/summary/degrees.hpp"
#include "datasets/summary/sweep.hpp"
#include "tests/datasets/naive_csr.hpp"

namespace bfslab::tests {
namespace {

TEST(Degrees, AreCountedSmallAndLarge) {
  // The hub's 40000 neighbours are beyond what is counted in an array.
  const CsrGraph graph = load("union:(star:vertices=40001)+(star:vertices=1)+(path:vertices=3)");
  const DegreeCounts expected = {{0, 1}, {1, 40002}, {2, 1}, {40000, 1}};
  for (const int threads : {1, 2, 8}) EXPECT_EQ(count_degrees(graph, threads), expected);
  EXPECT_TRUE(count_degrees(load("path:vertices=0")).empty());
}

TEST(Degrees, QuantilesAreTheSmallestDegreeOfThatShare) {
  const DegreeCounts counts = {{0, 10}, {3, 80}, {7, 9}, {100, 1}};
  EXPECT_EQ(degree_quantile(counts, 10), 0U);
  EXPECT_EQ(degree_quantile(counts, 11), 3U);
  EXPECT_EQ(degree_quantile(counts, 90), 3U);
  EXPECT_EQ(degree_quantile(counts, 99), 7U);
  EXPECT_EQ(degree_quantile(counts, 100), 100U);
  EXPECT_EQ(degree_quantile({}, 50), 0U);
}

TEST(Degrees, BinsDoubleAndLeaveNoGap) {
  const auto bins = bin_degrees({{0, 5}, {1, 4}, {3, 2}, {8, 6}, {15, 1}});
  ASSERT_EQ(bins.size(), 5U);
  const std::vector<std::array<std::uint64_t, 3>> expected = {
      {0, 0, 5}, {1, 1, 4}, {2, 3, 2}, {4, 7, 0}, {8, 15, 7}};
  for (std::size_t b = 0; b < bins.size(); ++b) {
    EXPECT_EQ(bins[b].low, expected[b][0]);
    EXPECT_EQ(bins[b].high, expected[b][1]);
    EXPECT_EQ(bins[b].vertices, expected[b][2]);
  }
  EXPECT_TRUE(bin_degrees({}).empty());
}

// The obvious search.
Sweep slow_sweep(const CsrGraph& graph, vertex_t source) {
  std::vector<level_t> levels(graph.vertex_count(), kUnreached);
  std::vector<vertex_t> queue = {source};
  levels[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const vertex_t v : graph.neighbors(queue[head])) {
      if (levels[v] != kUnreached) continue;
      levels[v] = levels[queue[head]] + 1;
      queue.push_back(v);
    }
  }
  Sweep result{source, levels[queue.back()], queue.size()};
  for (vertex_t v = graph.vertex_count(); v-- > 0;) {
    if (levels[v] == result.depth) result.last = v;
  }
  return result;
}

TEST(Sweep, FindsDepthAndLastVertexAtAnyThreadCount) {
  for (const std::string text :
       {"kronecker:scale=12", "kronecker:scale=11,symmetrize=false", "path:vertices=300",
        "grid:width=80,height=70,removed=0.4", "star:vertices=5000", "complete:vertices=400",
        "hub_and_chain:spokes=3000,length=50", "path:vertices=1"}) {
    const CsrGraph graph = load(text);
    for (const vertex_t source : {vertex_t{0}, graph.vertex_count() / 2}) {
      const Sweep expected = slow_sweep(graph, source);
      for (const int threads : {1, 2, 8}) {
        const Sweep found = sweep(graph, source, threads);
        EXPECT_EQ(found.depth, expected.depth) << text << " from " << source;
        EXPECT_EQ(found.last, expected.last) << text << " from " << source;
        EXPECT_EQ(found.reached, expected.reached) << text << " from " << source;
      }
    }
  }
}

TEST(Summary, BoundsTheDiameterOfTheLargestComponent) {
  // The hub of the smaller component is the vertex of largest degree.
  const GraphSummary parts = summarize(load("union:(star:vertices=50)+(path:vertices=70)"), 2);
  EXPECT_EQ(parts.components, 2U);
  EXPECT_EQ(parts.largest_component_vertices, 70U);
  EXPECT_EQ(parts.diameter_at_least, 69U);
  EXPECT_GE(parts.diameter_at_most, 69U);
  const GraphSummary grid = summarize(load("grid:width=13,height=7"), 2);
  EXPECT_EQ(grid.diameter_at_least, 18U);
  EXPECT_LE(grid.diameter_at_least, grid.diameter_at_most);
  const GraphSummary directed = summarize(load("path:vertices=9,symmetrize=false"), 2);
  EXPECT_EQ(directed.diameter_at_least, 8U);
  EXPECT_EQ(directed.diameter_at_most, kUnreached);
}

TEST(Summary, ComponentsAreThoseOfTheObviousWay) {
  for (const std::string text : {"grid:width=60,height=60,removed=0.5", "kronecker:scale=10",
                                 "uniform:vertices=3000,edge_factor=1,symmetrize=false",
                                 "union:900*(path:vertices=3)+(complete:vertices=200)"}) {
    const CsrGraph graph = load(text);
    const vertex_t n = graph.vertex_count();
    std::vector<vertex_t> label(n);
    for (vertex_t v = 0; v < n; ++v) label[v] = v;
    for (bool changed = true; changed;) {
      changed = false;
      for (vertex_t u = 0; u < n; ++u) {
        for (const vertex_t v : graph.neighbors(u)) {
          const vertex_t low = std::min(label[u], label[v]);
          changed |= label[u] != low || label[v] != low;
          label[u] = label[v] = low;
        }
      }
    }
    std::vector<std::uint64_t> sizes(n);
    for (const vertex_t l : label) ++sizes[l];
    const auto empty = static_cast<std::uint64_t>(std::ranges::count(sizes, 0U));
    for (const int threads : {1, 2, 8}) {
      const GraphSummary summary = summarize(graph, threads);
      EXPECT_EQ(summary.components, n - empty) << text;
      EXPECT_EQ(summary.largest_component_vertices, std::ranges::max(sizes)) << text;
    }
  }
}

TEST(Summary, DegreesAloneLeaveTheRestOut) {
  const GraphSummary summary = summarize(load("uniform:vertices=50,edge_factor=1,symmetrize=false"),
                                         2, SummaryPart::degrees);
  EXPECT_EQ(summary.components, 0U);
  EXPECT_GT(summary.isolated_vertices, 0U);
  EXPECT_EQ(summary.maximum_degree, summary.degrees.back().first);
}

}  // namespace
}  // namespace bfslab::tests
