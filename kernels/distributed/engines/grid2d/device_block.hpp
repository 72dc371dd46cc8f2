// SPDX-License-Identifier: Apache-2.0
// A member's block (block.hpp), made in the memory of its GPU. GPUs make tuples and send them as
// keys to the members of their blocks (block_keys.cu). A GPU sorts the keys of its block, drops
// duplicates if the rules say so, and finds the rows by a search for each (device_block.cu). If
// there is no room for keys, the host makes the block and uploads it.
//
// Cost: tuples are made three times, and 8 bytes per edge are sent. Construction takes 16 bytes of
// GPU memory per edge of the block, and 24 bytes for each of 2^25 entries in transit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/engines/grid2d/block.hpp"
#include "kernels/distributed/engines/grid2d/gpu_kernels.hpp"

namespace bfslab::distributed::grid2d {

using cuda::bits_for;
using cuda::uploaded;

// One key per edge, in any order: tail << bits_for(grid.row_size()) | head.
struct BlockKeys {
  cuda::KeyBuffers buffers;
  std::uint64_t count = 0;
};

// Returns the keys of this member's block. Drops self-loops if the rules say so, but keeps repeated
// edges. `data` moves data in GPU memory. Returns nothing, on all members, if one lacks room or has
// more edges than CUB counts (2^31 - 1). Collective.
std::optional<BlockKeys> block_keys(const Member& member, const EdgeShare& share,
                                    const BlockPlan& plan, const MemberGpu& gpu,
                                    Communicator& data);

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
  DeviceRows<Offset> csr, csc;        // empty if not wanted
  cuda::DeviceBuffer<local_t> first;  // first entry of each row of the CSC; 0 if empty
  std::uint64_t entries = 0;
  std::uint64_t max_pieces = 0;            // maximum over csr and csc (pieces_of)
  std::vector<local_t> leaving, entering;  // see Block

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
