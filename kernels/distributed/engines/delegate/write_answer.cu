// SPDX-License-Identifier: Apache-2.0
// The kernels that write the answer (answer.cuh).
#include "kernels/distributed/engines/delegate/answer.cuh"

#include <algorithm>

#include "kernels/cuda/device/cooperative.hpp"

namespace bfslab::distributed::delegate {

namespace {

constexpr unsigned kEach = 4;  // vertices, or words, that a thread or a warp has at once

struct AnswerArgs {
  RankedView normals, own_delegates;
  const local_vertex_t* delegate_numbers = nullptr;
  LabelView labels, delegate_labels;
  const vertex_t* place_parents = nullptr;
  // NormalsLook::found_first, the first entries of rows, and the names of delegates; or null.
  const std::uint32_t* found_first = nullptr;
  const FirstEntry* first = nullptr;
  const vertex_t* names = nullptr;
  const vertex_t* delegate_parents = nullptr;
  level_t* levels = nullptr;  // by id
  vertex_t* parents = nullptr;
  std::uint32_t owned = 0;
  local_vertex_t source = 0;  // the vertex of the place after the last
};

// Returns a word of bits or of labels that begins at place `at` of an array of such words.
template <unsigned kBits>
__device__ std::uint32_t window(const std::uint32_t* words, std::size_t at) {
  constexpr unsigned kEach = 32 / kBits;
  return __funnelshift_r(words[at / kEach], words[at / kEach + 1],
                         static_cast<unsigned>(at % kEach) * kBits);
}

__device__ bool has(unsigned bits, unsigned t) { return (bits >> t & 1U) != 0; }

// Stores the answers of four vertices from i * 4 on: `at` has their places or, of those with a bit
// in `delegates`, their numbers.
template <bool kParents>
__device__ __forceinline__ void store(const AnswerArgs& args, std::uint64_t i, unsigned delegates,
                                      const std::uint32_t (&at)[kEach],
                                      const std::uint32_t (&label)[kEach],
                                      vertex_t (&parent)[kEach]) {
  level_t level[kEach];
#pragma unroll
  for (unsigned t = 0; t < kEach; ++t) {
    level[t] = (has(delegates, t) ? args.delegate_labels : args.labels).level(label[t], at[t]);
    if constexpr (kParents) {
      if (label[t] == LabelView::kNone) parent[t] = kNoVertex;  // that of a former search
    }
  }
  if ((i + 1) * kEach <= args.owned) {
    __stcs(reinterpret_cast<uint4*>(args.levels) + i,
           make_uint4(level[0], level[1], level[2], level[3]));
    if constexpr (kParents) {
      __stcs(reinterpret_cast<uint4*>(args.parents) + i,
             make_uint4(parent[0], parent[1], parent[2], parent[3]));
    }
    return;
  }
#pragma unroll
  for (unsigned t = 0; t < kEach; ++t) {
    if (i * kEach + t >= args.owned) continue;
    args.levels[i * kEach + t] = level[t];
    if constexpr (kParents) args.parents[i * kEach + t] = parent[t];
  }
}

// Writes levels and parents by id, of normal vertices and of delegates that the member owns. Cost:
// half a byte read and 4 written for each owned vertex and half a byte for its label, all in order;
// with parents 4 read and 4 written more, and the name of a hub where that is a row's first entry.
//
// The instructions per vertex cost the same: adjacent normal vertices have adjacent places, whose
// labels come in one window.
template <bool kParents>
__global__ void write_levels(const __grid_constant__ AnswerArgs args) {
  for (std::uint64_t i = cuda::thread_in_grid(); i * kEach < args.owned;
       i += cuda::threads_in_grid()) {
    const std::size_t word = i * kEach / 32;
    const auto shift = static_cast<unsigned>(i * kEach % 32);
    const std::uint32_t place_bits = args.normals.bits[word];
    const std::uint32_t delegate_bits = args.own_delegates.bits[word];
    const std::uint32_t place = args.normals.rank(word, place_bits, shift);
    const std::uint32_t own = args.own_delegates.rank(word, delegate_bits, shift);
    const unsigned with_place = place_bits >> shift & 0xFU;
    const unsigned delegates = delegate_bits >> shift & 0xFU;
    const auto before = [](unsigned bits, unsigned t) { return __popc(bits & ((1U << t) - 1)); };
    // Each step asks for what all vertices need, and then waits once. First, normal vertices.
    const std::uint32_t labels = window<4>(args.labels.low, place);
    const bool notes_first = kParents && args.found_first != nullptr;
    const std::uint32_t firsts = notes_first ? window<1>(args.found_first, place) : 0;
    std::uint32_t at[kEach];  // the place, or the delegate's number
    std::uint32_t label[kEach];
    vertex_t parent[kEach];
    local_vertex_t first[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const unsigned nth = before(with_place, t);
      at[t] = place + nth;
      label[t] = has(with_place, t) ? labels >> 4 * nth & 0xFU : LabelView::kNone;
      if constexpr (kParents) {
        if (has(with_place, t)) parent[t] = args.place_parents[at[t]];
        if (has(with_place, t) && notes_first) first[t] = args.first[at[t]].entry();
      }
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      if (has(delegates, t)) at[t] = args.delegate_numbers[own + before(delegates, t)];
    }
    // Then, delegates, and rows whose first entry is the parent.
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      if (has(delegates, t)) label[t] = args.delegate_labels.label(at[t]);
      if constexpr (kParents) {
        if (has(delegates, t)) parent[t] = args.delegate_parents[at[t]];
        const bool is_first = has(with_place & firsts >> before(with_place, t) << t, t);
        if (is_first) parent[t] = args.names[first[t]];
      }
    }
    if (i == args.source / kEach) {  // it may have no place
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) {
        if (t != args.source % kEach || has(with_place | delegates, t)) continue;
        at[t] = args.normals.count;
        label[t] = args.labels.label(at[t]);
        if constexpr (kParents) parent[t] = args.place_parents[at[t]];
      }
    }
    store<kParents>(args, i, delegates, at, label, parent);
  }
}

struct DelegateParentsArgs {
  const std::uint32_t* visited = nullptr;
  const std::uint32_t* own = nullptr;
  vertex_t* const* parents = nullptr;  // of delegates, by member, in its memory
  std::size_t words = 0;               // of delegates' bits
  DelegateStripes stripes;
  unsigned me = 0;
  const OneKernelArgs::Done* done = nullptr;
};

// Reads the parents of own delegates that others have found, after the levels of all members: first
// from the owner of a delegate's stripe, which looked for its parent in dd. A warp takes adjacent
// words, so that it reads whole lines of another's memory. Cost: 4 bytes of another's memory for
// each, and 4 more for each member that is asked in vain.
__global__ void read_delegate_parents(const __grid_constant__ DelegateParentsArgs args) {
  static_assert(DelegateStripes::kWords % kEach == 0, "words of one stripe");
  if (args.done->gave_up) return;  // others may be gone
  const auto members = static_cast<unsigned>(args.stripes.members.value());
  const unsigned lane = lane_id();
  vertex_t* const own_parents = args.parents[args.me];
  const std::uint64_t apart = cuda::threads_in_grid() / 32 * kEach;
  for (std::uint64_t first = cuda::thread_in_grid() / 32 * kEach; first < args.words;
       first += apart) {
    bool lacks[kEach];
    bool any = false;
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::uint64_t word = first + t;
      const std::uint32_t bits = word < args.words ? args.visited[word] & args.own[word] : 0;
      lacks[t] = (bits >> lane & 1U) != 0;
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      lacks[t] = lacks[t] && own_parents[(first + t) * 32 + lane] == kNoVertex;
      any = any || lacks[t];
    }
    unsigned from = args.stripes.owner_of_word(first);
    for (unsigned other = 0; other < members && any; ++other) {
      const unsigned member = from;
      from = from + 1 == members ? 0 : from + 1;
      if (member == args.me) continue;
      const vertex_t* const theirs = args.parents[member];
      vertex_t parent[kEach];
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) {
        parent[t] = lacks[t] ? theirs[(first + t) * 32 + lane] : kNoVertex;
      }
      any = false;
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) {
        if (parent[t] != kNoVertex) own_parents[(first + t) * 32 + lane] = parent[t];
        lacks[t] = lacks[t] && parent[t] == kNoVertex;
        any = any || lacks[t];
      }
    }
  }
}

}  // namespace

void write_answer(const GpuMemory& memory, local_vertex_t source) {
  if (memory.graph.owned == 0) return;
  const AnswerArgs args{.normals = memory.with_place(),
                        .own_delegates = RankedView::from(memory.places.own_delegates),
                        .delegate_numbers = memory.places.delegate_numbers.data(),
                        .labels = memory.labels(),
                        .delegate_labels = memory.delegate_labels(),
                        .place_parents = memory.status.place_parents.data(),
                        .found_first = memory.status.found_first.data(),
                        .first = memory.arrays.nd_first.data(),
                        .names = memory.status.names.data(),
                        .delegate_parents = memory.delegate_parents,
                        .levels = memory.status.levels.data(),
                        .parents = memory.status.parents.data(),
                        .owned = memory.graph.owned,
                        .source = source};
  const auto launch = [&]<bool kParents>() {
    static const unsigned most = cuda::blocks_at_once(&write_levels<kParents>, kBlockThreads, 0);
    const unsigned blocks = std::min(most, blocks_for(args.owned / kEach + 1));
    BFSLAB_LAUNCH(write_levels<kParents>, blocks, memory.stream, args);
  };
  memory.parents_wanted ? launch.operator()<true>() : launch.operator()<false>();
}

void read_parents_of_delegates(const GpuMemory& memory, vertex_t* const* parents,
                               const OneKernelArgs::Done* done) {
  const DelegateParentsArgs args{.visited = memory.status.visited.data(),
                                 .own = memory.arrays.own.data(),
                                 .parents = parents,
                                 .words = memory.status.visited.size(),
                                 .stripes = {Divisor(memory.members)},
                                 .me = memory.me,
                                 .done = done};
  const unsigned blocks = blocks_for(memory.graph.delegate_count() / 4 + 1);
  BFSLAB_LAUNCH(read_delegate_parents, blocks, memory.stream, args);
}

}  // namespace bfslab::distributed::delegate
