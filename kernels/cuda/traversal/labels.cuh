// SPDX-License-Identifier: Apache-2.0
// Levels of vertices while a search runs as labels of four bits: an eighth of the memory traffic of
// whole levels, which are used only where four bits are too short.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/bits.cuh"

namespace bfslab::cuda {

struct LabelView {
  static constexpr std::uint32_t kNone = 0xF;         // not reached
  static constexpr std::uint32_t kWhole = 0xE;        // the level is in `whole`
  static constexpr std::uint32_t kEach = 0x11111111;  // times a label: eight of it

  std::uint32_t* low = nullptr;  // eight labels a word
  level_t* whole = nullptr;

  [[nodiscard]] __device__ std::uint32_t label(std::size_t i) const {
    return low[i / 8] >> i % 8 * 4 & 0xFU;
  }
  [[nodiscard]] __device__ level_t level(std::uint32_t label, std::size_t i) const {
    return label == kNone ? kUnreached : label == kWhole ? whole[i] : label;
  }
  // Labels one vertex that has no label, while others label its neighbours in the word.
  __device__ void set_one(std::size_t i, level_t level) const {
    const std::uint32_t label = level < kWhole ? level : kWhole;
    atomicAnd(low + i / 8, ~((kNone & ~label) << i % 8 * 4));
    if (level >= kWhole) whole[i] = level;
  }
  // Gives `i`, which has no label, level 0. Called by the thread that has written its word.
  __device__ void begin_with(std::size_t i) const { low[i / 8] &= ~(0xFU << i % 8 * 4); }
  // Labels the vertices that have a bit in the words of a warp, which follow one another from
  // `first` on, four of each lane: lanes read and write adjacent words together. Called by all
  // lanes of a warp; `space` is the warp's, [128], aligned to 16 bytes.
  __device__ void set(std::size_t first, const uint4& bits, level_t level,
                      std::uint32_t* space) const {
    constexpr unsigned kAtOnce = 4;  // reads in flight
    if (none_in_warp(bits)) return;
    const bool fits = level < kWhole;
    const std::uint32_t eight = (fits ? level : kWhole) * kEach;
    reinterpret_cast<uint4*>(space)[lane_id()] = bits;
    __syncwarp();
    uint4* const labels = reinterpret_cast<uint4*>(low) + first + lane_id();  // 32 each
    std::uint32_t word[kAtOnce];
    uint4 old[kAtOnce];  // all are requested before the first is written
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      word[i] = space[32 * i + lane_id()];
      old[i] = word[i] != 0 ? labels[32 * i] : uint4{};
    }
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if (word[i] == 0) continue;
      const auto blend = [&](std::uint32_t before, unsigned byte) {
        // Eight bits become eight nibbles, of ones or of zeros.
        std::uint32_t spread = word[i] >> 8 * byte & 0xFFU;
        spread = (spread | spread << 12) & 0x000F000FU;
        spread = (spread | spread << 6) & 0x03030303U;
        spread = (spread | spread << 3) & 0x11111111U;
        const std::uint32_t mask = spread * 0xFU;
        return (before & ~mask) | (eight & mask);
      };
      labels[32 * i] = make_uint4(blend(old[i].x, 0), blend(old[i].y, 1), blend(old[i].z, 2),
                                  blend(old[i].w, 3));
    }
    __syncwarp();  // before `space` is written again
    if (fits) return;
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
    for (unsigned k = 0; k < 4; ++k) {
      for (std::uint32_t left = words[k]; left != 0; left &= left - 1) {
        whole[(first + lane_id() * 4 + k) * 32 + __ffs(static_cast<int>(left)) - 1] = level;
      }
    }
  }
};

}  // namespace bfslab::cuda
