// SPDX-License-Identifier: Apache-2.0
// How a level of `delegate-cuda` begins (the pre-visit of scalable-bfs, Figure 3), in two passes
// over the bits. The first makes what was found the frontier, labels it and counts the sources of
// each subgraph. The second queues those that a visit forward may begin from, in the order of ids,
// and sums up their edges for the choice of directions, where the number of sources alone has not
// decided it: in the largest levels most of the frontier is never queued. Where no direction is
// left to choose, one pass does both, since only nn is visited forward then.
//
// Cost: 16 bytes for 32 delegates and 16 for 32 normal vertices, read in order, four words at once;
// 16 bytes of labels read and written for each word of the frontier; 4 bytes written for a vertex
// that is queued, and its offsets read in each subgraph whose workload is summed up.
#pragma once

#include "kernels/cuda/traversal/append_bits.cuh"
#include "kernels/cuda/traversal/labels.cuh"
#include "kernels/distributed/engines/delegate/level_counts.hpp"
#include "kernels/distributed/engines/delegate/look_space.cuh"

namespace bfslab::distributed::delegate {

using cuda::any_of, cuda::both, cuda::either, cuda::four, cuda::none_in_warp, cuda::put_four;
using cuda::count_of, cuda::without, cuda::first_of_warp, cuda::words_at_once, cuda::LabelView;

// One thread's counts of a level's sources.
struct LevelSums {
  std::uint32_t frontier[kEdgeClasses] = {};
  std::uint32_t normals = 0;
  std::uint32_t delegates = 0;
  std::uint32_t own_delegates = 0;

  __device__ void add(EdgeClass subgraph, std::uint32_t sources) {
    frontier[static_cast<std::size_t>(subgraph)] += sources;
  }
  // Called by all threads of the block.
  __device__ void add_to(LevelCounts& counts) const {
    if (__syncthreads_or((normals | delegates) != 0 ? 1 : 0) == 0) return;
    constexpr unsigned kClasses = kEdgeClasses;
    static_assert(kClasses == 4);
    const std::uint32_t own_counts[] = {frontier[0], frontier[1], frontier[2],  frontier[3],
                                        normals,     delegates,   own_delegates};
    cuda::add_sums_of_block<kLookThreads / 32, kClasses + 3, std::uint32_t>(
        [&own_counts](unsigned s) {
#if __CUDA_ARCH__ >= 800
          return __reduce_add_sync(kAllLanes, own_counts[s]);
#else
          return static_cast<std::uint32_t>(cuda::sum_of_warp(own_counts[s]));
#endif
        },
        [&counts](unsigned s) {
          return s < kClasses        ? &counts.frontier[s]
                 : s == kClasses     ? &counts.normals
                 : s == kClasses + 1 ? &counts.delegates
                                     : &counts.own_delegates;
        });
  }
};

// One thread's sums of their edges.
struct EdgeSums {
  unsigned long long forward[kEdgeClasses] = {};

  // Adds the degrees of those of `kCount` rows that have a bit in `there`. All rows are
  // requested before the first is awaited: a condition would be a branch and a wait.
  template <typename Column, int kCount>
  __device__ void add(EdgeClass subgraph, const EitherView<Column>& graph,
                      const local_vertex_t (&rows)[kCount], unsigned there) {
    const EitherOffsets offsets = graph.row_offsets;
    std::uint64_t degrees[kCount];
#pragma unroll
    for (int t = 0; t < kCount; ++t) degrees[t] = offsets.degree(rows[t]);
#pragma unroll
    for (int t = 0; t < kCount; ++t) {
      forward[static_cast<std::size_t>(subgraph)] += (there >> t & 1U) != 0 ? degrees[t] : 0;
    }
  }
  // Called by all threads of the block.
  __device__ void add_to(LevelCounts& counts) const {
    unsigned long long any = 0;
    for (const unsigned long long each : forward) any |= each;
    if (__syncthreads_or(any != 0 ? 1 : 0) == 0) return;
    cuda::add_sums_of_block<kLookThreads / 32, kEdgeClasses, unsigned long long>(
        [this](unsigned s) {
          return __any_sync(kAllLanes, forward[s] != 0) != 0 ? cuda::sum_of_warp(forward[s]) : 0;
        },
        [&counts](unsigned s) { return &counts.forward[s]; });
  }
};

// All functions are called by all threads of a grid of blocks of kLookThreads: whole warps stay
// together, for places in the queues.
struct LevelBegin {
  EitherView<global_vertex_t> nn;
  EitherView<local_vertex_t> nd, dn, dd;
  const std::uint32_t* reached = nullptr;
  std::uint32_t* reached_before = nullptr;
  LabelView labels;
  local_vertex_t* queue = nullptr;  // normal vertices to begin from
  std::size_t normal_words = 0;
  std::uint32_t* visited = nullptr;  // of delegates
  LabelView delegate_labels;
  std::uint32_t* frontier = nullptr;
  local_vertex_t* list = nullptr;  // delegates to begin from
  std::size_t delegate_words = 0;
  const std::uint32_t* dn_sources = nullptr;
  const std::uint32_t* dd_sources = nullptr;
  const std::uint32_t* nn_sources = nullptr;
  const std::uint32_t* nd_sources = nullptr;
  const std::uint32_t* own = nullptr;

  // Begins the first pass: makes the delegates that the level before found the frontier. known(w,
  // before) returns those of the four words from w on that are visited now, where `before` were
  // visited earlier. `next` receives what is visited as this level begins; it may be null.
  template <typename Known>
  __device__ void take_delegates(Known known, std::uint32_t* next, level_t level,
                                 LevelSums& sums) const {
    for (std::size_t first = first_of_warp(); first < delegate_words; first += words_at_once()) {
      const std::size_t w = first + lane_id() * std::size_t{4};
      const uint4 before = w < delegate_words ? four(visited, w) : uint4{};
      const uint4 now = w < delegate_words ? known(w, before) : uint4{};
      const uint4 bits = without(now, before);
      if (w < delegate_words && next != nullptr) put_four(next, w, either(before, bits));
      if (any_of(bits)) {
        put_four(visited, w, either(before, bits));
        const uint4 in_dn = both(bits, four(dn_sources, w));
        const uint4 in_dd = both(bits, four(dd_sources, w));
        sums.add(EdgeClass::dn, count_of(in_dn));
        sums.add(EdgeClass::dd, count_of(in_dd));
        sums.delegates += count_of(bits);
        sums.own_delegates += count_of(both(bits, four(own, w)));
      }
      if (w < delegate_words) put_four(frontier, w, bits);
      delegate_labels.set(first, bits, level, words_of_warp());
    }
  }

  // Replaces take_delegates() where all were visited before: none is in the frontier.
  __device__ void take_no_delegates() const {
    for (std::size_t w = cuda::thread_in_grid() * std::size_t{4}; w < delegate_words;
         w += words_at_once()) {
      put_four(frontier, w, uint4{});
    }
  }

  // Labels and counts the level's normal vertices. `kQueues`: queues them, too, where all but nn is
  // visited backward or not at all, so that there is no second pass.
  template <bool kQueues>
  __device__ void take_normals(level_t level, LevelCounts& now, LevelSums& sums) const {
    for (std::size_t first = first_of_warp(); first < normal_words; first += words_at_once()) {
      const std::size_t w = first + lane_id() * std::size_t{4};
      uint4 bits{};
      uint4 begins{};
      if (w < normal_words) {
        const uint4 now_reached = four(reached, w);
        bits = without(now_reached, four(reached_before, w));
        if (any_of(bits)) {
          if constexpr (kQueues) put_four(reached_before, w, now_reached);
          begins = count_normals(bits, w, sums);
        }
      }
      labels.set(first, bits, level, words_of_warp());
      if (!kQueues || none_in_warp(bits)) continue;
      const auto no_sums = [](const auto& /*some*/, unsigned /*there*/) {};
      append_bits(cuda::StraightWords{first}, begins, queue, &now.queued, places_of_warp(),
                  no_sums);
    }
  }

  // Sums up the edges of all sources, which only a record of the level needs, in `now.all_edges`.
  // Called after delegates are taken and before normal vertices are.
  __device__ void sum_all_edges(LevelCounts& now) const {
    unsigned long long edges[kEdgeClasses] = {};
    const auto add = [&](EdgeClass subgraph, const auto& graph, local_vertex_t row) {
      edges[static_cast<std::size_t>(subgraph)] += graph.row_offsets.degree(row);
    };
    const auto each_bit = [](std::size_t word, std::uint32_t bits, auto&& visit) {
      for (; bits != 0; bits &= bits - 1) {
        visit(static_cast<local_vertex_t>(word * 32 + __ffs(static_cast<int>(bits)) - 1));
      }
    };
    for (std::size_t w = cuda::thread_in_grid(); w < delegate_words; w += cuda::threads_in_grid()) {
      each_bit(w, frontier[w], [&](local_vertex_t u) {
        add(EdgeClass::dn, dn, u);
        add(EdgeClass::dd, dd, u);
      });
    }
    for (std::size_t w = cuda::thread_in_grid(); w < normal_words; w += cuda::threads_in_grid()) {
      each_bit(w, reached[w] & ~reached_before[w], [&](local_vertex_t v) {
        add(EdgeClass::nn, nn, v);
        add(EdgeClass::nd, nd, v);
      });
    }
    for (std::size_t each = 0; each < kEdgeClasses; ++each) {
      cuda::add_of_block(edges[each], &now.all_edges[each]);
    }
  }

  // The second pass, after all threads have ended the first.
  __device__ void queue_frontier(const Wanted& wanted, LevelCounts& now) const {
    EdgeSums edges;
    queue_delegates(wanted, now, edges);
    queue_normals(wanted, now, edges);
    edges.add_to(now);
  }

 private:
  __device__ void queue_delegates(const Wanted& wanted, LevelCounts& now, EdgeSums& sums) const {
    const bool to_normals = wanted.forward[EdgeClass::dn];
    const bool to_delegates = wanted.forward[EdgeClass::dd];
    if (!to_normals && !to_delegates) return;
    const auto sum = [&](const auto& some, unsigned there) {
      if (wanted.edges[EdgeClass::dn]) sums.add(EdgeClass::dn, dn, some, there);
      if (wanted.edges[EdgeClass::dd]) sums.add(EdgeClass::dd, dd, some, there);
    };
    for (cuda::SpreadWords turn(delegate_words); turn.is_one(); turn.go_on()) {
      const std::size_t w = turn.own();
      uint4 bits{};
      if (w < delegate_words) bits = four(frontier, w);
      if (none_in_warp(bits)) continue;
      uint4 in_dn{};
      uint4 in_dd{};
      if (any_of(bits)) {
        if (to_normals) in_dn = both(bits, four(dn_sources, w));
        if (to_delegates) in_dd = both(bits, four(dd_sources, w));
      }
      append_bits(turn, either(in_dn, in_dd), list, &now.listed, places_of_warp(), sum);
    }
  }

  __device__ void queue_normals(const Wanted& wanted, LevelCounts& now, EdgeSums& sums) const {
    const auto sum = [&](const auto& some, unsigned there) {
      if (wanted.edges[EdgeClass::nd]) sums.add(EdgeClass::nd, nd, some, there);
    };
    const bool to_delegates = wanted.forward[EdgeClass::nd];
    for (cuda::SpreadWords turn(normal_words); turn.is_one(); turn.go_on()) {
      const std::size_t w = turn.own();
      uint4 bits{};
      if (w < normal_words) {
        const uint4 now_reached = four(reached, w);
        bits = without(now_reached, four(reached_before, w));
        if (any_of(bits)) put_four(reached_before, w, now_reached);
      }
      if (none_in_warp(bits)) continue;
      uint4 begins{};
      if (any_of(bits)) {
        begins = both(bits, four(nn_sources, w));
        if (to_delegates) begins = either(begins, both(bits, four(nd_sources, w)));
      }
      append_bits(turn, begins, queue, &now.queued, places_of_warp(), sum);
    }
  }

  // Counts the sources of four words from w on. Returns those with edges in nn.
  __device__ uint4 count_normals(const uint4& bits, std::size_t w, LevelSums& sums) const {
    const uint4 in_nn = both(bits, four(nn_sources, w));
    sums.add(EdgeClass::nn, count_of(in_nn));
    sums.add(EdgeClass::nd, count_of(both(bits, four(nd_sources, w))));
    sums.normals += count_of(bits);
    return in_nn;
  }
};

}  // namespace bfslab::distributed::delegate
