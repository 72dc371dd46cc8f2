// SPDX-License-Identifier: Apache-2.0
// Estimates the cost of a spec from the sizes of its graphs and the engines' own estimates, for
// `bfslab check` and `bfslab list experiments`, which run nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// The facts of a graph that are known before it is read.
struct GraphState {
  GraphSize size;            // vertices and directed entries, an upper bound; 0 and 0: unknown
  bool published = false;    // the size is the catalogue's: the file is not here yet
  bool built = false;        // in the cache
  std::uint64_t levels = 0;  // of a search, roughly; 0: few, or unknown
  bool can_be_made = true;   // only counters that need no graph run otherwise
};

// Wall time on this machine if no one else uses it, for the minimum and maximum of repeats.
struct Seconds {
  double least = 0;
  double most = 0;
  friend bool operator==(const Seconds&, const Seconds&) = default;
};

struct GraphCost {
  GraphFacts facts;
  bool known = false;       // the size is known; otherwise the values below mean nothing
  double graph_bytes = 0;   // CSR, and its transpose if an engine reads it; 0: never built
  double engine_bytes = 0;  // all configurations, loaded together; the largest one when isolated
  double gpu_bytes = 0;     // likewise, for engines whose memory is a GPU's
  Seconds seconds;          // generating or reading, building, traversing, checking, recording
};

struct SpecCost {
  std::vector<GraphCost> graphs;       // in the order of spec.graphs
  std::uint64_t timed_trials_min = 0;  // over all graphs; they differ under a stopping rule
  std::uint64_t timed_trials_max = 0;
  std::uint64_t instrumented_trials = 0;
  std::uint64_t energy_trials = 0;
  std::uint64_t counts = 0;  // trials of counters: one per graph and configuration
  Seconds seconds;           // for all graphs of known size
};

// Estimates a spec. `graphs`: the facts of each of spec.graphs. `runnable`: for each configuration,
// whether it costs anything; empty: all do. Downloads, and trials that are repeated because other
// programs disturbed them, are left out.
SpecCost estimate_cost(const Spec& spec, const std::vector<GraphState>& graphs,
                       const std::vector<char>& runnable = {});

}  // namespace bfslab
