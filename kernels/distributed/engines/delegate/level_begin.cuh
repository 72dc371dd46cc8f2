// SPDX-License-Identifier: Apache-2.0
// How a level of `delegate-cuda` begins (the pre-visit of scalable-bfs, Figure 3): what was found
// becomes the frontier, and is labelled, queued in the order of ids, and summed up for the choice
// of directions.
//
// Cost: 12 bytes for 32 delegates and 8 for 32 normal vertices, read in order; 8 bytes written a
// vertex of the frontier, and its offsets read in each subgraph that asks for its workload.
#pragma once

#include "kernels/distributed/engines/delegate/gpu_kernels.cuh"

namespace bfslab::distributed::delegate {

// Of a thread.
struct LevelSums {
  unsigned long long forward[kEdgeClasses] = {};
  std::uint32_t frontier[kEdgeClasses] = {};
  std::uint32_t delegates = 0;
  std::uint32_t own_delegates = 0;

  __device__ void add(EdgeClass subgraph, std::uint32_t sources) {
    frontier[static_cast<std::size_t>(subgraph)] += sources;
  }
  template <typename Column>
  __device__ void add_edges(const PerEdgeClass<bool>& wanted, EdgeClass subgraph,
                            const EitherView<Column>& graph, local_vertex_t row) {
    if (wanted[subgraph])
      forward[static_cast<std::size_t>(subgraph)] += graph.row_offsets.degree(row);
  }
  // All threads of the block.
  __device__ void add_to(Counts& counts, const PerEdgeClass<bool>& wanted) const {
    for (std::size_t each = 0; each < kEdgeClasses; ++each) {
      if (wanted.each[each]) cuda::add_of_block(forward[each], &counts.forward[each]);
      if (static_cast<EdgeClass>(each) != EdgeClass::nn) {
        cuda::add_of_block(frontier[each], &counts.frontier[each]);
      }
    }
    cuda::add_of_block(delegates, &counts.delegates);
    cuda::add_of_block(own_delegates, &counts.own_delegates);
  }
};

// Both halves are called by all threads of a grid of blocks of kLookThreads: whole warps stay
// together, for places in the queues.
struct LevelBegin {
  EitherView<global_vertex_t> nn;
  EitherView<local_vertex_t> nd, dn, dd;
  const std::uint32_t* reached = nullptr;
  std::uint32_t* reached_before = nullptr;
  level_t* levels = nullptr;
  local_vertex_t* queue = nullptr;  // of the frontier's normal vertices
  std::size_t normal_words = 0;
  std::uint32_t* visited = nullptr;  // of delegates
  level_t* delegate_levels = nullptr;
  std::uint32_t* frontier = nullptr;
  local_vertex_t* list = nullptr;  // of the frontier's delegates with edges here
  std::size_t delegate_words = 0;
  const std::uint32_t* dn_sources = nullptr;
  const std::uint32_t* dd_sources = nullptr;
  const std::uint32_t* nd_sources = nullptr;
  const std::uint32_t* own = nullptr;

  // found(w): the delegates of word w that the level before found, on any member. A thread asks for
  // a word once.
  template <typename Found>
  __device__ void take_delegates(Found found, level_t level, const PerEdgeClass<bool>& wanted,
                                 Counts& now, LevelSums& sums) const {
    std::uint16_t* const mine = look_space().laid_out[threadIdx.x / 32];
    const std::size_t threads = cuda::threads_in_grid();
    for (std::size_t first = cuda::thread_in_grid() / 32 * 32; first < delegate_words;
         first += threads) {
      const std::size_t w = first + lane_id();
      std::uint32_t bits = 0;
      std::uint32_t listed = 0;
      if (w < delegate_words) {
        bits = found(w);
        if (bits != 0) {
          const std::uint32_t before = visited[w];
          bits &= ~before;
          visited[w] = before | bits;
          const std::uint32_t to_normals = bits & dn_sources[w];
          const std::uint32_t to_delegates = bits & dd_sources[w];
          sums.add(EdgeClass::dn, __popc(to_normals));
          sums.add(EdgeClass::dd, __popc(to_delegates));
          sums.delegates += __popc(bits);
          sums.own_delegates += __popc(bits & own[w]);
          listed = __popc(to_normals | to_delegates);
        }
        frontier[w] = bits;
      }
      if (__any_sync(kAllLanes, bits != 0) == 0) continue;
      const std::uint32_t count = lay_out(bits, mine);
      std::uint32_t place =
          place_of_warp(&now.listed, static_cast<std::uint32_t>(cuda::sum_of_warp(listed)));
      __syncwarp();
      for (std::uint32_t base = 0; base < count; base += 32) {
        const bool here = base + lane_id() < count;
        const auto u =
            static_cast<local_vertex_t>(first * 32 + (here ? mine[base + lane_id()] : 0));
        if (here) delegate_levels[u] = level;
        const bool lists = here && (test(dn_sources, u) || test(dd_sources, u));
        const unsigned all = __ballot_sync(kAllLanes, lists);
        if (lists) {
          list[place + __popc(all & cuda::lanes_below())] = u;
          sums.add_edges(wanted, EdgeClass::dn, dn, u);
          sums.add_edges(wanted, EdgeClass::dd, dd, u);
        }
        place += __popc(all);
      }
      __syncwarp();  // before the warp's part of laid_out is written again
    }
  }

  __device__ void take_normals(level_t level, const PerEdgeClass<bool>& wanted, Counts& now,
                               LevelSums& sums) const {
    std::uint16_t* const mine = look_space().laid_out[threadIdx.x / 32];
    const std::size_t threads = cuda::threads_in_grid();
    for (std::size_t first = cuda::thread_in_grid() / 32 * 32; first < normal_words;
         first += threads) {
      const std::size_t w = first + lane_id();
      std::uint32_t bits = 0;
      if (w < normal_words) {
        const std::uint32_t now_reached = reached[w];
        bits = now_reached & ~reached_before[w];
        if (bits != 0) {
          reached_before[w] = now_reached;
          sums.add(EdgeClass::nd, __popc(bits & nd_sources[w]));
        }
      }
      if (__any_sync(kAllLanes, bits != 0) == 0) continue;
      const std::uint32_t count = lay_out(bits, mine);
      const std::uint32_t place = place_of_warp(&now.normals, count);
      __syncwarp();
      for (std::uint32_t i = lane_id(); i < count; i += 32) {
        const auto v = static_cast<local_vertex_t>(first * 32 + mine[i]);
        levels[v] = level;
        queue[place + i] = v;
        sums.add_edges(wanted, EdgeClass::nn, nn, v);
        sums.add_edges(wanted, EdgeClass::nd, nd, v);
      }
      __syncwarp();  // before the warp's part of laid_out is written again
    }
  }
};

}  // namespace bfslab::distributed::delegate
