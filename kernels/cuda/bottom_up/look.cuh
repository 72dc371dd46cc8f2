// SPDX-License-Identifier: Apache-2.0
// The look at neighbours, and its effect on the vertex, which all schedules of bottom-up work share
// (XBFS, sections 2.2 and 5.2, Algorithm 3). `level` is the paper's l - 1: the frontier's.
//
//   a neighbour at `level`                     -> v is at level + 1, and stops looking
//   none there, but a neighbour at level + 1   -> v is at level + 2 (Lemma 2): found early
//
// The second case needs the whole row. Code that shares a row among lanes therefore reduces "some
// neighbour at `level`" over all of them before it acts on the first neighbour at level + 1
// (docs/errata.md#xbfs-async-balance).
//
// Asynchronous looks read the statuses that the running kernel writes, through L2. Synchronous
// looks need only statuses of `level`, which earlier kernels wrote, so that L1 may serve them.
#pragma once

#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/traversal.hpp"
#include "kernels/cuda/traversal/visit.cuh"

namespace bfslab::cuda {

// The queue of the unvisited, as balances get it: in one region, or by the class of their
// in-degrees (degree_classes.cuh).
struct BottomUp {
  const Traversal& traversal;
  const QueueView& queue;
  const std::uint32_t* queued = nullptr;  // [kDegreeClasses]
  level_t level = 0;                      // the frontier's
  const vertex_t* hubs = nullptr;         // [hub_count] null: no hub cache
  std::uint32_t hub_count = 0;

  [[nodiscard]] __device__ const CsrView& incoming() const { return traversal.incoming; }
  [[nodiscard]] __device__ LevelSlot* next() const { return traversal.slot(level + 1); }
};

// Enterprise's hub cache: ids of the frontier's hubs in shared memory, so that a row that begins
// with one costs no status word. Direct-mapped.
inline constexpr unsigned kHubSlots = 1024;

struct HubCache {
  vertex_t* slots = nullptr;  // [kHubSlots] of shared memory; null: none

  __device__ bool holds(vertex_t u) const { return slots != nullptr && slots[u % kHubSlots] == u; }
};

// Called by all threads of the block. If two hubs share a slot, the smaller id stays.
__device__ inline HubCache fill_hub_cache(const BottomUp& work, vertex_t* slots) {
  if (work.hubs == nullptr) return {};
  for (unsigned i = threadIdx.x; i < kHubSlots; i += blockDim.x) slots[i] = kNoVertex;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < work.hub_count; i += blockDim.x) {
    const vertex_t hub = work.hubs[i];
    if (work.traversal.status.levels[hub] == work.level) atomicMin(&slots[hub % kHubSlots], hub);
  }
  __syncthreads();
  return {slots};
}

// The finds of a thread, added to the slots at the kernel's end.
struct LookTally {
  unsigned long long vertices = 0, edges = 0;
  unsigned long long early_vertices = 0, early_edges = 0;
  unsigned long long checked = 0;
  unsigned long long tickets = 0;  // atomics of this thread on the counter that hands out entries
};

// The rest of a row that a thread has begun to look at.
struct UnfinishedRow {
  vertex_t v = 0;
  vertex_t beside = kNoVertex;  // the first neighbour met at level + 1; kNoVertex: none
  edge_t begin = 0;
  edge_t end = 0;  // begin: nothing is left

  // Returns another lane's rest. Called by all lanes of the warp.
  [[nodiscard]] __device__ UnfinishedRow of_lane(int lane) const {
    return {__shfl_sync(kAllLanes, v, lane), __shfl_sync(kAllLanes, beside, lane),
            __shfl_sync(kAllLanes, begin, lane), __shfl_sync(kAllLanes, end, lane)};
  }
};

template <bool kAsync, bool kCount>
struct Looker {
  static constexpr bool kIsAsync = kAsync;
  const BottomUp& work;
  HubCache hubs;
  LookTally tally = {};

  // Returns the level of a neighbour, as far as this level needs it.
  __device__ level_t look(vertex_t u) {
    if constexpr (kCount) ++tally.checked;
    if (hubs.holds(u)) return work.level;
    if constexpr (kAsync) return fresh_level(work.traversal.status.levels, u);
    return work.traversal.status.levels[u];
  }

  // Adds `entries` to the shared counter of a dynamic balance. Returns its value before.
  __device__ unsigned take_ticket(unsigned entries) {
    stress_pause();
    if constexpr (kCount) ++tally.tickets;
    return add_of_lane(&work.next()->ticket, entries);
  }

  // Settles what v has found, once per vertex and by one thread. kNoVertex: nothing.
  __device__ void settle(vertex_t v, vertex_t above, vertex_t beside) {
    const bool found = above != kNoVertex;
    if (!found && (!kAsync || beside == kNoVertex)) return;
    stress_pause();
    const Visit visit{work.traversal.status, work.level + (found ? 1 : 2)};
    visit.set(v, found ? above : beside);
    const edge_t degree = degree_of(work.traversal.outgoing, v);
    if (found) {
      ++tally.vertices;
      tally.edges += degree;
    } else {
      ++tally.early_vertices;
      tally.early_edges += degree;
    }
  }

  // Looks at a row, or at its first `most` neighbours, by one thread. Returns the rest of the row,
  // which is empty if the vertex has been settled.
  __device__ UnfinishedRow by_thread(vertex_t v, edge_t most = ~edge_t{0}) {
    vertex_t above = kNoVertex;
    vertex_t beside = kNoVertex;
    edge_t e = work.incoming().row_offsets[v];
    const edge_t end = work.incoming().row_offsets[v + std::size_t{1}];
    const edge_t upto = end - e > most ? e + most : end;
    for (; e < upto; ++e) {
      const vertex_t u = work.incoming().columns[e];
      const level_t at = look(u);
      if (at == work.level) {
        above = u;
        break;
      }
      if (kAsync && beside == kNoVertex && at == work.level + 1) beside = u;
    }
    if (above == kNoVertex && upto < end) return {v, beside, upto, end};
    settle(v, above, beside);
    return {};
  }

  // Looks at the rest of a row by all lanes of a warp, with equal arguments. `settler` is the lane
  // that settles.
  __device__ void by_warp(const UnfinishedRow& row, unsigned settler) {
    vertex_t above = kNoVertex;
    vertex_t beside = row.beside;
    for (edge_t first = row.begin; first < row.end; first += 32) {
      const edge_t e = first + lane_id();
      vertex_t u = kNoVertex;
      level_t at = kUnreached;
      if (e < row.end) {
        u = work.incoming().columns[e];
        at = look(u);
      }
      const unsigned up = __ballot_sync(kAllLanes, e < row.end && at == work.level);
      if (up != 0) {
        above = __shfl_sync(kAllLanes, u, __ffs(static_cast<int>(up)) - 1);
        break;
      }
      if constexpr (kAsync) {
        const unsigned side = __ballot_sync(kAllLanes, e < row.end && at == work.level + 1);
        const vertex_t which =
            __shfl_sync(kAllLanes, u, side != 0 ? __ffs(static_cast<int>(side)) - 1 : 0);
        if (side != 0 && beside == kNoVertex) beside = which;
      }
    }
    if (lane_id() == settler) settle(row.v, above, beside);
    __syncwarp();
  }

  // Looks at the rest of a row by all threads of the block, which pass the same arguments, with
  // kEach neighbours per thread in flight. `met`: [2] of shared memory.
  template <int kEach>
  __device__ void by_block(const UnfinishedRow& row, vertex_t* met) {
    if (threadIdx.x < 2) met[threadIdx.x] = threadIdx.x == 0 ? kNoVertex : row.beside;
    __syncthreads();
    for (edge_t first = row.begin; first < row.end; first += kEach * blockDim.x) {
      vertex_t near[kEach];
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const edge_t e = first + j * blockDim.x + threadIdx.x;
        near[j] = e < row.end ? work.incoming().columns[e] : kNoVertex;
      }
      bool up = false;
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        if (near[j] == kNoVertex) continue;
        const level_t at = look(near[j]);
        if (at == work.level) {
          up = true;
          atomicMin(&met[0], near[j]);
        }
        if (at == work.level + 1) atomicMin(&met[1], near[j]);
      }
      if (__syncthreads_or(up) != 0) break;
    }
    __syncthreads();
    if (threadIdx.x == 0) settle(row.v, met[0], met[1]);
    __syncthreads();
  }

  // Looks along a row by all threads of the grid. A thread stops at its first neighbour at the
  // frontier's level, or once it sees that another has found one; a claim says who settles. Not
  // asynchronous.
  __device__ void by_grid(const UnfinishedRow& row) {
    static_assert(!kAsync);
    const Visit visit{work.traversal.status, work.level + 1};
    for (edge_t e = row.begin + thread_in_grid(); e < row.end; e += threads_in_grid()) {
      if (fresh_level(work.traversal.status.levels, row.v) != kUnreached) return;
      const vertex_t u = work.incoming().columns[e];
      if (look(u) != work.level) continue;
      if (!visit.claim(row.v, u)) return;
      ++tally.vertices;
      tally.edges += degree_of(work.traversal.outgoing, row.v);
      return;
    }
  }

  // Called by all threads of the block.
  __device__ void finish() {
    LevelSlot* const next = work.next();
    add_of_block(tally.vertices, &next->vertices);
    add_of_block(tally.edges, &next->edges);
    if constexpr (kAsync) {
      LevelSlot* const after = work.traversal.slot(work.level + 2);
      add_of_block(tally.early_vertices, &after->early_vertices);
      add_of_block(tally.early_edges, &after->early_edges);
    }
    if constexpr (kCount) {
      add_of_block(tally.checked, &next->checked);
      add_of_block(tally.tickets, &next->tickets);
    }
  }
};

// Assigns one thread per entry of work.queue's only region, consecutive entries to the 32 lanes of
// a warp. next(first) returns where the warp goes on after the 32 entries from `first`, the same to
// all lanes. Lanes start each entry together; otherwise they would drift apart for good.
template <typename L, typename NextOfWarp>
__device__ void look_by_threads(const BottomUp& work, L& looker, const NextOfWarp& next) {
  const unsigned count = work.queued[0];
  for (unsigned first = thread_in_grid() - lane_id(); first < count; first = next(first)) {
    if (first + lane_id() < count) looker.by_thread(work.queue.entries[first + lane_id()]);
    __syncwarp();
  }
}

}  // namespace bfslab::cuda
