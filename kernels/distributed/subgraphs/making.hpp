// SPDX-License-Identifier: Apache-2.0
// The data that passes over the tuples of a share have in common.
#pragma once

#include <cstdint>

#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/edges/device_tuples.hpp"
#include "kernels/distributed/edges/edge_share.hpp"

namespace bfslab::distributed {

// Bounds below what memory allows; 0: none.
struct MakingLimits {
  std::uint64_t portion_tuples = 0;  // made at once
  std::uint64_t round_entries = 0;   // sorted at once, but for a row that has more
};

struct Making {
  Member& member;
  const EdgeShare& share;
  const MemberGpu& gpu;
  Communicator& data;
  MakingLimits limits;
  TupleFeed& feed;
  unsigned column_bits;

  [[nodiscard]] const cuda::Stream& stream() const { return gpu.stream(); }
  // Rows of a round whose keys still fit 64 bits.
  [[nodiscard]] std::uint64_t max_rows() const {
    return column_bits == 0 ? ~std::uint64_t{0} : std::uint64_t{1} << (64 - column_bits);
  }
};

template <typename Value>
Bytes device_bytes(const Value* data, std::uint64_t count) {
  return {reinterpret_cast<const std::byte*>(data), count * sizeof(Value)};
}

}  // namespace bfslab::distributed
