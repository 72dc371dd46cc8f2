// SPDX-License-Identifier: Apache-2.0
// grid2d-cuda is declared in every build and made only where CUDA is: without it a call refuses.
#pragma once

#include <memory>

#include "kernels/cuda_function.hpp"
#include "kernels/engine.hpp"

namespace bfslab::distributed::grid2d {

inline constinit CudaFunction<std::unique_ptr<Engine>(const EngineSettings&)> make_gpu_engine{
    "engine \"grid2d-cuda\""};

}  // namespace bfslab::distributed::grid2d
