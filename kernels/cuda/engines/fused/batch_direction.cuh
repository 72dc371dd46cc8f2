// SPDX-License-Identifier: Apache-2.0
// The direction of each search in a level of searches that run together (batch.hpp). Called by all
// threads of the grid unless a function says otherwise.
#pragma once

#include "kernels/cuda/engines/fused/batch_levels.cuh"

namespace bfslab::cuda {

// A word is 32 vertices. The edges of each search are counted in the first kBatchCountedWords
// words, which have the hubs if ids are ordered by degree, and beyond them in every
// kBatchSampledWords-th.
inline constexpr unsigned kBatchCountedWords = 1024;
inline constexpr unsigned kBatchSampledWords = 16;

// The limits among which a level's direction is chosen (ExpectedWork::together).
inline constexpr unsigned kBatchLimits = 32;
__device__ inline std::uint64_t batch_limit(unsigned i) {
  if (i == 0) return 0;
  return i + 1 == kBatchLimits ? ExpectedWork::kAllDown : std::uint64_t{256} << i;
}

// A level is split if that is expected to take at most this share of its time in one direction.
inline constexpr double kBatchClearly = 0.8;

// Sums the out-degrees of the frontier for each search, in a sample.
template <typename Offset>
__device__ void batch_sample(const BatchWork<Offset>& work, level_t level) {
  __shared__ unsigned long long sums[kMaxBatch];
  if (threadIdx.x < kMaxBatch) sums[threadIdx.x] = 0;
  __syncthreads();
  const SearchBits* const frontier = batch_found(work, level);
  const std::size_t words = (std::size_t{work.vertices} + 31) / 32;
  const std::size_t counted = words < kBatchCountedWords ? words : kBatchCountedWords;
  const std::size_t parts =
      counted + (words - counted + kBatchSampledWords - 1) / kBatchSampledWords;
  unsigned long long low = 0;  // of the searches lane_id() and 32 + lane_id()
  unsigned long long high = 0;
  for (std::size_t i = thread_in_grid() / 32; i < parts; i += threads_in_grid() / 32) {
    const std::size_t w = i < counted ? i : counted + (i - counted) * kBatchSampledWords;
    const std::size_t v = 32 * w + lane_id();
    const SearchBits bits = v < work.vertices ? frontier[v] : 0;
    if (__any_sync(kAllLanes, bits != 0) == 0) continue;
    unsigned long long degree = bits != 0 ? degree_of(work.out, static_cast<vertex_t>(v)) : 0;
    if (i >= counted) degree *= kBatchSampledWords;
    for (int j = 0; j < 32; ++j) {
      const SearchBits searches = __shfl_sync(kAllLanes, bits, j);
      const unsigned long long edges = __shfl_sync(kAllLanes, degree, j);
      if ((searches >> lane_id() & 1U) != 0) low += edges;
      if ((searches >> (lane_id() + 32) & 1U) != 0) high += edges;
    }
  }
  if (low != 0) atomicAdd(sums + lane_id(), low);
  if (high != 0) atomicAdd(sums + lane_id() + 32, high);
  __syncthreads();
  if (threadIdx.x < kMaxBatch && sums[threadIdx.x] != 0) {
    atomicAdd(batch_counts(work, level)->of_search + threadIdx.x, sums[threadIdx.x]);
  }
}

// Returns whether the next level may cost so much, in either direction, that a split might save
// more than it costs itself. The queue has the sources, and so the first level is never split.
template <typename Offset>
__device__ bool batch_may_split(const BatchWork<Offset>& work, const BatchCourse& course) {
  if (work.first == nullptr || course.level == 0 || course.level >= work.depth_limit) return false;
  const double down = work.rule.top_down_cost * static_cast<double>(course.at.edges);
  const double up = static_cast<double>(course.open_entries);
  return (down < up ? down : up) > work.rule.split;
}

// Returns the edges of a search's frontier by the sample, 0 if it has ended.
template <typename Offset>
__device__ std::uint64_t batch_edges(const BatchWork<Offset>& work, const BatchCourse& course,
                                     unsigned s) {
  if ((course.alive >> s & 1U) == 0) return 0;
  const std::uint64_t counted = batch_counts(work, course.level)->of_search[s];
  return counted > 0 ? counted : 1;
}

// Chooses the directions. `is_sampled`: the edges of each search are known, by batch_sample();
// otherwise all go in one direction, by their mean.
template <typename Offset>
__device__ void batch_choose(const BatchWork<Offset>& work, BatchCourse& course, bool is_sampled) {
  __shared__ std::uint64_t edges[kMaxBatch];
  __shared__ double looks[kMaxBatch];
  __shared__ double costs[kBatchLimits];
  const unsigned i = threadIdx.x;
  const unsigned count = is_sampled ? kMaxBatch : 1;
  if (i < count) {
    edges[i] = is_sampled ? batch_edges(work, course, i) : course.at.edges_per_search;
    looks[i] = work.rule.looks(course.at, static_cast<double>(edges[i]));
    double most = static_cast<double>(course.open_entries);
    if (is_sampled) {  // a search that has met most edges has few vertices left that look for it
      course.met[i] += edges[i];
      const double left = work.rule.edges - static_cast<double>(course.met[i]);
      const double own = static_cast<double>(course.at.candidates) + (left > 0 ? left : 0);
      if (own < most) most = own;
    }
    if (most < looks[i]) looks[i] = most;
  }
  __syncthreads();
  if (i < kBatchLimits) {
    costs[i] = work.rule.together(course.at, edges, looks, count, batch_limit(i));
  }
  __syncthreads();
  if (i == 0) {
    unsigned best = kBatchLimits - 1;
    if (work.first != nullptr && costs[0] < costs[best]) best = 0;
    double least = kBatchClearly * costs[best];
    for (unsigned j = 1; is_sampled && j + 1 < kBatchLimits; ++j) {
      if (costs[j] < least) {
        best = j;
        least = costs[j];
      }
    }
    course.goes_up = best + 1 < kBatchLimits;
    course.narrow = 0;
    for (unsigned s = 0; course.goes_up && best > 0 && s < kMaxBatch; ++s) {
      if (edges[s] != 0 && edges[s] < batch_limit(best)) course.narrow |= SearchBits{1} << s;
    }
  }
  __syncthreads();
}

// Takes up a level's counts, after a barrier of the grid, and chooses the directions of the next.
template <typename Offset>
__device__ void batch_advance(const BatchWork<Offset>& work, BatchCourse& course, level_t level,
                              std::uint32_t searches) {
  if (threadIdx.x == 0) {
    const BatchCounts& counts = *batch_counts(work, level);
    DirectionState& at = course.at;
    course.level = level;
    course.alive = counts.alive;
    at.previous = at.frontier;
    at.frontier = counts.vertices;
    at.edges = counts.edges;
    at.edges_per_search = counts.of_searches / searches;
    if (at.edges_per_search == 0) at.edges_per_search = 1;
    at.candidates -= counts.done < at.candidates ? counts.done : at.candidates;
    course.open_entries -=
        counts.done_entries < course.open_entries ? counts.done_entries : course.open_entries;
  }
  __syncthreads();
  const bool may_split = batch_may_split(work, course);
  if (may_split) {
    batch_sample(work, level);
    barrier_of_grid();
  }
  batch_choose(work, course, may_split);
}

}  // namespace bfslab::cuda
