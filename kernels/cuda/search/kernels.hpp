// The search kernels, one a source file, since each is slow to compile: which of them an expansion
// has.
#pragma once

#include "kernels/cuda/search/search.hpp"

namespace bfslab::cuda {

SearchKernel materialised_thread();
SearchKernel materialised_virtual_warp();
SearchKernel materialised_cta();
SearchKernel materialised_thread_warp_cta();
SearchKernel materialised_degree_classes();
SearchKernel materialised_merge_path();
SearchKernel materialised_load_balanced();

SearchKernel streamed_thread();
SearchKernel streamed_virtual_warp();
SearchKernel streamed_cta();
SearchKernel streamed_thread_warp_cta();

}  // namespace bfslab::cuda
