#include "kernels/cuda/expand/thread.cuh"
#include "kernels/cuda/search/kernels.hpp"
#include "kernels/cuda/search/materialised.cuh"
#include "kernels/cuda/search/streamed.cuh"

namespace bfslab::cuda {

SearchKernel materialised_thread() { return &materialised_search<Whole<ThreadExpansion>>; }
SearchKernel streamed_thread() { return &streamed_search<ThreadExpansion>; }

}  // namespace bfslab::cuda
