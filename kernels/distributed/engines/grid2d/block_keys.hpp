// SPDX-License-Identifier: Apache-2.0
// The edges of a member's block in the memory of its GPU: tuples are made there, and sent as keys
// by GPUs to those whose blocks they are in.
//
// Cost: tuples are made three times, and 8 bytes an edge are sent; 16 bytes an edge of the block in
// the GPU's memory while it is made, and 24 for each of 2^25 entries on their way.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cuda/build/steps.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/engines/grid2d/block.hpp"

namespace bfslab::distributed::grid2d {

using cuda::bits_for;

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

}  // namespace bfslab::distributed::grid2d
