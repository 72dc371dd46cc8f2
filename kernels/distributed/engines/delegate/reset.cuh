// SPDX-License-Identifier: Apache-2.0
// How a search of `delegate-cuda` begins on a GPU: nothing is reached but the source.
//
// Where one kernel runs all levels, the first begins here, too: its frontier is the source.
//
// Cost: half a byte written for each normal vertex with edges and each delegate, 4 bytes more for a
// delegate with parents, and a quarter and a half of a byte for bits.
#pragma once

#include "kernels/distributed/engines/delegate/edge_actions.cuh"
#include "kernels/distributed/engines/delegate/level_begin.cuh"

namespace bfslab::distributed::delegate {

struct ResetView {
  NormalView normals;
  std::uint32_t* found_first = nullptr;  // NormalsLook::found_first; or null
  DelegateView delegates;
  bool begins = false;                  // one kernel runs all levels
  std::uint32_t* also_known = nullptr;  // by levels of even number, where it does
  std::uint32_t* touched = nullptr;     // the same, DelegateView::touched; or null
  LevelCounts* counts = nullptr;        // [kLevelSlots]
  RankedView places;
  std::uint32_t delegate_count = 0;
  std::uint64_t* sent_begin = nullptr;  // as SentView has them
  std::uint32_t* sent_count = nullptr;
  const std::uint64_t* sent_first = nullptr;  // [members] SentLists::first; null: zeros
  unsigned members = 1;
  // The source: a delegate, or a vertex of this member by its local id, or kNone; and its name as
  // its own parent.
  local_vertex_t delegate = LocalWork::kNone;
  local_vertex_t vertex = LocalWork::kNone;
  vertex_t name = kNoVertex;

  // Called by all threads of a grid. `begin` has the bits and labels of the search.
  __device__ void reset(const LevelBegin& begin) const {
    const local_vertex_t place = vertex != LocalWork::kNone ? places.place(vertex) : vertex;
    const std::size_t step = cuda::threads_in_grid();
    const std::size_t first = cuda::thread_in_grid();
    constexpr std::uint32_t kNoLabels = LabelView::kNone * LabelView::kEach;
    const uint4 none = make_uint4(kNoLabels, kNoLabels, kNoLabels, kNoLabels);  // of a word
    for (std::size_t w = first; w < begin.normal_words; w += step) {
      reinterpret_cast<uint4*>(begin.labels.low)[w] = none;
    }
    for (std::size_t w = first; w < begin.delegate_words; w += step) {
      reinterpret_cast<uint4*>(begin.delegate_labels.low)[w] = none;
    }
    if (normals.parents != nullptr) {
      if (first == 0 && place != LocalWork::kNone) normals.parents[place] = name;
      for (std::size_t u = first; u < delegate_count; u += step) {
        delegates.parents[u] = u == delegate ? name : kNoVertex;
      }
    }
    const auto bit_in = [](std::size_t word, local_vertex_t i) {
      return i != LocalWork::kNone && i / 32 == word ? 1U << (i % 32) : 0U;
    };
    for (std::size_t w = first; w < begin.normal_words; w += step) {
      const std::uint32_t source = bit_in(w, place);
      normals.reached[w] = source;
      if (found_first != nullptr) found_first[w] = 0;
      begin.reached_before[w] = begins ? source : 0;
      if (begins && source != 0) begin.labels.begin_with(place);
    }
    for (std::size_t w = first; w < begin.delegate_words; w += step) {
      const std::uint32_t source = bit_in(w, delegate);
      delegates.known[w] = source;
      begin.visited[w] = begin.frontier[w] = begins ? source : 0;
      if (!begins) continue;
      also_known[w] = source;
      if (touched != nullptr && w % 32 == 0) touched[w / 32] = 0;
      if (source != 0) begin.delegate_labels.begin_with(delegate);
    }
    for (std::size_t i = first; i < kLevelSlots; i += step) counts[i] = LevelCounts{};
    for (std::size_t to = first; members > 1 && to < members; to += step) {
      sent_begin[to] = sent_first != nullptr ? sent_first[to] : 0;
      sent_count[to] = 0;
    }
  }
};

}  // namespace bfslab::distributed::delegate
