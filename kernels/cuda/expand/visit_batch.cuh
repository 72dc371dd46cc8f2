// Edges of a lane that may come from different vertices, visited together: what the expansions that
// balance by edges share.
#pragma once

#include "kernels/cuda/search/visitor.cuh"

namespace bfslab::cuda {

inline constexpr int kEdgesEach = 4;

// A lane's neighbours to[j] of vertices from[j], kNoVertex for none. Callers fetch all of them
// first, so that a lane waits once. As visit_edges() does, it looks at all before it acts on any,
// and acts in one place.
__device__ __forceinline__ void visit_batch(Visitor& visitor, const vertex_t (&from)[kEdgesEach],
                                            const vertex_t (&to)[kEdgesEach]) {
  unsigned open = visitor.open_among(to);
  while (open != 0) {
    const int at = __ffs(static_cast<int>(open)) - 1;
    open &= open - 1;
    vertex_t source = from[0];
    vertex_t target = to[0];
#pragma unroll
    for (int j = 1; j < kEdgesEach; ++j) {
      source = j == at ? from[j] : source;
      target = j == at ? to[j] : target;
    }
    visitor.found(source, target);
  }
}

}  // namespace bfslab::cuda
