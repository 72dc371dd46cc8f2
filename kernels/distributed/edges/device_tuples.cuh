// SPDX-License-Identifier: Apache-2.0
// Access of a kernel to a portion of tuples (device_tuples.hpp): source(i), after the whole block
// has called source.open(tables) with tables in its shared memory.
#pragma once

#include "kernels/cuda/build/tables.cuh"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/distributed/edges/device_tuples.hpp"

namespace bfslab::distributed {

#ifdef __CUDACC__

struct GeneratedSource {
  using Tables = cuda::TupleTables;
  QuadrantTuples recipe;
  std::uint64_t first;
  std::uint64_t count;

  __device__ void open(Tables& tables) { tables.take_from(recipe); }
  __device__ GlobalEdge operator()(std::uint64_t i) const {
    const Edge edge = recipe(first + i);
    return {edge.from, edge.to};
  }
};

struct RowsSource {
  struct Tables {};
  TuplePortion::Rows rows;
  std::uint64_t first;
  std::uint64_t count;

  __device__ void open(Tables& /*tables*/) {}
  // Neighbouring threads search alike: what they read is in the cache.
  __device__ GlobalEdge operator()(std::uint64_t i) const {
    vertex_t low = 0;  // the last row that begins at the entry or before it
    for (vertex_t high = rows.count; high - low > 1;) {
      const vertex_t middle = low + (high - low) / 2;
      if (rows.row_offsets[middle] <= first + i) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return {rows.first + low, rows.columns[i]};
  }
};

struct StoredSource {
  struct Tables {};
  const GlobalEdge* edges;
  std::uint64_t count;

  __device__ void open(Tables& /*tables*/) {}
  __device__ GlobalEdge operator()(std::uint64_t i) const { return edges[i]; }
};

// launch(source), unless there is nothing to launch for.
template <typename Launch>
void on_tuples(const TuplePortion& tuples, Launch&& launch) {
  if (tuples.count == 0) return;
  if (tuples.recipe != nullptr) {
    launch(GeneratedSource{*tuples.recipe, tuples.first, tuples.count});
  } else if (tuples.rows.count != 0) {
    launch(RowsSource{tuples.rows, tuples.first, tuples.count});
  } else {
    launch(StoredSource{tuples.stored, tuples.count});
  }
}

using cuda::grid_thread;
using cuda::grid_threads;

#endif

}  // namespace bfslab::distributed
