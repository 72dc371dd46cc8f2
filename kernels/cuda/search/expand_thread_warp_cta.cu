#include "kernels/cuda/expand/thread_warp_cta.cuh"
#include "kernels/cuda/search/kernels.hpp"
#include "kernels/cuda/search/materialised.cuh"
#include "kernels/cuda/search/streamed.cuh"

namespace bfslab::cuda {

SearchKernel materialised_thread_warp_cta() {
  return &materialised_search<Whole<ThreadWarpCtaExpansion>>;
}
SearchKernel streamed_thread_warp_cta() { return &streamed_search<ThreadWarpCtaExpansion>; }

}  // namespace bfslab::cuda
