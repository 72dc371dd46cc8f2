// SPDX-License-Identifier: Apache-2.0
// A bottom-up level by first neighbours (first_neighbors.cuh) over statuses, for engines whose
// top-down levels have no bits. The first level of a run of bottom-up levels makes bits from the
// statuses of all vertices; each level makes those of the next.
//
// Cost: first_neighbors.cuh's; per vertex 8 bytes before the first level of a run of bottom-up
// levels; per vertex found its statuses and 16 bytes of offsets. Needs no queue, no counter and no
// claim. Loses to a queue if the unvisited are few and scattered, by a word per 32 vertices.
#pragma once

#include "kernels/cuda/bottom_up/first_neighbors.cuh"
#include "kernels/cuda/bottom_up/first_neighbors.hpp"
#include "kernels/cuda/traversal/traversal.hpp"
#include "kernels/cuda/traversal/visit.cuh"

namespace bfslab::cuda {

// Sets view.visited, and view.frontier of `level`, from the statuses, before the first of several
// bottom-up levels. Called by all threads of the grid; a barrier must follow.
__device__ inline void mark_statuses(const Traversal& work, const FirstNeighborsView& view,
                                     level_t level) {
  const std::size_t n = work.incoming.vertices;
  for (std::size_t first = thread_in_grid() - lane_id(); first < n; first += threads_in_grid()) {
    const std::size_t v = first + lane_id();
    // Vertices past the last are visited, and on no level.
    const level_t status = v < n ? __ldcg(work.status.levels + v) : level + 1;
    const bool is_open = status == kUnreached && view.first[v] != kNoVertex;
    const unsigned visited = __ballot_sync(kAllLanes, !is_open);
    const unsigned frontier = __ballot_sync(kAllLanes, status == level);
    if (lane_id() != 0) continue;
    view.visited[first / 32] = visited;
    view.frontier[level % 2][first / 32] = frontier;
  }
}

// One level, by blocks of at most kMaxWarps warps. Guarantees: after the barrier that ends the
// level, the bits of the next frontier and of the visited vertices are complete. The next level's
// slot has the number of finds, their out-degrees and, on request, the entries read.
template <unsigned kMaxWarps, bool kCount>
class FirstNeighborsLevel {
 public:
  // FirstNeighbors' Look.
  using Offset = edge_t;
  static constexpr bool kReadsClosed = false;
  static constexpr bool kPutsAside = false;

  __device__ FirstNeighborsLevel(const Traversal& work, const FirstNeighborsView& view,
                                 level_t level)
      : work_(work),
        view_(view),
        level_(level),
        frontier_(view.frontier[level % 2]),
        visit_{work.status, level + 1} {}

  // Called by all threads of the grid.
  __device__ void run() {
    __shared__ FirstNeighbors::WarpMemory warp_memory[kMaxWarps];
    FirstNeighbors::WarpMemory& memory = warp_memory[threadIdx.x / 32];
    std::uint32_t* const next = view_.frontier[(level_ + 1) % 2];
    const auto words =
        static_cast<std::uint32_t>((work_.incoming.vertices + std::uint64_t{31}) / 32);
    const std::uint32_t warps = threads_in_grid() / 32;
    const std::uint32_t chunk = words_per_turn(words, warps);
    // Neighbouring turns go to different blocks.
    for (std::uint32_t first = (threadIdx.x / 32 * gridDim.x + blockIdx.x) * chunk; first < words;
         first += warps * chunk) {
      const std::uint32_t w = first + lane_id();
      const bool has_word = lane_id() < chunk && w < words;
      const std::uint32_t visited = has_word ? view_.visited[w] : ~0U;
      const std::uint32_t found = FirstNeighbors::run_turn(*this, memory, first, chunk, visited);
      if (has_word) {
        next[w] = found;
        if (found != 0) view_.visited[w] = visited | found;
      }
      add_found(first, found);
    }
    LevelSlot* const slot = work_.slot(level_ + 1);
    add_of_block(vertices_, &slot->vertices);
    add_of_block(edges_, &slot->edges);
    if constexpr (kCount) add_of_block(checked_, &slot->checked);
  }

  [[nodiscard]] __device__ const vertex_t* first() const { return view_.first; }
  [[nodiscard]] __device__ const vertex_t* columns() const { return work_.incoming.columns; }
  [[nodiscard]] __device__ std::uint32_t word_of(vertex_t u) const { return frontier_[u / 32]; }
  [[nodiscard]] __device__ std::uint32_t first_word_of(vertex_t u, bool is_open) const {
    return is_open ? word_of(u) : 0;
  }
  __device__ void found(vertex_t v, vertex_t parent) {
    stress_pause();
    visit_.set(v, parent);
  }
  __device__ unsigned found_first(vertex_t v, unsigned on, const uint4& four, unsigned /*open*/,
                                  unsigned hits) {
    const vertex_t parent[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (unsigned t = 0; t < 4; ++t) {
      if ((hits >> t & 1U) != 0) found(v + on + t, parent[t]);
    }
    return hits;
  }
  [[nodiscard]] __device__ static std::uint32_t with_more(std::uint32_t /*w*/,
                                                          std::uint32_t missed) {
    return missed;
  }
  [[nodiscard]] __device__ FirstNeighbors::Rows<edge_t> rows_of(std::uint32_t /*first*/,
                                                                unsigned /*words*/) const {
    return {work_.incoming.row_offsets};
  }
  __device__ void count(unsigned entries) {
    if constexpr (kCount) checked_ += entries;
  }

 private:
  // Sums the vertices that a turn has found, and their out-degrees. Called by all lanes.
  __device__ void add_found(std::uint32_t first, std::uint32_t found) {
    vertices_ += __popc(found);
    unsigned words = __ballot_sync(kAllLanes, found != 0);
    for (; words != 0; words &= words - 1) {
      const int i = __ffs(static_cast<int>(words)) - 1;
      if ((__shfl_sync(kAllLanes, found, i) >> lane_id() & 1U) == 0) continue;
      edges_ += degree_of(work_.outgoing, (first + i) * 32 + lane_id());
    }
  }

  const Traversal& work_;
  const FirstNeighborsView& view_;
  level_t level_;
  const std::uint32_t* frontier_;
  Visit visit_;
  unsigned long long vertices_ = 0;
  unsigned long long edges_ = 0;
  unsigned long long checked_ = 0;
};

}  // namespace bfslab::cuda
