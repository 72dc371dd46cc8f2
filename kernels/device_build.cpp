// SPDX-License-Identifier: Apache-2.0
#include "kernels/device_build.hpp"

#include "datasets/generate/quadrant_tuples.hpp"

namespace bfslab {

DeviceBuild build_without_cuda(const EdgeSource& source, const BuildOptions& /*options*/) {
  if (dynamic_cast<const QuadrantSource*>(&source) == nullptr) return {};
  return {{}, "this bfslab was built without CUDA"};
}

}  // namespace bfslab
