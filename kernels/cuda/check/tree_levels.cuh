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
//
// The kernels' tree has on the device: vertices, source, parent(v), set_level(v, level),
// and broken(rule, v), which reports a broken rule.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/cuda/check/judged.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kTreeRounds = 32;

struct Ancestor {
  vertex_t vertex;
  level_t steps;  // wraps in cycles, where it is never used
};

__device__ inline std::uint64_t packed(Ancestor a) {
  return std::uint64_t{a.vertex} << 32 | a.steps;
}
__device__ inline Ancestor unpacked(std::uint64_t word) {
  return {static_cast<vertex_t>(word >> 32), static_cast<level_t>(word)};
}

// A parent out of range ends the climb as a missing one does; it is reported here.
template <typename Tree>
__global__ void name_parents(const __grid_constant__ Tree tree, std::uint64_t* ancestors) {
  for (std::uint64_t i = grid_thread(); i < tree.vertices; i += grid_threads()) {
    const auto v = static_cast<vertex_t>(i);
    const vertex_t parent = tree.parent(v);
    if (v == tree.source && parent != v) tree.broken(Rule::source_is_root, v);
    if (parent >= tree.vertices && parent != kNoVertex) tree.broken(Rule::parents_in_range, v);
    const bool end = v == tree.source || parent >= tree.vertices;
    ancestors[v] = packed({end ? v : parent, end ? 0U : 1U});
  }
}

// `changed_before`: whether the round before changed anything; null in the first one.
template <typename Tree>
__global__ void jump(const __grid_constant__ Tree tree, std::uint64_t* ancestors,
                     const std::uint32_t* changed_before, std::uint32_t* changed) {
  if (changed_before != nullptr && *changed_before == 0) return;
  bool any = false;
  for (std::uint64_t i = grid_thread(); i < tree.vertices; i += grid_threads()) {
    const Ancestor ancestor = unpacked(load_fresh(ancestors[i]));
    if (ancestor.vertex == tree.source || ancestor.vertex == i) continue;
    const Ancestor above = unpacked(load_fresh(ancestors[ancestor.vertex]));
    if (above.vertex == ancestor.vertex) continue;  // an end
    store_fresh(ancestors[i], packed({above.vertex, ancestor.steps + above.steps}));
    any = true;
  }
  if (any) store_fresh(*changed, 1U);
}

template <typename Tree>
__global__ void write_levels(const __grid_constant__ Tree tree, const std::uint64_t* ancestors) {
  for (std::uint64_t i = grid_thread(); i < tree.vertices; i += grid_threads()) {
    const auto v = static_cast<vertex_t>(i);
    const Ancestor top = unpacked(ancestors[v]);
    const bool found = top.vertex == tree.source;
    tree.set_level(v, found ? top.steps : kUnreached);
    if (!found && tree.parent(v) != kNoVertex) tree.broken(Rule::parents_form_a_tree, v);
  }
}

// `ancestors`: [vertices], and `changed`: [kTreeRounds], are scratch.
template <typename Tree>
void derive_levels_of(const Tree& tree, std::uint64_t* ancestors, std::uint32_t* changed,
                      const Stream& stream) {
  const unsigned blocks = blocks_for(tree.vertices);
  BFSLAB_CUDA(cudaMemsetAsync(changed, 0, kTreeRounds * sizeof(*changed), stream.get()));
  BFSLAB_LAUNCH(name_parents, blocks, stream, tree, ancestors);
  // The deepest tree has n - 1 steps, and 2^rounds > n - 1.
  const auto rounds = static_cast<unsigned>(std::bit_width(std::uint64_t{tree.vertices} - 1));
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint32_t* const before = round == 0 ? nullptr : changed + round - 1;
    BFSLAB_LAUNCH(jump, blocks, stream, tree, ancestors, before, changed + round);
  }
  BFSLAB_LAUNCH(write_levels, blocks, stream, tree, ancestors);
}

}  // namespace bfslab::cuda
