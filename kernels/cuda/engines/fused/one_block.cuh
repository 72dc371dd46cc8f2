// SPDX-License-Identifier: Apache-2.0
// Small levels in one block. A frontier of up to 1,024 vertices and 2,048 edges of long rows passes
// through level after level with rows and queue in shared memory.
//
// Up to four neighbours of a packed row are fetched with the claim, so that a level is one wait for
// memory and two barriers of the block; up to twelve or sixteen are fetched after it. If rows are
// not packed, and for the rest of longer rows, a row gives their place. This is one more wait, and
// these edges are shared out evenly. Levels of the grid take several of each.
#pragma once

#include "kernels/cuda/engines/fused/small_frontier.cuh"

namespace bfslab::cuda {

// Shared memory of the block: the frontier, and the next one.
template <unsigned kPacked>
struct FusedOneBlock {
  // Vertices beyond this stay in the queue, and the level is left to the grid.
  static constexpr std::uint32_t kRows = kPacked > 4 ? 512 : 2048;
  static_assert(FusedRules::small_vertices(kPacked) <= kFusedThreads);
  static_assert(FusedRules::small_vertices(kPacked) <= kRows);

  using Rows = FusedHeldRows<kPacked, kRows>;

  Rows rows[2];
  unsigned before[kRows];  // edges before each long row
  unsigned count[2];       // vertices, including those that do not fit
  unsigned long_rows[2];
  unsigned long long edges;
};

// Takes a neighbour that no thread has taken: returns true and sets `row` to its row.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ bool fused_take(const FusedWork<Offset>& work, level_t level,
                                           vertex_t from, vertex_t to, FusedRow<kPacked>& row) {
  const std::uint32_t bit = 1U << to % 32;
  if constexpr (kPacked == 0) {
    if ((fresh(work.visited + to / 32) & bit) != 0) return false;
  }
  if constexpr (!kClaimsFirst<kPacked>) row = fused_row<kPacked>(work, to);
  if ((atomicOr(work.visited + to / 32, bit) & bit) != 0) return false;
  if constexpr (kClaimsFirst<kPacked>) row = fused_row<kPacked>(work, to);
  fused_label(work, level + 1, from, to);
  return true;
}

// Puts a vertex into the frontier of turn `turn` or, if that is full, into the grid's queue.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ void fused_put(const FusedWork<Offset>& work,
                                          FusedOneBlock<kPacked>& shared, unsigned turn,
                                          level_t level, vertex_t v, const FusedRow<kPacked>& row) {
  const unsigned place = append_place(&shared.count[turn]);
  if (place >= shared.kRows) {
    work.queues[level % 2][place] = v;
    return;
  }
  auto& rows = shared.rows[turn];
  rows.ids[place] = v;
  rows.rows[place] = row;
  if (kPacked > 0 && row.is_long()) {
    rows.listed[append_place(&shared.long_rows[turn])] = static_cast<std::uint16_t>(place);
  }
}

// Copies the frontier of turn `turn` to its queue, its counts to its slot, and the progress to
// work.course. A slow block may still read the slot of the level before the first of these, which
// is the same after kSlots levels: `waiting` blocks in all must have read theirs. The degrees are
// summed for the choice of a direction. The few short rows of the levels between are not summed.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ void fused_leave(const FusedWork<Offset>& work,
                                            FusedOneBlock<kPacked>& shared, unsigned turn,
                                            Progress at, std::uint32_t waiting) {
  const unsigned thread = threadIdx.x;
  const unsigned count = min(shared.count[turn], shared.kRows);
  vertex_t* const queue = work.queues[at.level % 2];
  for (unsigned i = thread; i < count; i += kFusedThreads) queue[i] = shared.rows[turn].ids[i];
  __syncthreads();
  unsigned long long edges = 0;
  for (unsigned i = thread; i < at.frontier; i += kFusedThreads) {
    edges += degree_of(work.out, queue[i]);
  }
  add_of_block(edges, &shared.edges);
  if (thread == 0) {
    at.edges = shared.edges;
    at.all_edges += shared.edges;
    while (fresh(&work.course->waiting) != waiting) {
    }
    for (level_t ahead = 0; ahead <= kClearedAhead; ++ahead) {
      *work.slots.at(at.level + ahead) = LevelSlot{};
    }
    LevelSlot& slot = *work.slots.at(at.level);
    slot.queued[0] = static_cast<std::uint32_t>(at.frontier);
    slot.vertices = at.frontier;
    slot.edges = shared.edges;
    work.course->at = at;
  }
}

// Runs at least one and at most `max` levels from `at` on, whose vertices begin at `queue_from` of
// their queue, until the frontier is empty or large, and leaves it to the grid. `waiting`: for
// fused_leave(); only thread 0 needs it. Called by all threads of one block.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ void fused_one_block(const FusedWork<Offset>& work, Progress at,
                                                std::size_t queue_from, level_t max,
                                                std::uint32_t waiting) {
  auto& shared = *reinterpret_cast<FusedOneBlock<kPacked>*>(fused_shared());
  const unsigned thread = threadIdx.x;
  if (thread < 2) shared.count[thread] = shared.long_rows[thread] = 0;
  if (thread == 0) shared.edges = 0;
  __syncthreads();
  if (thread < at.frontier) {
    const vertex_t v = work.queues[at.level % 2][queue_from + thread];
    fused_put(work, shared, 0, at.level, v, fused_row<kPacked>(work, v));
  }
  __syncthreads();
  unsigned turn = 0;
  for (level_t ran = 0; ran < max; ++ran) {
    const level_t level = at.level;
    const unsigned next = 1 - turn;
    const unsigned fit = min(shared.count[turn], shared.kRows);
    const FusedFrontier<kPacked, typename FusedOneBlock<kPacked>::Rows> frontier{
        shared.rows[turn], fit, kPacked > 0 ? shared.long_rows[turn] : fit, shared.before};
    const unsigned edges = frontier.sum_long();
    if (ran > 0 && edges > FusedRules::kSmallEdges) break;
    frontier.each_edge(work.out.columns, edges, [&](vertex_t from, vertex_t to) {
      FusedRow<kPacked> row;
      if (fused_take(work, level, from, to, row)) {
        fused_put(work, shared, next, level + 1, to, row);
      }
    });
    __syncthreads();
    const unsigned found = shared.count[next];
    if (thread == 0) {
      if (work.log.head != nullptr) {
        work.log.level_is(level, kFusedSmall);
        LevelSlot slot;
        slot.queued[0] = slot.vertices = shared.count[turn];
        work.log.level_ended(level, slot);
      }
      shared.count[turn] = shared.long_rows[turn] = 0;
    }
    if (ran > 0) at.all_edges += edges;
    at.advance(found, 0, false);
    __syncthreads();
    turn = next;
    if (found == 0 || found > FusedRules::small_vertices(kPacked)) break;
  }
  fused_leave(work, shared, turn, at, waiting);
}

}  // namespace bfslab::cuda
