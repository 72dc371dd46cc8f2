// SPDX-License-Identifier: Apache-2.0
// The search of `fused-gpus` on one member (gpu_search.cpp), as a function that only a build with
// CUDA has.
#pragma once

#include <memory>

#include "kernels/cuda_function.hpp"
#include "kernels/distributed/edges/edge_share.hpp"
#include "kernels/distributed/engines/distributed_engine.hpp"

namespace bfslab::distributed::fused {

// Collective. Throws Unsupported, on all members alike, where one member cannot write another's
// memory, and OutOfDeviceMemory.
using MakeSearch =
    CudaFunction<std::unique_ptr<MemberSearch>(Member&, const EdgeShare&, const EngineSettings&)>;
inline constinit MakeSearch make_search{"engine \"fused-gpus\""};

}  // namespace bfslab::distributed::fused
