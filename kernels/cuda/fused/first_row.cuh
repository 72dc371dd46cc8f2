// SPDX-License-Identifier: Apache-2.0
// The first level of a search, by all blocks at once: each reads the root's row, of up to 1,024
// neighbours, and so knows the next frontier and its edges without being handed them by another.
// The level ends with the barrier that the reset needs anyway. Of several members, all read the row
// where it is, and each finds its own vertices among it.
//
// Example: root 7 has the row 2, 2, 7, 40. Threads 0 and 3 of each block have a new vertex. The
// block that has reset word 0 sets bit 2 and labels vertex 2; the one that has reset word 1 does
// the same for vertex 40. Block 0 queues both.
#pragma once

#include "kernels/cuda/fused/reset.cuh"

namespace bfslab::cuda {

// The root's row, in the memory of its member.
struct FusedFirstRow {
  const vertex_t* columns = nullptr;
  std::uint32_t length = ~0U;

  // Returns whether it has an entry for each thread of a block at most.
  [[nodiscard]] __device__ bool is_short() const { return length <= kFusedThreads; }
};

// A thread's entry of the root's row.
struct FusedRowEntry {
  vertex_t id = 0;
  bool is_new = false;          // not the root, nor a leaf, nor the entry before
  vertex_t number = kNoVertex;  // of one that is new and of this member
  edge_t degree = 0;            // of the same
};

// Returns the row of `root`; a long one if the first level is one like others.
template <typename Offset>
__device__ FusedFirstRow fused_first_row(const FusedWork<Offset>& work, vertex_t root) {
  if (!work.begins_at_row || root >= work.vertices) return {};
  const edge_t degree = degree_of(work.out, root);
  if (degree > kFusedThreads) return {};
  return {work.out.columns + work.out.row_offsets[root], static_cast<std::uint32_t>(degree)};
}

// Returns a thread's entry of a short row. Called by all threads of a block.
template <typename Work>
__device__ FusedRowEntry fused_first_entry(const Work& work, vertex_t root,
                                           const FusedFirstRow& row) {
  FusedRowEntry entry;
  if (threadIdx.x >= row.length) return entry;
  entry.id = fresh(row.columns + threadIdx.x);
  // Rows ascend, but for the first entry.
  const auto is_at = [&](std::uint32_t i) { return fresh(row.columns + i) == entry.id; };
  entry.is_new = entry.id != root && fused_is_searched(work, entry.id) &&
                 (threadIdx.x == 0 || !(is_at(0) || is_at(threadIdx.x - 1)));
  if (entry.is_new) entry.number = fused_own_number(work, entry.id);
  if (entry.number != kNoVertex) entry.degree = degree_of(work.out, entry.number);
  return entry;
}

// Returns whether this block has reset the word of any array of bits.
__device__ inline bool fused_has_reset(std::uint32_t word) {
  return word % threads_in_grid() / kFusedThreads == blockIdx.x;
}

// Sets the bits of the row's vertices, which are those of `level`, and queues this member's.
// Returns how many these are; `edges` gets the sum of their degrees. Called by all threads of the
// grid after the reset; a barrier must follow.
template <typename Work>
__device__ std::uint32_t fused_find_first_row(const Work& work, level_t level,
                                              const FusedRowEntry& entry, edge_t& edges) {
  __syncthreads();  // the block has reset its words
  stress_pause();
  if (entry.is_new) fused_add_first(work, level, entry.id);
  if (entry.number != kNoVertex && fused_has_reset(entry.number / 32)) {
    atomicOr(work.visited + entry.number / 32, 1U << entry.number % 32);
  }
  std::uint32_t count = 0;
  const bool is_own = entry.number != kNoVertex;
  const std::uint32_t place = exclusive_of_block(is_own ? 1U : 0U, count);
  exclusive_of_block(entry.degree, edges);
  if (blockIdx.x == 0 && is_own) work.queues[level % 2][place] = entry.number;
  return count;
}

// Labels the row's vertices. `root` by id. Called by all threads of the grid.
template <typename Work>
__device__ void fused_label_first_row(const Work& work, level_t level, vertex_t root,
                                      const FusedRowEntry& entry) {
  if (entry.number == kNoVertex || !fused_has_reset(entry.number / 32)) return;
  fused_label(work, level, root, entry.number);
}

}  // namespace bfslab::cuda
