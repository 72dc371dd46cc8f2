#include "kernels/cuda/expand/degree_classes.cuh"
#include "kernels/cuda/search/kernels.hpp"
#include "kernels/cuda/search/materialised.cuh"

namespace bfslab::cuda {

SearchKernel materialised_degree_classes() { return &materialised_search<DegreeClassesExpansion>; }

}  // namespace bfslab::cuda
