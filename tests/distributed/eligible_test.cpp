// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/edges/eligible.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "datasets/load_graph.hpp"
#include "tests/distributed/members.hpp"

namespace bfslab::distributed {
namespace {

std::vector<global_vertex_t> eligible_in(const CsrGraph& graph, Eligible rule) {
  std::vector<global_vertex_t> out;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    const auto neighbors = graph.neighbors(v);
    const auto other = std::ranges::count_if(neighbors, [v](vertex_t u) { return u != v; });
    if (rule == Eligible::any || (rule == Eligible::degree && !neighbors.empty()) || other > 0) {
      out.push_back(v);
    }
  }
  return out;
}

TEST(EligibleVertices, AreThoseOfTheWholeGraph) {
  for (const char* text :
       {"kronecker:scale=9,edge_factor=1", "uniform:vertices=301,edge_factor=1",
        "uniform:vertices=130,edge_factor=1,symmetrize=false,self_loops=keep", "path:vertices=1",
        "uniform:vertices=70,edge_factor=1,symmetrize=false", "star:vertices=64"}) {
    SCOPED_TRACE(text);
    const GraphName name = GraphName::parse(text);
    const CsrGraph graph = load_graph(name, {});
    for (const Eligible rule : {Eligible::any, Eligible::degree, Eligible::two_levels}) {
      const auto expected = eligible_in(graph, rule);
      for (const unsigned threads : tests::gpus_to_try()) {
        const EligibleVertices found(tests::processes(), threads,
                                     {nullptr, name.canonical, nullptr}, rule);
        EXPECT_EQ(found.vertices(), graph.vertex_count());
        EXPECT_EQ(found.tuples(), graph.input_edge_count());
        ASSERT_EQ(found.count(), expected.size());
        // In descending order, so that the positions' own order is seen to be kept.
        std::vector<std::uint64_t> positions(expected.size());
        std::iota(positions.rbegin(), positions.rend(), std::uint64_t{0});
        std::vector<global_vertex_t> vertices = found.at(positions);
        std::ranges::reverse(vertices);
        EXPECT_EQ(vertices, expected);
      }
    }
  }
}

TEST(EligibleVertices, OfACsrOnOneProcess) {
  const CsrGraph graph = load_graph(GraphName::parse("kronecker:scale=8,edge_factor=1"), {});
  const GraphSource source{tests::processes().rank() == 0 ? &graph : nullptr, "", nullptr};
  const EligibleVertices found(tests::processes(), 2, source, Eligible::degree);
  EXPECT_EQ(found.count(), eligible_in(graph, Eligible::degree).size());
}

}  // namespace
}  // namespace bfslab::distributed
