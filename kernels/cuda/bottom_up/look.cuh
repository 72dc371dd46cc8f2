// What every way of scheduling bottom-up work shares: looking at neighbours, and what becomes of a
// vertex that has looked (papers/xbfs.txt sections 2.2 and 5.2, Algorithm 3). `level` is the
// paper's l - 1: the frontier's.
//
//   a neighbour at `level`                     -> v is at level + 1, and stops looking
//   none there, but a neighbour at level + 1   -> v is at level + 2 (Lemma 2): found early
//
// The second needs the whole row, so whoever shares a row among lanes reduces "some neighbour at
// `level`" over all of them before it acts on the first neighbour at level + 1 (errata, "Async").
//
// Statuses that the running kernel writes are read through L2 where that matters: asynchronously.
// Synchronously only statuses of `level` do, which earlier kernels wrote, and L1 may serve them.
#pragma once

#include "kernels/cuda/frontier/queues.cuh"
#include "kernels/cuda/frontier/visit.cuh"

namespace bfslab::cuda {

struct BottomUp {
  CsrView incoming;
  CsrView outgoing;
  QueueView queue;
  const std::uint32_t* queued = nullptr;  // [kDegreeClasses]
  level_t* levels = nullptr;
  vertex_t* parents = nullptr;  // null: not asked for
  level_t level = 0;
  LevelSlot* next = nullptr;   // of level + 1
  LevelSlot* after = nullptr;  // of level + 2
  LevelSlot* cleared = nullptr;
  const vertex_t* hubs = nullptr;  // null: no hub cache
  std::uint32_t hub_count = 0;
};

// Enterprise's hub cache: hubs of the frontier by their ids in shared memory, so that a row that
// begins with one costs no status word. Direct-mapped.
inline constexpr unsigned kHubSlots = 1024;

struct HubCache {
  vertex_t* slots = nullptr;  // [kHubSlots] of shared memory; null: none

  __device__ bool holds(vertex_t u) const { return slots != nullptr && slots[u % kHubSlots] == u; }
};

// All threads of the block. Two hubs of one slot: the smaller id stays.
__device__ inline HubCache fill_hub_cache(const BottomUp& work, vertex_t* slots) {
  if (work.hubs == nullptr) return {};
  for (unsigned i = threadIdx.x; i < kHubSlots; i += blockDim.x) slots[i] = kNoVertex;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < work.hub_count; i += blockDim.x) {
    const vertex_t hub = work.hubs[i];
    if (work.levels[hub] == work.level) atomicMin(&slots[hub % kHubSlots], hub);
  }
  __syncthreads();
  return {slots};
}

// What a thread found, given to the slots at the kernel's end.
struct LookTally {
  unsigned long long vertices = 0, edges = 0;
  unsigned long long early_vertices = 0, early_edges = 0;
  unsigned long long checked = 0;
};

template <bool kAsync, bool kCount>
struct Looker {
  const BottomUp& work;
  HubCache hubs;
  LookTally tally = {};

  // The level of a neighbour, as far as this level needs it.
  __device__ level_t look(vertex_t u) {
    if constexpr (kCount) ++tally.checked;
    if (hubs.holds(u)) return work.level;
    if constexpr (kAsync) return fresh_level(work.levels, u);
    return work.levels[u];
  }

  // By one thread, once a vertex: what it has found. kNoVertex: nothing.
  __device__ void settle(vertex_t v, vertex_t above, vertex_t beside) {
    const bool found = above != kNoVertex;
    if (!found && (!kAsync || beside == kNoVertex)) return;
    stress_pause();
    const Visit visit{work.levels, work.parents, work.level + (found ? 1 : 2)};
    visit.set(v, found ? above : beside);
    const edge_t degree = degree_of(work.outgoing, v);
    if (found) {
      ++tally.vertices;
      tally.edges += degree;
    } else {
      ++tally.early_vertices;
      tally.early_edges += degree;
    }
  }

  // One thread through its whole row.
  __device__ void by_thread(vertex_t v) {
    vertex_t above = kNoVertex;
    vertex_t beside = kNoVertex;
    const edge_t end = work.incoming.row_offsets[v + std::size_t{1}];
    for (edge_t e = work.incoming.row_offsets[v]; e < end; ++e) {
      const vertex_t u = work.incoming.columns[e];
      const level_t at = look(u);
      if (at == work.level) {
        above = u;
        break;
      }
      if (kAsync && beside == kNoVertex && at == work.level + 1) beside = u;
    }
    settle(v, above, beside);
  }

  // The rest of a row by all lanes of a warp, which call it with the same arguments. `settler` is
  // the lane that settles; `beside` is what its owner has seen before.
  __device__ void by_warp(vertex_t v, edge_t begin, edge_t end, vertex_t beside, unsigned settler) {
    vertex_t above = kNoVertex;
    for (edge_t first = begin; first < end; first += 32) {
      const edge_t e = first + lane_id();
      vertex_t u = kNoVertex;
      level_t at = kUnreached;
      if (e < end) {
        u = work.incoming.columns[e];
        at = look(u);
      }
      const unsigned up = __ballot_sync(kAllLanes, e < end && at == work.level);
      if (up != 0) {
        above = __shfl_sync(kAllLanes, u, __ffs(static_cast<int>(up)) - 1);
        break;
      }
      if constexpr (kAsync) {
        const unsigned side = __ballot_sync(kAllLanes, e < end && at == work.level + 1);
        const vertex_t which =
            __shfl_sync(kAllLanes, u, side != 0 ? __ffs(static_cast<int>(side)) - 1 : 0);
        if (side != 0 && beside == kNoVertex) beside = which;
      }
    }
    if (lane_id() == settler) settle(v, above, beside);
    __syncwarp();
  }

  // All threads of the block.
  __device__ void finish() {
    add_of_block(tally.vertices, &work.next->vertices);
    add_of_block(tally.edges, &work.next->edges);
    if constexpr (kAsync) {
      add_of_block(tally.early_vertices, &work.after->early_vertices);
      add_of_block(tally.early_edges, &work.after->early_edges);
    }
    if constexpr (kCount) add_of_block(tally.checked, &work.next->checked);
    if (thread_in_grid() == 0) *work.cleared = LevelSlot{};
  }
};

// A thread an entry of work.queue's only region, the 32 lanes of a warp side by side: next(first)
// says where the warp goes on behind the 32 entries from `first`, the same to all lanes. Lanes
// start each entry together: left to themselves they drift apart and never meet again.
template <typename L, typename NextOfWarp>
__device__ void look_by_threads(const BottomUp& work, L& looker, const NextOfWarp& next) {
  const unsigned count = work.queued[0];
  for (unsigned first = thread_in_grid() - lane_id(); first < count; first = next(first)) {
    if (first + lane_id() < count) looker.by_thread(work.queue.entries[first + lane_id()]);
    __syncwarp();
  }
}

}  // namespace bfslab::cuda
