// SPDX-License-Identifier: Apache-2.0
// Finds the levels that a tree implies, by pointer jumping: every vertex stores an ancestor and its
// distance in steps, and in each round doubles this distance. Depth d takes ceil(log2 d) rounds, so
// that a path of a million vertices takes 20.
//
// Ancestor and steps share a 64-bit word, which is read and written whole. Each word is valid
// whenever it was written, so a round may read words of its own round; it needs no second array,
// and only gets faster. The source and vertices without parents are the ends. A vertex whose
// parents lead to a cycle or to no parent never names the source, as the last round reports.
//
// Cost per round, with n vertices of which r reached ones have not yet named the source: 8n bytes
// streamed, r gathers of 8 bytes and 8r bytes written; after a round without changes, nothing.
#include <bit>

#include "kernels/cuda/check/judged.cuh"

namespace bfslab::cuda {

namespace {

struct Ancestor {
  vertex_t vertex;
  level_t steps;  // wraps in cycles, where it is never used
};

__device__ std::uint64_t packed(Ancestor a) { return std::uint64_t{a.vertex} << 32 | a.steps; }
__device__ Ancestor unpacked(std::uint64_t word) {
  return {static_cast<vertex_t>(word >> 32), static_cast<level_t>(word)};
}

// A parent out of range ends the climb as a missing one does, and is reported here.
__global__ void name_parents(const vertex_t* parents, vertex_t n, vertex_t source,
                             std::uint64_t* ancestors, CheckReport* report) {
  for (std::uint64_t i = first_index(); i < n; i += index_stride()) {
    const auto v = static_cast<vertex_t>(i);
    const vertex_t parent = parents[v];
    if (v == source && parent != v) report_broken(report, broken_key(Rule::source_is_root, v));
    if (parent >= n && parent != kNoVertex) {
      report_broken(report, broken_key(Rule::parents_in_range, v));
    }
    const bool end = v == source || parent >= n;
    ancestors[v] = packed({end ? v : parent, end ? 0U : 1U});
  }
}

// `changed_before`: whether the round before changed anything; null in the first one.
__global__ void jump(std::uint64_t* ancestors, vertex_t n, vertex_t source,
                     const std::uint32_t* changed_before, std::uint32_t* changed) {
  if (changed_before != nullptr && *changed_before == 0) return;
  bool any = false;
  for (std::uint64_t i = first_index(); i < n; i += index_stride()) {
    const Ancestor mine = unpacked(load_fresh(ancestors[i]));
    if (mine.vertex == source || mine.vertex == i) continue;
    const Ancestor above = unpacked(load_fresh(ancestors[mine.vertex]));
    if (above.vertex == mine.vertex) continue;  // an end
    store_fresh(ancestors[i], packed({above.vertex, mine.steps + above.steps}));
    any = true;
  }
  if (any) store_fresh(*changed, 1U);
}

__global__ void write_levels(const vertex_t* parents, vertex_t n, vertex_t source,
                             const std::uint64_t* ancestors, level_t* levels, CheckReport* report) {
  for (std::uint64_t i = first_index(); i < n; i += index_stride()) {
    const auto v = static_cast<vertex_t>(i);
    const Ancestor top = unpacked(ancestors[v]);
    const bool found = top.vertex == source;
    levels[v] = found ? top.steps : kUnreached;
    if (!found && parents[v] != kNoVertex) {
      report_broken(report, broken_key(Rule::parents_form_a_tree, v));
    }
  }
}

}  // namespace

void derive_levels(const vertex_t* parents, vertex_t n, vertex_t source, std::uint64_t* ancestors,
                   std::uint32_t* changed, level_t* levels, CheckReport* report,
                   cudaStream_t stream) {
  const unsigned blocks = blocks_for(n);
  BFSLAB_CUDA(cudaMemsetAsync(changed, 0, kTreeRounds * sizeof(*changed), stream));
  name_parents<<<blocks, kBlockThreads, 0, stream>>>(parents, n, source, ancestors, report);
  BFSLAB_CUDA_LAUNCHED("name_parents");
  // The deepest tree has n - 1 steps, and 2^rounds > n - 1.
  const auto rounds = static_cast<unsigned>(std::bit_width(n - 1));
  for (unsigned round = 0; round < rounds; ++round) {
    jump<<<blocks, kBlockThreads, 0, stream>>>(
        ancestors, n, source, round == 0 ? nullptr : changed + round - 1, changed + round);
    BFSLAB_CUDA_LAUNCHED("jump");
  }
  write_levels<<<blocks, kBlockThreads, 0, stream>>>(parents, n, source, ancestors, levels, report);
  BFSLAB_CUDA_LAUNCHED("write_levels");
}

}  // namespace bfslab::cuda
