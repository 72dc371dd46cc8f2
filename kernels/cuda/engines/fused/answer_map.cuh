// SPDX-License-Identifier: Apache-2.0
// Answers in the ids of the searched graph, put into those of the graph as given. The ids are read
// in the order as given (given_order.hpp). Levels and parents lie all over; two kinds of vertices
// need less of them:
//
//   leaves   have their neighbours' level and one more, on request. The neighbour is mostly a hub,
//            and a search need not label leaves
//   marked   vertices have kFirstParent in their level: the parent is the first neighbour, which is
//            read in order. Other parents take two dependent reads
#pragma once

#include <cstddef>

#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/engines/fused/given_order.hpp"
#include "kernels/cuda/fused/work.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/status.hpp"

namespace bfslab::cuda {

// Maps the answer of a search from new ids to the ids of the graph as given. If ids are as given,
// `new_of_old` is null, and the answer is only copied.
struct AnswerMap {
  GivenOrderView given;
  const vertex_t* new_of_old = nullptr;
  const vertex_t* old_of_new = nullptr;
  vertex_t inner = 0;                 // the new ids below it have levels of their own
  vertex_t vertices = 0;              // as given
  const level_t* levels = nullptr;    // in new ids
  const vertex_t* parents = nullptr;  // null: not requested, or no vertex is searched

  // Writes the answer to `out`. `source` as given. Called by all threads of the grid.
  __device__ void put(vertex_t source, const StatusView& out) const {
    if (new_of_old == nullptr) return copy(out);
    const std::size_t words = (std::size_t{vertices} + 31) / 32;
    const std::size_t warps = threads_in_grid() / 32;
    const vertex_t source_id = new_of_old[source];
    // Neighbouring words go to different warps, so that these read the same parts of `levels`.
    std::size_t word = thread_in_grid() / 32;
    Turn next = turn_at(word, warps, words);
    for (; word < words; word += kEach * warps) {
      const Turn turn = next;
      next = turn_at(word + kEach * warps, warps, words);
      put_turn(turn, word, warps, source, source_id, out);
    }
  }

 private:
  static constexpr unsigned kEach = 4;  // words of a turn: each is two to four dependent reads

  // Lane t of a warp has the t-th word of each array; the lanes from kEach on have none.
  struct Turn {
    std::uint32_t bits = 0, before = 0, leaves = 0;
  };

  // Requests the words `word`, `word` + `warps`, and so on.
  [[nodiscard]] __device__ __forceinline__ Turn turn_at(std::size_t word, std::size_t warps,
                                                        std::size_t words) const {
    const std::size_t w = word + lane_id() * warps;
    if (lane_id() >= kEach || w >= words) return {};
    return {given.searched.bits[w], given.searched.before[w],
            given.leaves != nullptr ? given.leaves[w] : 0};
  }

  // Writes the answers of the vertices of a turn. Called by all lanes.
  __device__ __forceinline__ void put_turn(const Turn& turn, std::size_t word, std::size_t warps,
                                           vertex_t source, vertex_t source_id,
                                           const StatusView& out) const {
    std::uint32_t place[kEach];  // in the order
    vertex_t id[kEach];
    bool is_leaf[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::uint32_t bits = __shfl_sync(kAllLanes, turn.bits, t);
      place[t] = __shfl_sync(kAllLanes, turn.before, t) + __popc(bits & lanes_below());
      is_leaf[t] = (__shfl_sync(kAllLanes, turn.leaves, t) >> lane_id() & 1U) != 0;
      id[t] = (bits >> lane_id() & 1U) != 0 ? given.ids[place[t]] : kNoVertex;
    }
    level_t level[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      // A leaf's only neighbour may be a leaf, too, which no search labels.
      const bool has_level = id[t] != kNoVertex && (!is_leaf[t] || id[t] < inner);
      level[t] = has_level ? levels[id[t]] : kUnreached;
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      if (!is_leaf[t]) continue;
      if (id[t] == source_id) level[t] = 0;
      if (level[t] != kUnreached) level[t] = (level[t] & ~kFirstParent) + 1;
    }
    if (out.parents != nullptr) {
      put_parents(word, warps, source, place, id, is_leaf, level, out.parents);
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::size_t v = (word + t * warps) * 32 + lane_id();
      if (v >= vertices) continue;
      if (level[t] != kUnreached) level[t] &= ~kFirstParent;
      out.levels[v] = v == source ? 0 : level[t];
    }
  }

  __device__ __forceinline__ void put_parents(std::size_t word, std::size_t warps, vertex_t source,
                                              const std::uint32_t (&place)[kEach],
                                              const vertex_t (&id)[kEach],
                                              const bool (&is_leaf)[kEach],
                                              const level_t (&level)[kEach], vertex_t* out) const {
    vertex_t parent[kEach];
    bool is_first[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const bool is_reached = level[t] != kUnreached;
      is_first[t] = given.first_parents != nullptr &&
                    (is_leaf[t] || (is_reached && (level[t] & kFirstParent) != 0));
      parent[t] = kNoVertex;
      if (!is_reached) continue;
      if (is_first[t]) {
        parent[t] = given.first_parents[place[t]];
      } else {
        parent[t] = is_leaf[t] ? id[t] : parents[id[t]];  // a leaf has its neighbour's id
      }
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      if (parent[t] != kNoVertex && !is_first[t]) parent[t] = old_of_new[parent[t]];
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::size_t v = (word + t * warps) * 32 + lane_id();
      if (v < vertices) out[v] = v == source ? source : parent[t];
    }
  }

  __device__ void copy(const StatusView& out) const {
    for (std::size_t v = thread_in_grid(); v < vertices; v += threads_in_grid()) {
      out.levels[v] = levels[v];
      if (out.parents != nullptr) out.parents[v] = parents[v];
    }
  }
};

// Queues the copy of an answer to `out`, in a kernel of its own. `source` as given.
void map_answer(const AnswerMap& map, vertex_t source, const StatusView& out, const Stream& stream);

}  // namespace bfslab::cuda
