#include "kernels/device_build.hpp"

#include "datasets/generate/quadrant_tuples.hpp"

namespace bfslab {

namespace {

DeviceBuild without_cuda(const EdgeSource& source, const BuildOptions& /*options*/) {
  if (dynamic_cast<const QuadrantSource*>(&source) == nullptr) return {};
  return {{}, "this bfslab was built without CUDA"};
}

BuildOnDevice& current() {
  static BuildOnDevice build = without_cuda;
  return build;
}

}  // namespace

DeviceBuild build_on_device(const EdgeSource& source, const BuildOptions& options) {
  return current()(source, options);
}
void set_build_on_device(BuildOnDevice build) { current() = build; }

}  // namespace bfslab
