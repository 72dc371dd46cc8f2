// SPDX-License-Identifier: Apache-2.0
// The filter of Gunrock's idempotent advance (Wang et al., TOPC 2017, section 5.2: inexact filter).
// An advance that claims nothing leaves one candidate per edge to a vertex that looked open, so
// that a vertex may occur many times. The filter culls in order of cost
//   a look at a bitmap of all vertices, without an atomic,
//   duplicates among the 32 candidates of a warp,
//   a history of what the block saw lately, in shared memory,
// and compacts the rest into the queue.
//
// Deviation: Gunrock sets the bitmap by plain writes and lets some duplicates through, which cost
// time but never an answer. Here the last step sets the bit by an atomic and drops the entry if the
// bit was set. Each vertex therefore enters once. The bounds of the queue (n entries) and of the
// candidates (one per edge) rely on this.
//
// Cost: 4 bytes and one random bit per candidate; a random atomic, a share of a queue's atomic and
// 4 bytes of queue per candidate that passes the culls, which are few more than the vertices found.
// The bitmap takes n / 8 bytes, candidates 4 per edge. Wins over claims where many edges lead to
// one vertex and their atomics collide; loses to a claim-free scan where frontiers are large.
#pragma once

#include <cuda/atomic>

#include "kernels/cuda/frontier/candidates.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

// Only atomics touch the shared memory. An entry is dropped only if the same vertex has passed
// before it, so it does not matter what the history forgets.
class FilterHistory {
 public:
  static constexpr unsigned kSlots = 512;

  // Called by all threads of the block. `slots`: [kSlots] of shared memory.
  __device__ explicit FilterHistory(vertex_t* slots) : slots_(slots) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kSlots; i += blockDim.x) slots_[i] = kNoVertex;
    __syncthreads();
  }

  __device__ bool saw(vertex_t v) const { return atomicExch(&slots_[v % kSlots], v) == v; }

 private:
  vertex_t* slots_;
};

class FilterBits {
 public:
  __device__ explicit FilterBits(std::uint32_t* words) : words_(words) {}

  // Bits are only ever set; a missing one may be set by another thread at this moment.
  __device__ bool has(vertex_t v) const {
    return (word_of(v).load(::cuda::memory_order_relaxed) & bit_of(v)) != 0;
  }
  // Returns true to exactly one of all threads that name v.
  __device__ bool take(vertex_t v) const {
    return (word_of(v).fetch_or(bit_of(v), ::cuda::memory_order_relaxed) & bit_of(v)) == 0;
  }

 private:
  using Word = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;
  __device__ Word word_of(vertex_t v) const { return Word(words_[v / 32]); }
  __device__ static std::uint32_t bit_of(vertex_t v) { return 1U << v % 32; }

  std::uint32_t* words_;
};

// Makes the level's queue from its candidates, each once. Called by all threads of the grid, after
// a barrier that completes the candidates; another barrier completes the queue. The bitmap holds
// the vertices that earlier filters of the traversal queued and may hold any other visited one.
__device__ inline void filter_candidates(const Traversal& work, const CandidatesView& candidates,
                                         level_t level, EnqueueBy by) {
  __shared__ vertex_t recent[FilterHistory::kSlots];
  const FilterHistory history(recent);
  const FilterBits bits(candidates.queued);
  LevelSlot* const slot = work.slot(level);
  const std::uint32_t count = slot->candidates;
  // 64-bit steps: candidates may be as many as 32 bits can count.
  for (std::size_t first = thread_in_grid() - lane_id(); first < count;
       first += threads_in_grid()) {
    const std::size_t i = first + lane_id();
    vertex_t v = i < count ? candidates.entries[i] : kNoVertex;
    if (v != kNoVertex && bits.has(v)) v = kNoVertex;
    const unsigned same = __match_any_sync(kAllLanes, v);
    if (v == kNoVertex || (same & lanes_below()) != 0 || history.saw(v)) continue;
    stress_pause();
    if (bits.take(v)) enqueue(work.outgoing, work.queue_of(level), slot->queued, v, by);
  }
}

}  // namespace bfslab::cuda
