#include "kernels/cuda/expand/cta.cuh"
#include "kernels/cuda/search/kernels.hpp"
#include "kernels/cuda/search/materialised.cuh"
#include "kernels/cuda/search/streamed.cuh"

namespace bfslab::cuda {

SearchKernel materialised_cta() { return &materialised_search<Whole<CtaExpansion>>; }
SearchKernel streamed_cta() { return &streamed_search<CtaExpansion>; }

}  // namespace bfslab::cuda
