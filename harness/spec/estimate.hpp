// What a spec would cost, from the sizes that names tell and the engines' own estimates: for
// `bfslab check`, which runs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

struct GraphCost {
  GraphFacts facts;
  bool known = false;       // whether the size is; nothing below means anything otherwise
  double graph_bytes = 0;   // CSR, and its transpose if an engine reads it; 0: never built
  double engine_bytes = 0;  // of all configurations, loaded together; of the largest when isolated
  double gpu_bytes = 0;     // likewise, of engines whose memory is a GPU's
  double seconds = 0;       // of all traversals and counts, without set-up and checking
};

struct SpecCost {
  std::vector<GraphCost> graphs;       // in the order of spec.graphs
  std::uint64_t timed_trials_min = 0;  // over all graphs; they differ under a stopping rule
  std::uint64_t timed_trials_max = 0;
  std::uint64_t instrumented_trials = 0;
  std::uint64_t counts = 0;  // of counters: one per graph and configuration
};

// `sizes`: vertices and directed entries of each of spec.graphs, 0 and 0 where unknown. Times are
// for the most repeats.
SpecCost estimate_cost(const Spec& spec, const std::vector<GraphSize>& sizes);

}  // namespace bfslab
