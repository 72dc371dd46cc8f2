// SPDX-License-Identifier: Apache-2.0
// The rules by which an answer is judged, in the order in which both checks try them, and the
// sentences by which both report a broken one: the five rules of Graph500's validation
// (graph500-romeo, section 3.3.2), split up, and those on which they rest.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "datasets/graph/types.hpp"

namespace bfslab {

class CsrGraph;

// Each rule relies on the ones before it.
enum class Rule : std::uint32_t {
  source_is_root,         // level 0, its own parent
  levels_in_range,        // below the number of vertices, and 0 for the source only
  parents_in_range,       // vertices of the graph
  halves_agree,           // a vertex has a level if and only if it has a parent
  parents_form_a_tree,    // parents alone: following them from any vertex ends at the source
  levels_within_limit,    // of a search that ends at a level
  parents_are_neighbors,  // joined to their children by an edge
  parents_one_level_up,   // given levels only: those of a tree satisfy it by construction
  edges_span_one_level,  // no edge leads more than one level down, or out of the reached part: on a
                         // symmetric graph the levels of an edge's ends thus differ by at most
                         // one, and a component is spanned or untouched. Edges of the level at
                         // which a search ends are not asked
  levels_are_supported,  // every reached vertex but the source has an in-neighbour one level up; a
                         // tree implies it
};

// An answer in host memory. For parents alone, `levels` are those that the tree implies.
struct JudgedAnswer {
  vertex_t source = 0;
  std::span<const level_t> levels;    // [n]
  std::span<const vertex_t> parents;  // [n], or empty: not requested
  level_t depth_limit = kUnreached;   // the level at which the search ends, if any
};

// A broken rule and the values that break it: the smallest vertex that does (for edges, their
// tail).
struct Violation {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t rule = kNone;  // a Rule; kNone: none is broken
  std::uint64_t vertex = kNone;
  std::uint64_t other = kNone;  // its parent, or the head of its edge; kNone: no parent
  std::uint64_t level = kUnreached;
  std::uint64_t other_level = kUnreached;
};

// Describes a broken rule in one line, for a search from `source` in a graph of `n` vertices.
std::string sentence(const Violation& broken, std::uint64_t source, std::uint64_t n);
// The same, with the values looked up. `v` is the smallest vertex that
// breaks it (for edges: their tail), and no rule before it is broken. Throws std::logic_error if v
// does not break it.
std::string sentence(Rule rule, vertex_t v, const CsrGraph& graph, const JudgedAnswer& answer);

}  // namespace bfslab
