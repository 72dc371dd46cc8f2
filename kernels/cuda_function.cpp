// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda_function.hpp"

#include <fmt/format.h>

#include "datasets/graph/types.hpp"

namespace bfslab {

void refuse_without_cuda(std::string_view what) {
  throw InputError(fmt::format(
      "{} needs a GPU, and this bfslab was built without CUDA: install NVIDIA's CUDA toolkit (12.4 "
      "or newer), see that nvcc is on PATH or named by CUDACXX, and build again",
      what));
}

}  // namespace bfslab
