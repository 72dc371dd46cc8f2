// SPDX-License-Identifier: Apache-2.0
// The sources of an experiment: the vertices that it starts from. No engine chooses them.
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
//   degree>=1          an out-neighbour; a self-loop counts
//   levels>=2          an out-neighbour other than itself: the traversal has a second level
//   largest-component  in the largest weakly connected component (ties: the lowest vertex's)
//   listed             the spec's own vertices; InputError for one that the graph does not have
//   ids                the vertices of the spec's ids; InputError for an id that the graph does not
//                      have, or has twice
SourceChoice choose_sources(const CsrGraph& graph, const SourceRule& rule);

// Draws the same sources from a graph that is made in parts. The rule is neither largest-component
// nor ids, and the vertices are those of eligible_rule().
SourceChoice choose_sources(const distributed::EligibleVertices& vertices, const SourceRule& rule);
distributed::Eligible eligible_rule(const SourceRule& rule);

// Throws InputError for a listed source that a graph of `vertices` vertices does not have.
void require_listed(const SourceRule& rule, std::uint64_t vertices);

// Returns the rule as a spec spells it: "degree>=1".
const char* to_text(SourceRule::Rule rule);

// Returns, per vertex, the smallest vertex of its weakly connected component. Runs in parallel.
std::vector<vertex_t> component_of(const CsrGraph& graph);

}  // namespace bfslab
