// SPDX-License-Identifier: Apache-2.0
// Assigns new ids on the device, the same as datasets/build/relabel.cpp.
#include <bit>
#include <limits>
#include <stdexcept>

#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

namespace {

__global__ void __launch_bounds__(kBlockThreads)
    shuffle(RangePermutation permutation, edge_t vertices, vertex_t* new_of_old) {
  const edge_t threads = edge_t{gridDim.x} * kBlockThreads;
  for (edge_t v = edge_t{blockIdx.x} * kBlockThreads + threadIdx.x; v < vertices; v += threads) {
    new_of_old[v] = permutation(static_cast<std::uint32_t>(v));
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    largest_degree(const edge_t* row_offsets, edge_t vertices, unsigned long long* largest) {
  const edge_t threads = edge_t{gridDim.x} * kBlockThreads;
  unsigned long long own = 0;
  for (edge_t v = edge_t{blockIdx.x} * kBlockThreads + threadIdx.x; v < vertices; v += threads) {
    const unsigned long long degree = row_offsets[v + 1] - row_offsets[v];
    own = own < degree ? degree : own;
  }
  if (own > 0) atomicMax(largest, own);
}

// The distance to the largest degree, then the id, which breaks ties under any kind of sort.
__global__ void __launch_bounds__(kBlockThreads)
    degree_keys(const edge_t* row_offsets, edge_t vertices, edge_t largest, unsigned vertex_bits,
                std::uint64_t* keys) {
  const edge_t threads = edge_t{gridDim.x} * kBlockThreads;
  for (edge_t v = edge_t{blockIdx.x} * kBlockThreads + threadIdx.x; v < vertices; v += threads) {
    keys[v] = (largest - (row_offsets[v + 1] - row_offsets[v])) << vertex_bits | v;
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    ranks(const std::uint64_t* keys, edge_t vertices, vertex_t mask, vertex_t* new_of_old) {
  const edge_t threads = edge_t{gridDim.x} * kBlockThreads;
  for (edge_t rank = edge_t{blockIdx.x} * kBlockThreads + threadIdx.x; rank < vertices;
       rank += threads) {
    new_of_old[static_cast<vertex_t>(keys[rank]) & mask] = static_cast<vertex_t>(rank);
  }
}

}  // namespace

DeviceBuffer<vertex_t> shuffled_ids(vertex_t vertices, std::uint64_t seed, const Stream& stream) {
  DeviceBuffer<vertex_t> new_of_old(vertices);
  shuffle<<<blocks_for(vertices), kBlockThreads, 0, stream.get()>>>(
      RangePermutation(vertices, derive_key(seed, 5)), vertices, new_of_old.data());
  BFSLAB_CUDA_LAUNCHED("shuffle");
  return new_of_old;
}

DeviceBuffer<vertex_t> degree_ids(const DeviceBuffer<edge_t>& row_offsets, const Stream& stream) {
  const edge_t n = row_offsets.size() - 1;
  const unsigned blocks = blocks_for(n);
  DeviceBuffer<unsigned long long> device_largest(1);
  device_largest.fill_bytes(0, stream.get());
  largest_degree<<<blocks, kBlockThreads, 0, stream.get()>>>(row_offsets.data(), n,
                                                             device_largest.data());
  BFSLAB_CUDA_LAUNCHED("largest_degree");
  const edge_t largest = read_back(device_largest.data(), stream);
  if (largest > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("a vertex has more than 2^32 neighbours");
  }

  const auto vertex_bits = static_cast<unsigned>(std::bit_width(n - 1));
  KeyBuffers buffers{DeviceBuffer<std::uint64_t>(n), DeviceBuffer<std::uint64_t>(n)};
  degree_keys<<<blocks, kBlockThreads, 0, stream.get()>>>(row_offsets.data(), n, largest,
                                                          vertex_bits, buffers.keys.data());
  BFSLAB_CUDA_LAUNCHED("degree_keys");
  sort_keys(buffers, n, vertex_bits + static_cast<unsigned>(std::bit_width(largest)), stream);
  DeviceBuffer<vertex_t> new_of_old(n);
  const auto mask = static_cast<vertex_t>((std::uint64_t{1} << vertex_bits) - 1);
  ranks<<<blocks, kBlockThreads, 0, stream.get()>>>(buffers.keys.data(), n, mask,
                                                    new_of_old.data());
  BFSLAB_CUDA_LAUNCHED("ranks");
  stream.wait();  // before the keys are freed
  return new_of_old;
}

}  // namespace bfslab::cuda
