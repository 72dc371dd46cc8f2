// SPDX-License-Identifier: Apache-2.0
// A member's block (block.hpp) in the memory of its GPU, made there: the keys of its edges are
// sorted, thinned out where the rules say so, and become rows by a search for each. Where there is
// no room for keys, the host makes the block and it is uploaded.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/engines/grid2d/block_keys.hpp"
#include "kernels/distributed/engines/grid2d/gpu_kernels.hpp"

namespace bfslab::distributed::grid2d {

using cuda::uploaded;

template <typename Offset>
struct DeviceRows {
  cuda::DeviceBuffer<Offset> offsets;   // [rows + 1]
  cuda::DeviceBuffer<local_t> entries;  // [offsets[rows]], ascending in each row

  [[nodiscard]] RowsView<Offset> view() const { return {offsets.data(), entries.data()}; }
  [[nodiscard]] std::uint64_t bytes() const { return offsets.bytes() + entries.bytes(); }
};

template <typename Offset>
struct DeviceBlock {
  bool shared = false;                // the CSC is the CSR
  DeviceRows<Offset> csr, csc;        // empty where not wanted
  cuda::DeviceBuffer<local_t> first;  // of each row of the CSC the first entry; 0 of empty ones
  std::uint64_t entries = 0;
  std::uint64_t most_pieces = 0;           // of the rows of one of them (pieces_of)
  std::vector<local_t> leaving, entering;  // as Block has them

  [[nodiscard]] const DeviceRows<Offset>& by_head() const { return shared ? csr : csc; }
  [[nodiscard]] std::uint64_t bytes() const { return csr.bytes() + csc.bytes() + first.bytes(); }
};

// Throws OutOfDeviceMemory.
template <typename Offset>
DeviceBlock<Offset> make_device_block(BlockKeys keys, const BlockPlan& plan,
                                      const cuda::Stream& stream);
// Uploads a block that the host has made. Throws OutOfDeviceMemory.
template <typename Offset>
DeviceBlock<Offset> upload_block(const Block<Offset>& block, const cuda::Stream& stream);

}  // namespace bfslab::distributed::grid2d
