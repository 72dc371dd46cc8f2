// No queue: each level, threads or virtual warps look at the status of every vertex (or virtual
// vertex) and expand those of the level at once (Harish and Narayanan, and Hong et al., in
// papers/dfq.txt section II.B; Tigr over virtual vertices).
//
// Cost: 4 bytes an item and level, and the expansion's. No memory beside the statuses, one barrier
// of the grid a level. Wins on graphs of few levels; a level costs a look at all statuses however
// few vertices it has.
#include "kernels/cuda/search/level_loop.cuh"

namespace bfslab::cuda {
namespace {

__global__ void __launch_bounds__(1024)
    status_scan_search(const __grid_constant__ Search search, level_t first, level_t most) {
  const unsigned width = search.width;
  const unsigned lane = thread_in_grid() % width;
  const std::size_t groups = threads_in_grid() / width;
  for (level_t level = first; level - first < most; ++level) {
    LevelSlot* const now = slot_of(search, level);
    Visitor visitor = visitor_of(search, level);
    bool any = false;
    for (std::size_t i = thread_in_grid() / width; i < search.items.count; i += groups) {
      const vertex_t v =
          search.items.vertex == nullptr ? static_cast<vertex_t>(i) : search.items.vertex[i];
      if (__ldcg(search.levels + v) != level) continue;
      any = true;
      visit_edges(visitor, edges_of(search.graph, search.items, static_cast<std::uint32_t>(i)),
                  lane, width);
    }
    visitor.finish();
    if (__syncthreads_or(any) != 0 && threadIdx.x == 0) atomicAdd(&now->queued[0], 1U);
    if (thread_in_grid() == 0) *slot_of(search, level + 2) = LevelSlot{};
    barrier_of_grid();
    if (queued_at(now) == 0) break;
  }
}

}  // namespace

SearchKernel status_scan_kernel() { return &status_scan_search; }

}  // namespace bfslab::cuda
