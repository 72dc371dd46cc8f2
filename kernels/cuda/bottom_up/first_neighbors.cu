// SPDX-License-Identifier: Apache-2.0
// The set-up of bottom-up by first neighbours: reads 8 bytes of offsets and one entry per row.
#include "kernels/cuda/bottom_up/first_neighbors.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"

namespace bfslab::cuda {
namespace {

__global__ void __launch_bounds__(kBlockThreads)
    take_first(const edge_t* offsets, const vertex_t* columns, std::size_t rows, vertex_t* first) {
  for (std::size_t r = thread_in_grid(); r < rows; r += threads_in_grid()) {
    first[r] = offsets[r] < offsets[r + 1] ? columns[offsets[r]] : kNoVertex;
  }
}

}  // namespace

void take_first_entries(const edge_t* offsets, const vertex_t* columns, std::size_t rows,
                        vertex_t* first, const Stream& stream) {
  BFSLAB_LAUNCH(take_first, blocks_for(rows), stream, offsets, columns, rows, first);
}

}  // namespace bfslab::cuda
