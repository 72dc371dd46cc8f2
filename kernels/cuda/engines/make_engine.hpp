// SPDX-License-Identifier: Apache-2.0
// Declares GPU engines in every build. Without CUDA a call is refused, with the engine's name.
#pragma once

#include <memory>

#include "kernels/cuda/top_down/settings.hpp"
#include "kernels/cuda_function.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cuda {

using MakeEngine = CudaFunction<std::unique_ptr<Engine>(const EngineSettings&)>;
inline constinit MakeEngine make_cs406{"engine \"cs406-cuda\""};
inline constinit MakeEngine make_fused{"engine \"fused\""};
inline constinit MakeEngine make_fused_members{"engine \"fused-members\""};
inline constinit MakeEngine make_gunrock{"engine \"gunrock\""};
inline constinit MakeEngine make_xbfs{"engine \"xbfs\""};

// load() throws Unsupported if the device has too little shared memory for the capacity or runs
// fewer CTAs, and traverse() does so if a hierarchical queue overflows.
using MakeSearch = CudaFunction<std::unique_ptr<Engine>(const TopDownSettings&, Answer)>;
inline constinit MakeSearch make_dfq{"engine \"dfq\""};
inline constinit MakeSearch make_tigr{"engine \"tigr\""};

}  // namespace bfslab::cuda
