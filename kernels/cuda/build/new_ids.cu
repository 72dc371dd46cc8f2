// SPDX-License-Identifier: Apache-2.0
// Assigns new ids on the device, the same as datasets/build/relabel.cpp.
#include <bit>
#include <limits>
#include <stdexcept>

#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

namespace {

__global__ void __launch_bounds__(kBlockThreads)
    shuffle(RangePermutation permutation, edge_t vertices, vertex_t* new_of_old) {
  for (edge_t v = grid_thread(); v < vertices; v += grid_threads()) {
    new_of_old[v] = permutation(static_cast<std::uint32_t>(v));
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    largest_degree(const edge_t* row_offsets, edge_t vertices, unsigned long long* largest) {
  unsigned long long own = 0;
  for (edge_t v = grid_thread(); v < vertices; v += grid_threads()) {
    const unsigned long long degree = row_offsets[v + 1] - row_offsets[v];
    own = own < degree ? degree : own;
  }
  if (own > 0) atomicMax(largest, own);
}

// The distance to the largest degree, then the id, which breaks ties under any kind of sort.
__global__ void __launch_bounds__(kBlockThreads)
    degree_keys(const edge_t* row_offsets, edge_t vertices, edge_t largest, unsigned vertex_bits,
                std::uint64_t* keys) {
  for (edge_t v = grid_thread(); v < vertices; v += grid_threads()) {
    keys[v] = (largest - (row_offsets[v + 1] - row_offsets[v])) << vertex_bits | v;
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    ranks(const std::uint64_t* keys, edge_t vertices, vertex_t mask, vertex_t* new_of_old) {
  for (edge_t rank = grid_thread(); rank < vertices; rank += grid_threads()) {
    new_of_old[static_cast<vertex_t>(keys[rank]) & mask] = static_cast<vertex_t>(rank);
  }
}

}  // namespace

DeviceBuffer<vertex_t> shuffled_ids(vertex_t vertices, std::uint64_t seed, const Stream& stream) {
  DeviceBuffer<vertex_t> new_of_old(vertices);
  BFSLAB_LAUNCH(shuffle, blocks_for(vertices), stream,
                RangePermutation(vertices, derive_key(seed, 5)), vertices, new_of_old.data());
  return new_of_old;
}

DeviceBuffer<vertex_t> degree_ids(const DeviceBuffer<edge_t>& row_offsets, const Stream& stream) {
  const edge_t n = row_offsets.size() - 1;
  const unsigned blocks = blocks_for(n);
  auto device_largest = zeroed<unsigned long long>(1, stream);
  BFSLAB_LAUNCH(largest_degree, blocks, stream, row_offsets.data(), n, device_largest.data());
  const edge_t largest = read_back(device_largest.data(), stream);
  if (largest > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("a vertex has more than 2^32 neighbours");
  }

  const unsigned vertex_bits = bits_for(n);
  KeyBuffers buffers(n);
  BFSLAB_LAUNCH(degree_keys, blocks, stream, row_offsets.data(), n, largest, vertex_bits,
                buffers.keys.data());
  sort_keys(buffers, n, vertex_bits + static_cast<unsigned>(std::bit_width(largest)), stream);
  DeviceBuffer<vertex_t> new_of_old(n);
  const auto mask = static_cast<vertex_t>((std::uint64_t{1} << vertex_bits) - 1);
  BFSLAB_LAUNCH(ranks, blocks, stream, buffers.keys.data(), n, mask, new_of_old.data());
  stream.wait();  // the keys go
  return new_of_old;
}

}  // namespace bfslab::cuda
