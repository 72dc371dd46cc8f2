// SPDX-License-Identifier: Apache-2.0
// The answers of searches that run together (batch.hpp): words of levels become levels of searches.
// Called by all threads of the grid.
//
// A level has a word per vertex, and an answer 4 bytes per vertex and search. If each level wrote
// its finds, most sectors of an answer would be written in two or three levels, in part. The words
// of the first kBatchWindow levels are therefore written together, and each vertex once: the words
// become 32 bytes of numbers per vertex, in the order of the search, which are then fetched in the
// order of the ids as given and spread over the answers. Deeper levels, which have few vertices,
// write their finds alone.
#pragma once

#include "kernels/cuda/engines/fused/batch_levels.cuh"

namespace bfslab::cuda {

// Returns a word with bit i of `byte` as its bit 4 i.
__device__ __forceinline__ std::uint32_t batch_spread(std::uint32_t byte) {
  std::uint32_t word = (byte | byte << 12) & 0x000F'000FU;
  word = (word | word << 6) & 0x0303'0303U;
  return (word | word << 3) & 0x1111'1111U;
}

// Numbers the levels 0, ... `last` of the first window, by vertex, for batch_write_all(), after a
// barrier of the grid.
template <typename Offset>
__device__ void batch_number(const BatchWork<Offset>& work, level_t last) {
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) {
    const SearchBits unseen = ~work.seen[v];
    SearchBits digit[BatchLevels::kDigits] = {};
#pragma unroll
    for (level_t level = 1; level < kBatchWindow; ++level) {
      const SearchBits found = level <= last ? work.found[level][v] : 0;
#pragma unroll
      for (unsigned i = 0; i < BatchLevels::kDigits; ++i) {
        if ((level >> i & 1U) != 0) digit[i] |= found;
      }
    }
    BatchLevels levels;
#pragma unroll
    for (unsigned w = 0; w < BatchLevels::kWords; ++w) {
      const auto spread = [w](SearchBits bits) {
        return batch_spread(static_cast<std::uint32_t>(bits >> 8 * w) & 0xFFU);
      };
      levels.word[w] = spread(unseen) * 15U;
#pragma unroll
      for (unsigned i = 0; i < BatchLevels::kDigits; ++i) levels.word[w] |= spread(digit[i]) << i;
    }
    work.numbers[v] = levels;
  }
}

// Returns the numbers of a vertex by its id as given. A vertex that is not searched is not seen.
template <typename Offset>
__device__ __forceinline__ BatchLevels batch_numbers_of(const BatchWork<Offset>& work,
                                                        std::size_t given) {
  const std::size_t v = work.new_of_old != nullptr ? work.new_of_old[given] : given;
  return v < work.vertices ? work.numbers[v] : BatchLevels{};
}

// Returns the level that number i of a word stands for: the number, or kUnreached for -1.
__device__ __forceinline__ level_t batch_level(std::uint32_t word, unsigned i) {
  static_assert(kUnreached == static_cast<level_t>(-1));
  return static_cast<level_t>(static_cast<std::int32_t>(word << (28 - 4 * i)) >> 28);
}

// Writes all levels of the answers, those of vertices that no search has seen, too. A block writes
// a tile of vertices, of one search after the other: its warps keep step, and each search gets
// a run of 16 KiB at a time. `kAdjacent`: a thread has adjacent vertices, whose levels are aligned.
template <bool kAdjacent, typename Offset>
__device__ void batch_write_tiles(const BatchWork<Offset>& work, const BatchRequest& request) {
  constexpr unsigned kEach = 4;
  const std::size_t n = work.given_vertices;
  const std::size_t tile = std::size_t{kEach} * blockDim.x;
  const unsigned first = kAdjacent ? kEach * threadIdx.x : threadIdx.x;
  const unsigned step = kAdjacent ? 1 : blockDim.x;
  for (std::size_t begin = tile * blockIdx.x; begin < n; begin += tile * gridDim.x) {
    BatchLevels of[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::size_t v = begin + first + t * step;
      if (v < n) of[t] = batch_numbers_of(work, v);
    }
    level_t* out = request.levels + begin + first;
#pragma unroll
    for (unsigned s = 0; s < kMaxBatch; ++s) {
      if (s >= request.count) break;
      level_t level[kEach];
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) level[t] = batch_level(of[t].word[s / 8], s % 8);
      __syncthreads();
      if constexpr (kAdjacent) {
        if (begin + first < n) {
          __stcs(reinterpret_cast<uint4*>(out), make_uint4(level[0], level[1], level[2], level[3]));
        }
      } else {
#pragma unroll
        for (unsigned t = 0; t < kEach; ++t) {
          if (begin + first + t * step < n) __stcs(out + t * step, level[t]);
        }
      }
      out += n;
    }
  }
}

template <typename Offset>
__device__ void batch_write_all(const BatchWork<Offset>& work, const BatchRequest& request) {
  if (work.given_vertices % 4 == 0) {  // the levels of all searches are aligned
    batch_write_tiles<true>(work, request);
  } else {
    batch_write_tiles<false>(work, request);
  }
}

// Writes the finds of the levels `first`, ... `last`, of a later window.
template <typename Offset>
__device__ void batch_write_later(const BatchWork<Offset>& work, const BatchRequest& request,
                                  level_t first, level_t last) {
  const std::size_t n = work.given_vertices;
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) {
    for (level_t level = first; level <= last; ++level) {
      SearchBits found = batch_found(work, level)[v];
      if (found == 0) continue;
      level_t* const out = request.levels + (work.old_of_new != nullptr ? work.old_of_new[v] : v);
      for (; found != 0; found &= found - 1) {
        out[n * static_cast<unsigned>(__ffsll(static_cast<long long>(found)) - 1)] = level;
      }
    }
  }
}

// Writes what the levels up to `last` have found since the last such call: a window, or the last
// part of one. It ends with a barrier of the grid, so that words may be used again.
template <typename Offset>
__device__ void batch_write(const BatchWork<Offset>& work, const BatchRequest& request,
                            level_t last) {
  const level_t first = last / kBatchWindow * kBatchWindow;
  if (first == 0) {
    batch_number(work, last);
    barrier_of_grid();
    batch_write_all(work, request);
  } else {
    batch_write_later(work, request, first, last);
  }
  barrier_of_grid();
}

// Labels the sources, of which those without edges are not searched.
template <typename Offset>
__device__ void batch_write_sources(const BatchWork<Offset>& work, const BatchRequest& request) {
  const unsigned s = thread_in_grid();
  if (s < request.count) {
    request.levels[std::size_t{s} * work.given_vertices + request.sources[s]] = 0;
  }
}

}  // namespace bfslab::cuda
