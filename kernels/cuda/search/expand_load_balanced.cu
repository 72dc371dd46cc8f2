#include "kernels/cuda/expand/load_balanced.cuh"
#include "kernels/cuda/search/kernels.hpp"
#include "kernels/cuda/search/materialised.cuh"

namespace bfslab::cuda {

SearchKernel materialised_load_balanced() { return &materialised_search<LoadBalancedExpansion>; }

}  // namespace bfslab::cuda
