// SPDX-License-Identifier: Apache-2.0
// Dynamic intra-warp donation (XBFS, section 5.1.2): warp-centric, and after every five neighbours
// a warp counts the lanes that are still looking. When one is left, all lanes help it with the rest
// of its row. The paper finds it 1 to 5 % slower than warp-centric.
//
// Asynchronously, the lone lane's first neighbour at level + 1 is passed on with its row: by_warp()
// uses it only when no lane has met one at `level`.
#pragma once

#include "kernels/cuda/bottom_up/warp_centric.cuh"

namespace bfslab::cuda {

struct Donation {
  static constexpr int kNeighbours = 5;

  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    const unsigned count = work.queued[0];
    for (unsigned first = thread_in_grid() - lane_id(); first < count;
         first = next_of_warp(looker)) {
      const bool has_item = first + lane_id() < count;
      const vertex_t v = has_item ? work.queue.entries[first + lane_id()] : 0;
      edge_t e = has_item ? work.incoming().row_offsets[v] : 0;
      const edge_t end = has_item ? work.incoming().row_offsets[v + std::size_t{1}] : 0;
      vertex_t above = kNoVertex;
      vertex_t beside = kNoVertex;
      bool looking = e < end;
      unsigned left = __ballot_sync(kAllLanes, looking);
      while (__popc(left) > 1) {
        for (int k = 0; k < kNeighbours && looking; ++k) {
          const vertex_t u = work.incoming().columns[e++];
          const level_t at = looker.look(u);
          if (at == work.level) above = u;
          if (beside == kNoVertex && at == work.level + 1) beside = u;
          looking = above == kNoVertex && e < end;
        }
        left = __ballot_sync(kAllLanes, looking);
      }
      if (has_item && !looking) looker.settle(v, above, beside);
      __syncwarp();
      if (left == 0) continue;
      const int last = __ffs(static_cast<int>(left)) - 1;
      looker.by_warp(UnfinishedRow{v, beside, e, end}.of_lane(last), static_cast<unsigned>(last));
    }
  }
};

}  // namespace bfslab::cuda
