// SPDX-License-Identifier: Apache-2.0
// Bits of vertices become entries of a queue, four words of each lane of a warp at once, by one
// atomic of the warp.
#pragma once

#include "kernels/cuda/traversal/bits.cuh"

namespace bfslab::cuda {

// The 128 words of a warp from `first` on, four of each lane.
struct StraightWords {
  std::size_t first;
  // Has the contract of SpreadWords::vertex().
  [[nodiscard]] __device__ vertex_t vertex(unsigned place) const {
    return static_cast<vertex_t>(first * 32 + place);
  }
};

// The 128 words of a warp's turn, of which each lane has four that follow one another: sixteen
// stretches far from each other, since neighbouring words hold hubs where ids are ordered by
// degree.
struct SpreadWords {
  static constexpr unsigned kStretch = 8;
  static constexpr unsigned kLanes = kStretch / 4;

  std::size_t apart;  // words from a stretch to the next
  std::size_t turn = thread_in_grid() / 32;

  __device__ explicit SpreadWords(std::size_t words) : apart((words + 127) / 128 * kStretch) {}
  [[nodiscard]] __device__ bool is_one() const { return turn * kStretch < apart; }
  __device__ void go_on() { turn += threads_in_grid() / 32; }
  [[nodiscard]] __device__ std::size_t word(unsigned lane) const {
    return lane / kLanes * apart + turn * kStretch + lane % kLanes * 4;
  }
  [[nodiscard]] __device__ std::size_t own() const { return word(lane_id()); }
  // Returns the vertex of bit i of lane l's k-th word, whose place is l * 128 + k * 32 + i.
  [[nodiscard]] __device__ vertex_t vertex(unsigned place) const {
    return static_cast<vertex_t>(word(place / 128) * 32 + place % 128);
  }
};

// A warp takes four adjacent words per lane, which follow one another.
[[nodiscard]] __device__ inline std::size_t first_of_warp() {
  return (thread_in_grid() - lane_id()) * std::size_t{4};
}
[[nodiscard]] __device__ inline std::size_t words_at_once() {
  return threads_in_grid() * std::size_t{4};
}

inline constexpr std::uint32_t kPlaces = 1024;  // of a warp

// Lays out four words per lane, as lay_out(): bit i of lane l's k-th word becomes l * 128 + k * 32
// + i.
__device__ inline std::uint32_t lay_out_four(const std::uint32_t (&words)[4],
                                             std::uint16_t* places) {
  std::uint32_t own = 0;
  for (const std::uint32_t word : words) own += __popc(word);
  const std::uint32_t upto = inclusive_of_warp(own);
  std::uint32_t at = upto - own;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    for (std::uint32_t left = words[k]; left != 0; left &= left - 1) {
      places[at++] =
          static_cast<std::uint16_t>(lane_id() * 128 + k * 32 + __ffs(static_cast<int>(left)) - 1);
    }
  }
  return __shfl_sync(kAllLanes, upto, 31);
}

template <typename WarpWords, typename Sum>
__device__ void append_laid_out(const WarpWords& turn, std::uint32_t count,
                                const std::uint16_t* places, vertex_t* queue, std::uint32_t* queued,
                                Sum& sum) {
  constexpr int kEach = 4;  // offsets in flight per lane
  if (count == 0) return;
  const std::uint32_t place = place_of_warp(queued, count);
  __syncwarp();
  for (std::uint32_t i = lane_id(); i < count; i += 32 * kEach) {
    vertex_t some[kEach];
    unsigned there = 0;
#pragma unroll
    for (int t = 0; t < kEach; ++t) {
      const std::uint32_t j = i + 32 * t;
      some[t] = j < count ? turn.vertex(places[j]) : 0;
      if (j < count) {
        queue[place + j] = some[t];
        there |= 1U << t;
      }
    }
    sum(some, there);
  }
  __syncwarp();  // before `places` are written again
}

// Appends the vertices of `bits` to `queue`, and calls sum(ids, which of these are there) for
// those that the lane puts there. Called by all lanes of a warp; `places` is the warp's, [kPlaces].
template <typename WarpWords, typename Sum>
__device__ void append_bits(const WarpWords& turn, const uint4& bits, vertex_t* queue,
                            std::uint32_t* queued, std::uint16_t* places, Sum sum) {
  const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
  if (sum_of_warp(count_of(bits)) <= kPlaces) {
    // Few: all at once, since each step waits for memory.
    const std::uint32_t count = lay_out_four(words, places);
    append_laid_out(turn, count, places, queue, queued, sum);
    return;
  }
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    std::uint32_t one[4] = {};
    one[k] = words[k];
    const std::uint32_t count = lay_out_four(one, places);
    append_laid_out(turn, count, places, queue, queued, sum);
  }
}

}  // namespace bfslab::cuda
