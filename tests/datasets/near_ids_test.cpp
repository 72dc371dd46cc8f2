// SPDX-License-Identifier: Apache-2.0
#include "datasets/graph/near_ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/datasets/naive_csr.hpp"

namespace bfslab::tests {
namespace {

// The largest distance between the ids of two neighbours.
std::uint64_t bandwidth(const CsrGraph& graph, const std::vector<vertex_t>& ids) {
  std::uint64_t widest = 0;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    for (const vertex_t u : graph.neighbors(v)) {
      widest = std::max<std::uint64_t>(widest, ids[u] > ids[v] ? ids[u] - ids[v] : ids[v] - ids[u]);
    }
  }
  return widest;
}

bool is_permutation_of_ids(std::vector<vertex_t> ids) {
  std::ranges::sort(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != i) return false;
  }
  return true;
}

TEST(NearIds, ArePermutationsOfAllGraphs) {
  for (const std::string name :
       {"path:vertices=0", "path:vertices=1", "star:vertices=40", "complete:vertices=9",
        "union:(path:vertices=5)+(star:vertices=1)+(grid:width=4,height=3)", "kronecker:scale=10",
        "kronecker:scale=8,symmetrize=false", "path:vertices=300,symmetrize=false",
        "grid:width=40,height=30,removed=0.3,relabel=shuffle"}) {
    const CsrGraph graph = load(name);
    const std::vector<vertex_t> ids = reverse_cuthill_mckee(graph);
    EXPECT_EQ(ids.size(), graph.vertex_count()) << name;
    EXPECT_TRUE(is_permutation_of_ids(ids)) << name;
  }
}

TEST(NearIds, RunAlongAPath) {
  const CsrGraph graph = load("path:vertices=1000,relabel=shuffle");
  EXPECT_EQ(bandwidth(graph, reverse_cuthill_mckee(graph)), 1U);
}

TEST(NearIds, MakeNarrowBandsOfMeshes) {
  const CsrGraph graph = load("grid:width=100,height=20,relabel=shuffle");
  // A level of a search from a corner has at most 20 vertices.
  EXPECT_LE(bandwidth(graph, reverse_cuthill_mckee(graph)), 40U);
  std::vector<vertex_t> given(graph.vertex_count());
  std::iota(given.begin(), given.end(), vertex_t{0});
  EXPECT_GT(bandwidth(graph, given), 1000U);
}

TEST(NearIds, KeepComponentsTogether) {
  const CsrGraph graph = load("union:(path:vertices=50)+(path:vertices=70)+(star:vertices=30)");
  const std::vector<vertex_t> ids = reverse_cuthill_mckee(graph);
  for (const auto& [from, count] : {std::pair{0, 50}, std::pair{50, 70}, std::pair{120, 30}}) {
    const auto [least, most] = std::minmax_element(ids.begin() + from, ids.begin() + from + count);
    EXPECT_EQ(*most - *least + 1, static_cast<vertex_t>(count));
  }
}

TEST(NearIds, LookAlongBothDirectionsWhereTheTransposeIsThere) {
  CsrGraph graph = load("path:vertices=200,symmetrize=false,relabel=shuffle");
  graph.set_transpose(build_transpose(graph));
  EXPECT_EQ(bandwidth(graph, reverse_cuthill_mckee(graph)), 1U);
}

}  // namespace
}  // namespace bfslab::tests
