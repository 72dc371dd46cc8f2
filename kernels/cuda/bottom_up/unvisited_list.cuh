// SPDX-License-Identifier: Apache-2.0
// Gunrock's pull (Wang et al., TOPC 2017, section 5.1.3). The unvisited vertices are a list that
// each pulled level shortens. The frontier is a bitmap, which stays in cache where statuses do not.
//
// Deviations: a thread goes on with a row while many lanes of its warp are looking, and the whole
// warp when few are or when the row is long; vertices that no edge enters are never listed; finds
// enter a queue when pushing takes over, not at every level.
//
// Cost: a list of n entries twice and three bitmaps. Once per traversal all statuses and 16 bytes
// of offsets per vertex that is listed. Per level 4 bytes and 16 of offsets per unvisited vertex, 4
// and a random bit per edge that it looks at, and one atomic bit per vertex found. Wins where the
// frontier is a large part of all vertices.
#pragma once

#include "kernels/cuda/bottom_up/unvisited_list.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/traversal.hpp"
#include "kernels/cuda/traversal/visit.cuh"

namespace bfslab::cuda {

__device__ inline bool has_bit(const std::uint32_t* bitmap, vertex_t v) {
  return (bitmap[v / 32] >> (v % 32) & 1U) != 0;
}

// Makes the list of the unvisited, the frontier's bitmap and an empty one for the next, before the
// first level that pulls. Called by all threads of the grid; a barrier must follow.
__device__ inline void list_unvisited(const Traversal& work, const UnvisitedView& unvisited,
                                      level_t level) {
  constexpr unsigned kEach = 8;  // statuses per lane in flight and per atomic
  const std::size_t n = work.incoming.vertices;
  vertex_t* const list = unvisited.list[level % 2];
  std::uint32_t* const frontier = unvisited.frontier[level % UnvisitedView::kBitmaps];
  std::uint32_t* const next = unvisited.frontier[(level + 1) % UnvisitedView::kBitmaps];
  const std::size_t step = std::size_t{threads_in_grid()} * kEach;
  for (std::size_t first = std::size_t{thread_in_grid() - lane_id()} * kEach; first < n;
       first += step) {
    level_t status[kEach];
    bool open[kEach];
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const std::size_t v = first + j * 32 + lane_id();
      // Vertices past the end are on no level, and not unvisited.
      status[j] = v < n ? __ldcg(work.status.levels + v) : level + 1;
    }
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      open[j] = status[j] == kUnreached &&
                degree_of(work.incoming, static_cast<vertex_t>(first + j * 32 + lane_id())) > 0;
    }
    std::uint32_t total = 0;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const unsigned word = __ballot_sync(kAllLanes, status[j] == level);
      const std::size_t at = first / 32 + j;
      if (lane_id() == 0 && at * 32 < n) {
        frontier[at] = word;
        next[at] = 0;
      }
      total += static_cast<std::uint32_t>(__popc(__ballot_sync(kAllLanes, open[j])));
    }
    if (total == 0) continue;
    std::uint32_t place = 0;
    if (lane_id() == 0) place = atomicAdd(&work.slot(level)->unvisited, total);
    place = __shfl_sync(kAllLanes, place, 0);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const unsigned those = __ballot_sync(kAllLanes, open[j]);
      if (open[j]) {
        list[place + __popc(those & lanes_below())] =
            static_cast<vertex_t>(first + j * 32 + lane_id());
      }
      place += static_cast<std::uint32_t>(__popc(those));
    }
  }
}

// One level's look at the unvisited. Guarantees: after the barrier that ends the level, the next
// list holds the vertices still unvisited and the next bitmap those found. The next level's slot
// has the number found and, on request, their out-degrees and the edges that were checked.
template <bool kEdges, bool kCount>
class Puller {
 public:
  __device__ Puller(const Traversal& work, const UnvisitedView& unvisited, level_t level)
      : work_(work),
        unvisited_(unvisited),
        level_(level),
        frontier_(unvisited.frontier[level % UnvisitedView::kBitmaps]),
        next_(unvisited.frontier[(level + 1) % UnvisitedView::kBitmaps]),
        visit_{work.status, level + 1} {}

  // Looks at the whole list and lists the rest. Clears the bitmap in which the level after the next
  // makes its frontier. Called by all threads of the grid.
  __device__ void run() {
    const vertex_t* const list = unvisited_.list[level_ % 2];
    vertex_t* const left = unvisited_.list[(level_ + 1) % 2];
    const std::uint32_t count = work_.slot(level_)->unvisited;
    std::uint32_t* const still = &work_.slot(level_ + 1)->unvisited;
    for (std::size_t first = thread_in_grid() - lane_id(); first < count;
         first += threads_in_grid()) {
      const bool has_item = first + lane_id() < count;
      const vertex_t v = has_item ? list[first + lane_id()] : kNoVertex;
      const vertex_t above = parent_of(v);
      if (above != kNoVertex) settle(v, above);
      __syncwarp();
      const unsigned those = __ballot_sync(kAllLanes, has_item && above == kNoVertex);
      if (those == 0) continue;
      std::uint32_t place = 0;
      if (lane_id() == 0) place = atomicAdd(still, static_cast<std::uint32_t>(__popc(those)));
      place = __shfl_sync(kAllLanes, place, 0);
      if ((those >> lane_id() & 1U) != 0) left[place + __popc(those & lanes_below())] = v;
    }
    const std::size_t words = (std::size_t{work_.incoming.vertices} + 31) / 32;
    std::uint32_t* const after = unvisited_.frontier[(level_ + 2) % UnvisitedView::kBitmaps];
    for (std::size_t w = thread_in_grid(); w < words; w += threads_in_grid()) after[w] = 0;
  }

  // Called by all threads of the block.
  __device__ void finish() {
    LevelSlot* const next = work_.slot(level_ + 1);
    add_of_block(vertices_, &next->vertices);
    if constexpr (kEdges) add_of_block(edges_, &next->edges);
    if constexpr (kCount) add_of_block(checked_, &next->checked);
  }

 private:
  // Returns v's parent; kNoVertex if no neighbour is in the frontier, or v is kNoVertex. Called by
  // all lanes of the warp, with one vertex each.
  __device__ vertex_t parent_of(vertex_t v) {
    // The warp takes over the rows of the lanes that still look: after kMaxSteps steps, or once at
    // most kMaxRowsOfWarp lanes are left.
    constexpr int kMaxSteps = 16;
    constexpr int kMaxRowsOfWarp = 4;
    constexpr edge_t kStep = 4;
    edge_t e = 0;
    edge_t end = 0;
    if (v != kNoVertex) {
      e = work_.incoming.row_offsets[v];
      end = work_.incoming.row_offsets[v + std::size_t{1}];
    }
    vertex_t above = kNoVertex;
    unsigned looking = __ballot_sync(kAllLanes, e < end);
    for (int step = 0; step < kMaxSteps && __popc(looking) > kMaxRowsOfWarp; ++step) {
      if ((looking >> lane_id() & 1U) != 0) {
        above = look(e, end, 1);
        e += kStep;
      }
      looking = __ballot_sync(kAllLanes, above == kNoVertex && e < end);
    }
    while (looking != 0) {
      const int owner = __ffs(static_cast<int>(looking)) - 1;
      looking &= looking - 1;
      const edge_t from = __shfl_sync(kAllLanes, e, owner);
      const edge_t upto = __shfl_sync(kAllLanes, end, owner);
      const vertex_t found = by_warp(from, upto);
      if (static_cast<int>(lane_id()) == owner) above = found;
    }
    return above;
  }

  // Looks at four neighbours, e, e + apart, ...; returns the first in the frontier, or kNoVertex.
  __device__ vertex_t look(edge_t e, edge_t end, unsigned apart) {
    constexpr unsigned kEach = 4;
    vertex_t near[kEach];
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const edge_t at = e + edge_t{j} * apart;
      near[j] = at < end ? work_.incoming.columns[at] : kNoVertex;
      if (kCount && at < end) ++checked_;
    }
    bool hit[kEach];
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      hit[j] = near[j] != kNoVertex ? has_bit(frontier_, near[j]) : false;
    }
    vertex_t first = kNoVertex;
#pragma unroll
    for (unsigned j = kEach; j-- > 0;) first = hit[j] ? near[j] : first;
    return first;
  }

  // Looks at a row by all lanes, which pass the same arguments.
  __device__ vertex_t by_warp(edge_t e, edge_t end) {
    for (; e < end; e += 128) {
      const vertex_t parent = look(e + lane_id(), end, 32);
      const unsigned found = __ballot_sync(kAllLanes, parent != kNoVertex);
      if (found != 0) return __shfl_sync(kAllLanes, parent, __ffs(static_cast<int>(found)) - 1);
    }
    return kNoVertex;
  }

  __device__ void settle(vertex_t v, vertex_t above) {
    stress_pause();
    visit_.set(v, above);
    atomicOr(&next_[v / 32], 1U << v % 32);
    ++vertices_;
    if constexpr (kEdges) edges_ += degree_of(work_.outgoing, v);
  }

  const Traversal& work_;
  const UnvisitedView& unvisited_;
  level_t level_;
  const std::uint32_t* frontier_;
  std::uint32_t* next_;
  Visit visit_;
  unsigned long long vertices_ = 0;
  unsigned long long edges_ = 0;
  unsigned long long checked_ = 0;
};

// Queues the pulled vertices of `level`. Called by all threads of the grid; a barrier must follow.
__device__ inline void queue_frontier(const Traversal& work, const UnvisitedView& unvisited,
                                      level_t level) {
  const std::size_t words = (std::size_t{work.incoming.vertices} + 31) / 32;
  const std::uint32_t* const bitmap = unvisited.frontier[level % UnvisitedView::kBitmaps];
  vertex_t* const entries = work.queue_of(level).entries;
  for (std::size_t first = thread_in_grid() - lane_id(); first < words;
       first += threads_in_grid()) {
    const std::size_t w = first + lane_id();
    std::uint32_t word = w < words ? bitmap[w] : 0;
    std::uint32_t place =
        places_of_warp(work.slot(level)->queued, static_cast<std::uint32_t>(__popc(word)));
    for (; word != 0; word &= word - 1) {
      entries[place++] = static_cast<vertex_t>(w * 32 + __ffs(static_cast<int>(word)) - 1);
    }
  }
}

}  // namespace bfslab::cuda
