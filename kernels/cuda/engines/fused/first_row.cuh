// SPDX-License-Identifier: Apache-2.0
// The first level of a search, by all blocks at once: each reads the root's row, of up to 1,024
// neighbours, and so knows the next frontier and its edges without being handed them by another.
// The level ends with the barrier that the reset needs anyway.
//
// Example: root 7 has the row 2, 2, 7, 40. Threads 0 and 3 of each block have a new vertex. The
// block that has reset word 0 sets bit 2 and labels vertex 2; the one that has reset word 1 does
// the same for vertex 40. Block 0 queues both.
#pragma once

#include "kernels/cuda/fused/reset.cuh"

namespace bfslab::cuda {

// A thread's entry of the root's row.
struct FusedRowEntry {
  vertex_t v = 0;
  bool is_new = false;  // not the root, nor a leaf, nor the entry before
  edge_t degree = 0;
};

// Returns whether the root's row has an entry for each thread of a block at most.
template <typename Offset>
__device__ bool fused_has_first_row(const FusedWork<Offset>& work, vertex_t root) {
  return work.begins_at_row && root < work.vertices && degree_of(work.out, root) <= kFusedThreads;
}

// Called by all threads of a block, before the reset, whose stores would be in the way.
template <typename Offset>
__device__ FusedRowEntry fused_first_entry(const FusedWork<Offset>& work, vertex_t root) {
  const Offset at = work.out.row_offsets[root] + threadIdx.x;
  FusedRowEntry entry;
  if (at >= work.out.row_offsets[root + std::size_t{1}]) return entry;
  entry.v = work.out.columns[at];
  // Rows ascend.
  entry.is_new = entry.v != root && entry.v < work.vertices &&
                 (threadIdx.x == 0 || work.out.columns[at - 1] != entry.v);
  if (entry.is_new) entry.degree = degree_of(work.out, entry.v);
  return entry;
}

// Labels and queues the row's vertices, and completes the course, which is at the root. Called by
// all threads of the grid after the reset; a barrier must follow.
template <typename Offset>
__device__ void fused_find_first_row(const FusedWork<Offset>& work, FusedRoot root,
                                     const FusedRowEntry& entry, FusedCourse& course) {
  __syncthreads();  // the block has reset its words
  stress_pause();
  const std::uint32_t word = entry.v / 32;
  if (entry.is_new && word % threads_in_grid() / kFusedThreads == blockIdx.x) {
    atomicOr(work.visited + word, 1U << entry.v % 32);
    fused_label(work, root.level + 1, root.vertex, entry.v);
  }
  std::uint32_t count = 0;
  edge_t edges = 0;
  const std::uint32_t place = exclusive_of_block(entry.is_new ? 1U : 0U, count);
  exclusive_of_block(entry.degree, edges);
  if (blockIdx.x == 0 && entry.is_new) work.queues[(root.level + 1) % 2][place] = entry.v;
  if (threadIdx.x != 0) return;
  course.at.edges = course.at.all_edges = degree_of(work.out, root.vertex);
  course.at.advance(count, edges, false);
  if (blockIdx.x != 0) return;
  LevelSlot& slot = *work.slots.at(root.level + 1);
  slot.queued[0] = count;
  slot.vertices = count;
  slot.edges = edges;
}

}  // namespace bfslab::cuda
