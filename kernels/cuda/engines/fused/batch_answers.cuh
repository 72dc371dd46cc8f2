// SPDX-License-Identifier: Apache-2.0
// The answers of searches that run together (batch.hpp): words of levels become levels of searches.
// Called by all threads of the grid.
//
// A level has a word per vertex, and an answer 4 bytes per vertex and search. If each level wrote
// its finds, most sectors of an answer would be written in two or three levels, in part. The words
// of the first kBatchWindow levels are therefore written together, and each vertex once. Deeper
// levels, which have few vertices, write their finds alone.
#pragma once

#include "kernels/cuda/engines/fused/batch_levels.cuh"

namespace bfslab::cuda {

// Numbers the levels 0, ... `last` of the first window, by vertex, for batch_write_all(), after a
// barrier of the grid.
template <typename Offset>
__device__ void batch_number(const BatchWork<Offset>& work, level_t last) {
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) {
    BatchLevels levels;
    levels.seen = work.seen[v];
#pragma unroll
    for (level_t level = 1; level < kBatchWindow; ++level) {
      const SearchBits found = level <= last ? work.found[level][v] : 0;
#pragma unroll
      for (unsigned i = 0; i < BatchLevels::kDigits; ++i) {
        if ((level >> i & 1U) != 0) levels.digit[i] |= found;
      }
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

// Stores adjacent levels, which nothing reads soon.
__device__ __forceinline__ void batch_store(level_t* out, const level_t (&level)[1]) {
  __stcs(out, level[0]);
}
__device__ __forceinline__ void batch_store(level_t* out, const level_t (&level)[4]) {
  __stcs(reinterpret_cast<uint4*>(out), make_uint4(level[0], level[1], level[2], level[3]));
}

// Writes all levels of the answers, those of vertices that no search has seen, too, for `kEach`
// adjacent vertices per thread.
template <unsigned kEach, typename Offset>
__device__ void batch_write_each(const BatchWork<Offset>& work, const BatchRequest& request) {
  const std::size_t n = work.given_vertices;
  for (std::size_t v = std::size_t{thread_in_grid()} * kEach; v < n;
       v += std::size_t{threads_in_grid()} * kEach) {
    BatchLevels of[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) of[t] = batch_numbers_of(work, v + t);
    level_t* out = request.levels + v;
    for (unsigned half = 0; half < 2; ++half) {
      std::uint32_t seen[kEach];
      std::uint32_t digit[kEach][BatchLevels::kDigits];
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) {
        seen[t] = static_cast<std::uint32_t>(of[t].seen >> 32 * half);
#pragma unroll
        for (unsigned i = 0; i < BatchLevels::kDigits; ++i) {
          digit[t][i] = static_cast<std::uint32_t>(of[t].digit[i] >> 32 * half);
        }
      }
      const unsigned count = request.count < 32 * half ? 0 : min(request.count - 32 * half, 32U);
      for (unsigned s = 0; s < count; ++s, out += n) {
        level_t level[kEach];
#pragma unroll
        for (unsigned t = 0; t < kEach; ++t) {
          level_t number = 0;
#pragma unroll
          for (unsigned i = 0; i < BatchLevels::kDigits; ++i) {
            number |= (digit[t][i] >> s & 1U) << i;
          }
          level[t] = (seen[t] >> s & 1U) != 0 ? number : kUnreached;
        }
        batch_store(out, level);
      }
    }
  }
}

template <typename Offset>
__device__ void batch_write_all(const BatchWork<Offset>& work, const BatchRequest& request) {
  if (work.given_vertices % 4 == 0) {  // the rows of all searches are aligned
    batch_write_each<4>(work, request);
  } else {
    batch_write_each<1>(work, request);
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
