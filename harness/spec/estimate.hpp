// SPDX-License-Identifier: Apache-2.0
// What a spec would cost, from the sizes of its graphs and the engines' own estimates: for
// `bfslab check` and `bfslab list experiments`, which run nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// A graph as far as it is known before it is read.
struct GraphState {
  GraphSize size;            // vertices and directed entries, an upper bound; 0 and 0 where unknown
  bool published = false;    // the size is the catalogue's: the file is not here yet
  bool built = false;        // in the cache
  std::uint64_t levels = 0;  // of a search, roughly; 0: few, or unknown
};

// Wall time on this machine while nobody else uses it; for the fewest and the most repeats.
struct Seconds {
  double least = 0;
  double most = 0;
  friend bool operator==(const Seconds&, const Seconds&) = default;
};

struct GraphCost {
  GraphFacts facts;
  bool known = false;       // whether the size is; nothing below means anything otherwise
  double graph_bytes = 0;   // CSR, and its transpose if an engine reads it; 0: never built
  double engine_bytes = 0;  // of all configurations, loaded together; of the largest when isolated
  double gpu_bytes = 0;     // likewise, of engines whose memory is a GPU's
  Seconds seconds;          // generating or reading, building, traversing, checking, recording
};

struct SpecCost {
  std::vector<GraphCost> graphs;       // in the order of spec.graphs
  std::uint64_t timed_trials_min = 0;  // over all graphs; they differ under a stopping rule
  std::uint64_t timed_trials_max = 0;
  std::uint64_t instrumented_trials = 0;
  std::uint64_t counts = 0;  // of counters: one per graph and configuration
  Seconds seconds;           // of all graphs of known size
};

// `graphs`: of each of spec.graphs. `runnable`: of each configuration, whether it costs anything;
// empty: all do. Without downloads, and without trials that are repeated because other programs
// disturbed them.
SpecCost estimate_cost(const Spec& spec, const std::vector<GraphState>& graphs,
                       const std::vector<char>& runnable = {});

}  // namespace bfslab
