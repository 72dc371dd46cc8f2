// SPDX-License-Identifier: Apache-2.0
// Top-down levels whose edges are mostly of long rows. A block visits one range of ids: that part
// of each long row (cut_rows.hpp). The range's bits are in its shared memory, so that an entry
// costs no look into the second-level cache. Then the block sets the bits that are new in
// `visited`. Bits of the entries of other rows are set as in a sweep (sweep.cuh), which also
// follows.
//
// Parts of rows differ in length. A block therefore lists them in segments of at most kSegment
// entries, which its warps take in turn. It does so with rows that are not cut, too.
#pragma once

#include "kernels/cuda/fused/sweep.cuh"

namespace bfslab::cuda {

// Shared memory of such a level; the range's bits follow it.
struct FusedCutMemory {
  static constexpr unsigned kAtOnce = 8;  // entries in flight per lane
  static constexpr unsigned kSegment = 32 * kAtOnce;
  static constexpr unsigned kListed = 1024;

  // Entries of the row of a vertex.
  struct Part {
    edge_t begin = 0;
    vertex_t of = 0;
    unsigned length = 0;
  };

  Part listed[kListed];
  std::uint32_t count;
  std::uint32_t unused[3];  // bits are read four words at once
};

// Sets bits of a range, which are in shared memory.
struct FusedVisitRange {
  static constexpr int kBatch = FusedCutMemory::kAtOnce;
  std::uint32_t* bits;
  std::uint32_t first_word;
  vertex_t* parents;  // null: not requested

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return bits[word - first_word]; });
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    if (parents != nullptr) parents[to] = from;
    atomicOr(bits + (to / 32 - first_word), 1U << to % 32);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<FusedVisitRange>);

// Visits parts of rows: part_of(i) is that of the i-th entry, for entries `from`, from + step, ...
// below `count`. A part may be empty. Called by all threads of a block.
template <typename Work, typename PartOf, typename Action>
__device__ __forceinline__ void fused_visit_parts(const Work& work, std::uint32_t from,
                                                  std::uint32_t step, std::uint32_t count,
                                                  PartOf part_of, const Action& action) {
  using Memory = FusedCutMemory;
  auto& memory = *reinterpret_cast<Memory*>(fused_shared());
  for (std::uint32_t base = from; base < count; base += step * kFusedThreads) {
    const std::uint32_t i = base + step * threadIdx.x;
    Memory::Part part;
    if (i < count) part = part_of(i);
    do {  // lists what the list has room for
      if (threadIdx.x == 0) memory.count = 0;
      __syncthreads();
      const unsigned segments = (part.length + Memory::kSegment - 1) / Memory::kSegment;
      const std::uint32_t place = places_of_warp(&memory.count, segments);
      for (unsigned s = 0; s < segments && place + s < Memory::kListed; ++s) {
        const unsigned length = min(part.length, Memory::kSegment);
        memory.listed[place + s] = {part.begin, part.of, length};
        part.begin += length;
        part.length -= length;
      }
      __syncthreads();
      const std::uint32_t listed = min(memory.count, Memory::kListed);
      for (std::uint32_t s = threadIdx.x / 32; s < listed; s += kFusedWarps) {
        const Memory::Part segment = memory.listed[s];
        const vertex_t* const entries = work.out.columns + segment.begin + lane_id();
        vertex_t to[Memory::kAtOnce];
#pragma unroll
        for (unsigned j = 0; j < Memory::kAtOnce; ++j) {
          to[j] = 32 * j + lane_id() < segment.length ? entries[32 * j] : kNoVertex;
        }
        __syncwarp();  // keeps compilers from looking at the first before all are requested
        const unsigned open = action.open_among(to);
#pragma unroll
        for (unsigned j = 0; j < Memory::kAtOnce; ++j) {
          if ((open >> j & 1U) != 0) action.found(segment.of, to[j]);
        }
      }
    } while (__syncthreads_or(part.length > 0 ? 1 : 0) != 0);
  }
}

// Copies a range's bits into shared memory. `visited`: the range's first word.
__device__ inline void fused_load_range(std::uint32_t* bits, const std::uint32_t* visited,
                                        std::uint32_t words) {
#pragma unroll 3
  for (std::uint32_t w = 4 * threadIdx.x; w + 4 <= words; w += 4 * kFusedThreads) {
    put_four(bits, w, four(visited, w));
  }
  const std::uint32_t w = words / 4 * 4 + threadIdx.x;
  if (w < words) bits[w] = visited[w];
}

// Sets a range's bits in `visited`, unless they are set there.
__device__ inline void fused_store_range(const std::uint32_t* bits, std::uint32_t* visited,
                                         std::uint32_t words) {
  const auto set = [&](std::uint32_t w, std::uint32_t has, std::uint32_t had) {
    if ((has & ~had) != 0) atomicOr(visited + w, has);
  };
#pragma unroll 3
  for (std::uint32_t w = 4 * threadIdx.x; w + 4 <= words; w += 4 * kFusedThreads) {
    const uint4 had = __ldcg(reinterpret_cast<const uint4*>(visited + w));
    const uint4 has = four(bits, w);
    set(w, has.x, had.x);
    set(w + 1, has.y, had.y);
    set(w + 2, has.z, had.z);
    set(w + 3, has.w, had.w);
  }
  const std::uint32_t w = words / 4 * 4 + threadIdx.x;
  if (w < words) set(w, bits[w], fresh(visited + w));
}

// Visits the range's part of every `sharing`-th long row of a queue, from the `first` on.
template <typename Work>
__device__ __forceinline__ void fused_visit_range(const Work& work, const vertex_t* queue,
                                                  std::uint32_t count, unsigned range,
                                                  unsigned first, unsigned sharing) {
  const CutRowsView& rows = work.cut_rows;
  auto* const bits = reinterpret_cast<std::uint32_t*>(fused_shared() + sizeof(FusedCutMemory));
  const std::uint32_t first_word = rows.words[range];
  const std::uint32_t words = rows.words[range + 1] - first_word;
  std::uint32_t* const visited = work.visited + first_word;
  fused_load_range(bits, visited, words);
  __syncthreads();
  const auto part_of = [&](std::uint32_t i) -> FusedCutMemory::Part {
    const vertex_t u = queue[i];
    if (u >= rows.rows) return {};
    const std::uint32_t* const cuts = rows.cuts + std::size_t{u} * (rows.ranges + 1) + range;
    return {edge_t{work.out.row_offsets[u]} + cuts[0], u, cuts[1] - cuts[0]};
  };
  fused_visit_parts(work, first, sharing, count, part_of,
                    FusedVisitRange{bits, first_word, work.parents});
  fused_store_range(bits, visited, words);
  __syncthreads();  // another range may follow
}

// Visits every edge of a frontier in its queue. Called by all threads of the grid; course.queued is
// set by one thread of each block. Not inlined, since it would take registers from other levels.
template <typename Work>
__device__ __noinline__ void fused_expand_cut(const Work& work, const FusedCourse& course) {
  __syncthreads();
  const vertex_t* const queue = work.queues[course.at.level % 2] + course.queue_from;
  const std::uint32_t count = course.queued;
  const auto row_of = [&](std::uint32_t i) -> FusedCutMemory::Part {
    const vertex_t u = queue[i];
    if (u < work.cut_rows.rows) return {};
    const edge_t begin = work.out.row_offsets[u];
    return {begin, u, static_cast<unsigned>(work.out.row_offsets[u + std::size_t{1}] - begin)};
  };
  fused_visit_parts(work, blockIdx.x, gridDim.x, count, row_of, fused_visit(work));
  const unsigned ranges = work.cut_rows.ranges;
  if (ranges <= gridDim.x) {
    const unsigned range = blockIdx.x % ranges;
    fused_visit_range(work, queue, count, range, blockIdx.x / ranges,
                      (gridDim.x - 1 - range) / ranges + 1);
    return;
  }
  for (unsigned range = blockIdx.x; range < ranges; range += gridDim.x) {
    fused_visit_range(work, queue, count, range, 0, 1);
  }
}

}  // namespace bfslab::cuda
