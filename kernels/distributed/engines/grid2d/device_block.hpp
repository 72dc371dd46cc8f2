// SPDX-License-Identifier: Apache-2.0
// A member's block (block.hpp) in the memory of its GPU, made there. Tuples are made on the GPUs
// and sent as keys to those whose blocks they are in (block_keys.cu). The keys of a block are
// sorted, thinned out where the rules say so, and become rows by a search for each
// (device_block.cu). Where there is no room for keys, the host makes the block and it is uploaded.
//
// Cost: tuples are made three times, and 8 bytes an edge are sent; 16 bytes an edge of the block in
// the GPU's memory while it is made, and 24 for each of 2^25 entries on their way.
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

// A key per edge, in any order: its tail << bits_for(grid.row_size()) | its head.
struct BlockKeys {
  cuda::KeyBuffers buffers;
  std::uint64_t count = 0;
};

// Self-loops are dropped where the rules say so, repeated edges are not. `data` moves what is in
// the memory of GPUs. Nothing, on all members, where one of them has no room, or more edges than
// CUB counts (2^31 - 1). Collective.
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
