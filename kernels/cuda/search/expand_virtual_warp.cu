#include "kernels/cuda/expand/virtual_warp.cuh"
#include "kernels/cuda/search/kernels.hpp"
#include "kernels/cuda/search/materialised.cuh"
#include "kernels/cuda/search/streamed.cuh"

namespace bfslab::cuda {

SearchKernel materialised_virtual_warp() {
  return &materialised_search<Whole<VirtualWarpExpansion>>;
}
SearchKernel streamed_virtual_warp() { return &streamed_search<VirtualWarpExpansion>; }

}  // namespace bfslab::cuda
