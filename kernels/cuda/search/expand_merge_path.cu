#include "kernels/cuda/expand/merge_path.cuh"
#include "kernels/cuda/search/kernels.hpp"
#include "kernels/cuda/search/materialised.cuh"

namespace bfslab::cuda {

SearchKernel materialised_merge_path() { return &materialised_search<MergePathExpansion>; }

}  // namespace bfslab::cuda
