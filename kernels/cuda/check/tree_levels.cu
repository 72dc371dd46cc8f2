// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/check/tree_levels.cuh"

namespace bfslab::cuda {

namespace {

struct JudgedTree {
  const vertex_t* parents;
  vertex_t vertices, source;
  level_t* levels;
  CheckReport* report;

  [[nodiscard]] __device__ vertex_t parent(vertex_t v) const { return parents[v]; }
  __device__ void set_level(vertex_t v, level_t level) const { levels[v] = level; }
  __device__ void broken(Rule rule, vertex_t v) const {
    report_broken(report, broken_key(rule, v));
  }
};

}  // namespace

void derive_levels(const vertex_t* parents, vertex_t n, vertex_t source, std::uint64_t* ancestors,
                   std::uint32_t* changed, level_t* levels, CheckReport* report,
                   const Stream& stream) {
  derive_levels_of(JudgedTree{parents, n, source, levels, report}, ancestors, changed, stream);
}

}  // namespace bfslab::cuda
