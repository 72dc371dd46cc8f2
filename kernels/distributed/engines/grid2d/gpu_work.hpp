// SPDX-License-Identifier: Apache-2.0
// The local work of grid2d on a GPU: what the block, the bitmaps and the answer take in its memory,
// and which kernels (gpu_kernels.hpp) a level queues.
#pragma once

#include <memory>

#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/engines/grid2d/local_work.hpp"

namespace bfslab::distributed::grid2d {

// On the thread of `gpu`, where all calls are made, too. `data` moves what is in the memory of
// GPUs. Throws OutOfDeviceMemory. Collective.
BlockWork make_gpu_block(Member& member, const EdgeShare& share, const BlockPlan& plan,
                         std::shared_ptr<const MemberGpu> gpu, Communicator& data);

}  // namespace bfslab::distributed::grid2d
