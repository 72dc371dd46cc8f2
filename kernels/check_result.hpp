// SPDX-License-Identifier: Apache-2.0
// The result of a check of an answer, by the host (harness/check) or the device
// (kernels/cuda/check).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace bfslab {

struct CheckResult {
  bool ok = true;
  std::string reason;  // the first broken rule, with vertices and values; empty if ok
  // Counted during the check, valid if ok.
  std::uint64_t levels = 0;  // number of non-empty levels (1 for a source alone)
  std::uint64_t reached_vertices = 0;
  std::uint64_t component_edges = 0;        // directed entries leaving reached vertices; halved
                                            // when the graph is symmetric
  std::uint64_t component_input_edges = 0;  // input tuples leaving reached vertices
  std::uint64_t level_sum = 0;              // of reached vertices
};

inline CheckResult refused(std::string reason) {
  CheckResult result;
  result.ok = false;
  result.reason = std::move(reason);
  return result;
}

}  // namespace bfslab
