// SPDX-License-Identifier: Apache-2.0
// The rule that turns the visits of a subgraph backward, which is bottom-up, and forward again
// (scalable-bfs, section IV-B). Plain arithmetic, which kernels do, too.
//
// Forward visits read the rows of the frontier: FV edges. Backward visits let unvisited vertices
// look for a parent in the frontier, and are expected to read BV = |U| * (q + s) / q entries. With
// q = 10 frontier sources of dd, s = 90 unvisited ones and |U| = 90, BV is 900: at a factor of 0.5
// dd turns backward where FV exceeds 450.
#pragma once

#include <cstdint>

#include "kernels/distributed/partition/edge_distributor.hpp"

namespace bfslab::distributed::delegate {

// The workload of a subgraph when its direction is chosen.
struct Workload {
  std::uint64_t frontier = 0;   // q: the level's sources of the subgraph's edges
  std::uint64_t forward = 0;    // FV: their edges in it
  std::uint64_t unvisited = 0;  // s: unvisited sources of the subgraph
  std::uint64_t backward = 0;   // |U|: unvisited sources of the reversed subgraph
};

// Returns the subgraphs that are visited: those with edges from the frontier.
constexpr PerEdgeClass<bool> active_among(const PerEdgeClass<Workload>& work) {
  PerEdgeClass<bool> active;
  for (std::size_t i = 0; i < kEdgeClasses; ++i) active.each[i] = work.each[i].frontier > 0;
  return active;
}

// Per subgraph: true if it is visited backward. nn never is.
using Backward = PerEdgeClass<bool>;

// The steps that a pre-visit does for each subgraph.
struct Wanted {
  PerEdgeClass<bool> edges;    // sum up the workload forward
  PerEdgeClass<bool> forward;  // queue its sources, for it may be visited forward
};

struct DirectionRule {
  bool optimized = true;  // DO
  // A subgraph turns backward where FV > to_backward * BV, and forward where FV < to_forward * BV.
  PerEdgeClass<double> to_backward;
  PerEdgeClass<double> to_forward;

  // Returns true if nd, dn or dd, which was visited `backward` last, is visited backward now. A
  // level without sources of it changes nothing.
  [[nodiscard]] constexpr bool turns(EdgeClass subgraph, bool backward, const Workload& at) const {
    if (!optimized || at.frontier == 0) return backward;
    const auto q = static_cast<double>(at.frontier);
    const double bound =
        static_cast<double>(at.backward) * (q + static_cast<double>(at.unvisited)) / q;
    const auto forward = static_cast<double>(at.forward);
    return backward ? forward >= to_forward[subgraph] * bound
                    : forward > to_backward[subgraph] * bound;
  }
  // Chooses the directions of a level, where `backward` has those of the level before.
  constexpr void choose(Backward& backward, const PerEdgeClass<Workload>& work) const {
    for (const EdgeClass subgraph : {EdgeClass::nd, EdgeClass::dn, EdgeClass::dd}) {
      backward[subgraph] = turns(subgraph, backward[subgraph], work[subgraph]);
    }
  }
  // Returns what is wanted of a level whose directions are not chosen yet, after one with those of
  // `last`. A subgraph that has turned backward for good needs nothing.
  [[nodiscard]] constexpr Wanted wanted(const Backward& last) const {
    Wanted wanted;
    wanted.forward[EdgeClass::nn] = true;
    for (const EdgeClass subgraph : {EdgeClass::nd, EdgeClass::dn, EdgeClass::dd}) {
      const bool for_good = optimized && last[subgraph] && to_forward[subgraph] == 0;
      wanted.edges[subgraph] = optimized && !for_good;
      wanted.forward[subgraph] = !for_good;
    }
    return wanted;
  }
};

}  // namespace bfslab::distributed::delegate
