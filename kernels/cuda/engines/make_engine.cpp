#include "kernels/cuda/engines/make_engine.hpp"

#include <fmt/format.h>

#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

void refuse_without_cuda(const std::string& engine) {
  throw InputError(fmt::format(
      "engine \"{}\" needs a GPU, and this bfslab was built without CUDA: install NVIDIA's CUDA "
      "toolkit (12.4 or newer), see that nvcc is on PATH or named by CUDACXX, and build again",
      engine));
}

}  // namespace bfslab::cuda
