// SPDX-License-Identifier: Apache-2.0
// The only reset. At the beginning of a traversal the source has a level and no other vertex has,
// and the slots hold the source alone.
//
// Cost: one launch; 4 bytes written per vertex, 8 with parents.
#pragma once

#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "kernels/cuda/traversal/source.hpp"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::cuda {

// The default, which resets nothing else. Another struct's `clear` is called by all threads of
// the grid and its `place` by one of them, after the slots are cleared.
struct NothingElse {
  __device__ void clear(std::size_t /*thread*/, std::size_t /*threads*/) const {}
  __device__ void place(vertex_t /*source*/, LevelSlot& /*first*/) const {}
};

// Fills data[0, words) with `value`, and data[at] with `special`. Called by all threads of the
// grid, which write four words at a time. `data` is aligned to 16 bytes.
__device__ inline void fill_words(std::uint32_t* data, std::size_t words, std::uint32_t value,
                                  std::size_t at, std::uint32_t special) {
  const auto word = [&](std::size_t i) { return i == at ? special : value; };
  const std::size_t whole = words / 4;
  for (std::size_t i = thread_in_grid(); i < whole; i += threads_in_grid()) {
    reinterpret_cast<uint4*>(data)[i] =
        make_uint4(word(i * 4), word(i * 4 + 1), word(i * 4 + 2), word(i * 4 + 3));
  }
  const std::size_t last = whole * 4 + thread_in_grid();
  if (last < words) data[last] = word(last);
}

template <typename Else>
__global__ void __launch_bounds__(kBlockThreads)
    reset_traversal(const __grid_constant__ Traversal work, SourceVertex from, SourceIn queued,
                    Else other) {
  const vertex_t source = from.get();
  const std::size_t n = work.outgoing.vertices;
  fill_words(work.status.levels, n, kUnreached, source, 0);
  if (work.status.parents != nullptr) fill_words(work.status.parents, n, kNoVertex, source, source);
  other.clear(thread_in_grid(), threads_in_grid());
  if (blockIdx.x != 0) return;
  if (threadIdx.x < kSlots) work.slots.slots[threadIdx.x] = LevelSlot{};
  __syncthreads();
  if (threadIdx.x != 0) return;
  LevelSlot& first = *work.slot(0);
  first.vertices = 1;
  first.edges = degree_of(work.outgoing, source);
  if (queued == SourceIn::whole_queue || (queued == SourceIn::class_queue && first.edges > 0)) {
    const int of_class = queued == SourceIn::class_queue ? degree_class(first.edges) : 0;
    work.queue[0].entries[work.queue[0].region[of_class]] = source;
    first.queued[of_class] = 1;
  }
  other.place(source, first);
}

// Queues the reset of all state of a traversal, for a graph of at least one vertex.
template <typename Else = NothingElse>
void reset(const Traversal& work, SourceVertex source, SourceIn queued, cudaStream_t stream,
           const Else& other = {}) {
  const std::uint64_t threads = (std::uint64_t{work.outgoing.vertices} + 3) / 4;
  BFSLAB_LAUNCH(reset_traversal, blocks_for(threads), stream, work, source, queued, other);
}

}  // namespace bfslab::cuda
