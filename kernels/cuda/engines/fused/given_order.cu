// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/engines/fused/given_order.hpp"

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/traversal/bits.cuh"

namespace bfslab::cuda {

namespace {

// Marks the vertices as given whose new ids are from, ... to - 1.
__global__ void __launch_bounds__(kBlockThreads)
    mark_ids(const vertex_t* new_of_old, std::size_t vertices, vertex_t from, vertex_t to,
             std::uint32_t* bits) {
  mark_rows(vertices, bits,
            [&](std::size_t v) { return new_of_old[v] >= from && new_of_old[v] < to; });
}

__global__ void __launch_bounds__(kBlockThreads)
    fill_order(const __grid_constant__ NewIds given, const __grid_constant__ RankedView searched,
               vertex_t* ids, vertex_t* first_parents) {
  for (std::size_t v = thread_in_grid(); v < given.vertices; v += threads_in_grid()) {
    const vertex_t id = given.new_of_old[v];
    if (id >= given.searched) continue;
    const vertex_t place = searched.place(static_cast<vertex_t>(v));
    ids[place] = id < given.inner ? id : given.first[id];
    if (first_parents == nullptr) continue;
    const vertex_t parent = given.first[id];
    first_parents[place] = parent != kNoVertex ? given.old_of_new[parent] : kNoVertex;
  }
}

}  // namespace

GivenOrder given_order(const NewIds& ids, const Stream& stream) {
  GivenOrder made;
  const std::size_t n = ids.vertices;
  if (n == 0) return made;
  const auto marked = [&](vertex_t from, vertex_t to) {
    DeviceBuffer<std::uint32_t> bits((n + 31) / 32);
    BFSLAB_LAUNCH(mark_ids, blocks_for(n), stream, ids.new_of_old, n, from, to, bits.data());
    return bits;
  };
  made.searched.bits = marked(0, ids.searched);
  rank(made.searched, stream);
  if (ids.inner < ids.searched) made.leaves = marked(ids.inner, ids.searched);
  made.ids = DeviceBuffer<vertex_t>(made.searched.count);
  if (ids.with_parents && ids.first != nullptr) {
    made.first_parents = DeviceBuffer<vertex_t>(made.searched.count);
  }
  BFSLAB_LAUNCH(fill_order, blocks_for(n), stream, ids, RankedView::from(made.searched),
                made.ids.data(), made.first_parents.data());
  stream.wait();
  return made;
}

}  // namespace bfslab::cuda
