// SPDX-License-Identifier: Apache-2.0
// What running a spec on this machine would need, without running or fetching anything: for `check`
// and `list experiments`.
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
  std::vector<GraphState> graphs;               // of spec.graphs
  std::vector<std::string> fetch;               // a line for each file that a run would fetch
  std::vector<std::string> faults;              // a line for each graph that cannot be had
  std::vector<char> runnable;                   // of spec.configurations
  std::map<std::string, std::string> not_here;  // engines that cannot run here, with the reason
  SpecCost cost;
  unsigned ranks = 1;  // the most of a configuration
  unsigned gpus = 0;   // likewise; 0: no engine of GPUs

  [[nodiscard]] bool anything_runs() const;   // of spec.configurations
  [[nodiscard]] double memory_bytes() const;  // of the largest graph and its engines
  [[nodiscard]] double gpu_bytes() const;     // likewise, of one GPU
  [[nodiscard]] std::size_t unknown_sizes() const;
};

SpecNeeds needs_of(const Spec& spec, const Places& places);

}  // namespace bfslab
