// SPDX-License-Identifier: Apache-2.0
// Answers in the ids of the searched graph, put into those of the graph as given.
#pragma once

#include <cstddef>

#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/traversal/status.hpp"

namespace bfslab::cuda {

// Maps the answer of a search from new ids to the ids of the graph as given.
// If ids are as given, `new_of_old` and `old_of_new` are null, and the answer is only copied.
struct AnswerMap {
  const vertex_t* new_of_old = nullptr;
  const vertex_t* old_of_new = nullptr;
  vertex_t searched = 0;              // the new ids below it have an answer
  vertex_t vertices = 0;              // as given
  const level_t* levels = nullptr;    // in new ids
  const vertex_t* parents = nullptr;  // null: not requested

  // Writes the answer to `out`. `source` as given. Called by all threads of the grid.
  __device__ void put(vertex_t source, const StatusView& out) const {
    constexpr int kEach = 4;  // in flight: each is two to four dependent words
    for (std::size_t first = thread_in_grid(); first < vertices;
         first += kEach * threads_in_grid()) {
      vertex_t id[kEach];
      level_t level[kEach];
      vertex_t parent[kEach];
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const std::size_t v = first + t * threads_in_grid();
        id[t] = v < vertices ? static_cast<vertex_t>(v) : kNoVertex;
        if (new_of_old != nullptr && v < vertices) id[t] = new_of_old[v];
      }
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const bool is_searched = id[t] < searched;
        level[t] = is_searched ? levels[id[t]] : kUnreached;
        parent[t] = is_searched && parents != nullptr ? parents[id[t]] : kNoVertex;
      }
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        if (old_of_new != nullptr && parent[t] != kNoVertex) parent[t] = old_of_new[parent[t]];
      }
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const std::size_t v = first + t * threads_in_grid();
        if (v >= vertices) continue;
        const bool is_source = v == source;
        out.levels[v] = is_source ? 0 : level[t];
        if (out.parents != nullptr) out.parents[v] = is_source ? source : parent[t];
      }
    }
  }
};

// Queues the copy of an answer to `out`, in a kernel of its own. `source` as given.
void map_answer(const AnswerMap& map, vertex_t source, const StatusView& out, const Stream& stream);

}  // namespace bfslab::cuda
