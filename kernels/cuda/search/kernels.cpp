// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/search/kernels.hpp"

#include <string_view>
#include <vector>

namespace bfslab::cuda {
namespace {

std::vector<ExpansionKernels>& registered() {
  static std::vector<ExpansionKernels> kernels;
  return kernels;
}

ExpansionKernels kernels_named(std::string_view expand) {
  if (expand == "virtual_split") expand = "thread";
  for (const ExpansionKernels& kernels : registered()) {
    if (kernels.expand == expand) return kernels;
  }
  return {};
}

}  // namespace

RegisterExpansion::RegisterExpansion(const ExpansionKernels& kernels) {
  registered().push_back(kernels);
}

SearchKernel materialised_kernel(const char* expand) { return kernels_named(expand).materialised; }
SearchKernel streamed_kernel(const char* expand) { return kernels_named(expand).streamed; }

}  // namespace bfslab::cuda
