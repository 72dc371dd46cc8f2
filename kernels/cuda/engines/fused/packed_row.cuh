// SPDX-License-Identifier: Apache-2.0
// A row as small levels store it with its vertex: up to kPacked neighbours, or their place.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

// The last word of a row that does not fit in its packed form.
inline constexpr vertex_t kLongRow = kNoVertex - 1;

// Holds up to kPacked neighbours (kNoVertex: none). The last four words of a longer row give the
// place and the length of the rest. They follow the first neighbours if there is room for more than
// four. kPacked = 0: every row only gives its place.
//
// Example: FusedRow<4> of the neighbours 3, 8 is {3, 8, none, none}. That of seven neighbours from
// entry 100 on is {100, 0, 7, kLongRow}; as FusedRow<12>, which has room for them, it holds all.
template <unsigned kPacked>
struct FusedRow {
  static_assert(kPacked % 4 == 0);
  static constexpr unsigned kParts = kPacked > 4 ? kPacked / 4 : 1;
  static constexpr unsigned kFirst = kPacked > 4 ? kPacked - 4 : 0;  // of a long row, kept here
  // The count of a rest longer than this; no level with such a row is small.
  static constexpr std::uint64_t kMany = 1U << 20;

  uint4 part[kParts];

  [[nodiscard]] __device__ bool is_long() const { return part[kParts - 1].w == kLongRow; }
  [[nodiscard]] __device__ std::uint64_t begin() const {
    return std::uint64_t{part[kParts - 1].y} << 32 | part[kParts - 1].x;
  }
  [[nodiscard]] __device__ unsigned count() const { return part[kParts - 1].z; }
  __device__ void put_rest(std::uint64_t begin, std::uint64_t end) {
    part[kParts - 1] = {static_cast<unsigned>(begin), static_cast<unsigned>(begin >> 32),
                        static_cast<unsigned>(min(end - begin, kMany)), kLongRow};
  }
};

}  // namespace bfslab::cuda
