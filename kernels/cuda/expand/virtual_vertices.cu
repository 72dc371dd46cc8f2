// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/expand/virtual_vertices.hpp"

#include <cub/device/device_scan.cuh>
#include <limits>
#include <string>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {
namespace {

// counts[n] gets 0, so that the sum before it is the total.
__global__ void __launch_bounds__(kBlockThreads)
    count_shares(CsrView graph, std::uint32_t split, std::uint32_t* counts,
                 unsigned long long* total) {
  unsigned long long own = 0;
  for (std::size_t v = thread_in_grid(); v <= graph.vertices; v += threads_in_grid()) {
    edge_t shares = 0;
    if (v < graph.vertices) {
      shares = (degree_of(graph, static_cast<vertex_t>(v)) + split - 1) / split;
    }
    counts[v] = static_cast<std::uint32_t>(shares);
    own += shares;
  }
  add_of_block(own, total);
}

// One warp per vertex: hubs have a hundred thousand shares.
__global__ void __launch_bounds__(kBlockThreads)
    name_shares(vertex_t vertices, const std::uint32_t* first, vertex_t* vertex) {
  for (std::size_t v = thread_in_grid() / 32; v < vertices; v += threads_in_grid() / 32) {
    const std::size_t end = first[v + 1];
    for (std::size_t i = first[v] + lane_id(); i < end; i += 32) {
      vertex[i] = static_cast<vertex_t>(v);
    }
  }
}

}  // namespace

VirtualVertices split_vertices(const CsrView& graph, std::uint32_t split, const Stream& stream) {
  constexpr auto kMaxScanned = static_cast<std::size_t>(std::numeric_limits<int>::max());
  const std::size_t n = graph.vertices;
  if (n >= kMaxScanned) {
    throw InputError("virtual vertices: a graph of " + std::to_string(n) +
                     " vertices; at most 2,147,483,646 can be split");
  }
  VirtualVertices made;
  made.split = split;
  made.first = DeviceBuffer<std::uint32_t>(n + 1);
  auto total = zeroed<unsigned long long>(1, stream);
  BFSLAB_LAUNCH(count_shares, blocks_for(n + 1), stream, graph, split, made.first.data(),
                total.data());
  const unsigned long long items = read_back(total.data(), stream);
  if (items > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("split " + std::to_string(split) + ": " + std::to_string(items) +
                     " virtual vertices, and 32 bits count at most 4,294,967,295; raise `split`");
  }
  with_scratch(stream.get(), [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, made.first.data(), made.first.data(),
                                         static_cast<int>(made.first.size()), stream.get());
  });
  made.vertex = DeviceBuffer<vertex_t>(items);
  BFSLAB_LAUNCH(name_shares, blocks_for(std::uint64_t{n} * 32), stream, graph.vertices,
                made.first.data(), made.vertex.data());
  stream.wait();
  return made;
}

}  // namespace bfslab::cuda
