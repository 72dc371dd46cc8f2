// SPDX-License-Identifier: Apache-2.0
// Which vertices an experiment starts from: the experiment's decision, not an engine's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/graph/csr_graph.hpp"
#include "harness/spec/spec.hpp"
#include "kernels/distributed/edges/eligible.hpp"

namespace bfslab {

struct SourceChoice {
  std::vector<vertex_t> sources;  // distinct, in the order drawn
  std::uint64_t eligible = 0;     // vertices that the rule allows
};

// Draws `rule.count` distinct vertices among those that the rule allows; all of them, in drawn
// order, if there are fewer. The same graph, rule and seed give the same sources everywhere.
//   any                every vertex
//   degree>=1          an out-neighbour, which a self-loop is
//   levels>=2          an out-neighbour other than itself: the traversal has a second level
//   largest-component  in the largest weakly connected component (ties: the lowest vertex's)
//   listed             the spec's own vertices; InputError for one that the graph does not have
SourceChoice choose_sources(const CsrGraph& graph, const SourceRule& rule);

// The same sources of a graph that is made in parts. The rule is not largest-component, and the
// vertices are those that eligible_rule() names.
SourceChoice choose_sources(const distributed::EligibleVertices& vertices, const SourceRule& rule);
distributed::Eligible eligible_rule(const SourceRule& rule);

// Throws InputError for a listed source that a graph of so many vertices does not have.
void require_listed(const SourceRule& rule, std::uint64_t vertices);

// "degree>=1", as the spec spells it.
const char* to_text(SourceRule::Rule rule);

// Per vertex the smallest vertex of its weakly connected component. In parallel.
std::vector<vertex_t> component_of(const CsrGraph& graph);

}  // namespace bfslab
