// SPDX-License-Identifier: Apache-2.0
// Finds the needs of a spec on this machine without running or fetching anything, for `check` and
// `list experiments`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "datasets/fetch/fetch.hpp"
#include "harness/spec/estimate.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

struct Places {
  std::string cache;
  std::vector<std::string> folders;  // data folders
  FetchOptions fetch;
};

struct SpecNeeds {
  std::vector<GraphState> graphs;               // for each of spec.graphs
  std::vector<std::string> fetch;               // a line for each file that a run would fetch
  std::vector<std::string> faults;              // a line for each graph that is unavailable
  std::vector<char> runnable;                   // for each of spec.configurations
  std::map<std::string, std::string> not_here;  // engines that cannot run here, with the reason
  // Graphs that some configuration needs and that cannot be made, with the reason.
  std::map<std::string, std::string> not_made;
  SpecCost cost;
  unsigned ranks = 1;  // maximum of the configurations
  unsigned gpus = 0;   // likewise; 0: no engine uses GPUs

  [[nodiscard]] bool anything_runs() const;   // some configuration can run here
  [[nodiscard]] double memory_bytes() const;  // for the largest graph and its engines
  [[nodiscard]] double gpu_bytes() const;     // likewise, on one GPU
  [[nodiscard]] std::size_t unknown_sizes() const;
};

SpecNeeds needs_of(const Spec& spec, const Places& places);

}  // namespace bfslab
