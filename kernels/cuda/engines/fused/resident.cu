// SPDX-License-Identifier: Apache-2.0
// Makes resident graphs, and launches their searches (resident_block.cuh).
#include "kernels/cuda/engines/fused/resident.hpp"

#include <algorithm>
#include <array>
#include <cub/block/block_scan.cuh>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/engines/fused/resident_block.cuh"

namespace bfslab::cuda {

namespace {

// Lays out the blocks' parts of the graph: the beginnings of rows, then the places of their
// neighbours. One block per part.
template <typename Id>
__global__ void __launch_bounds__(kBlockThreads)
    make_parts(const __grid_constant__ CsrView graph, const __grid_constant__ ResidentSearches like,
               std::byte* parts) {
  using Scan = cub::BlockScan<std::uint32_t, kBlockThreads>;
  __shared__ typename Scan::TempStorage scratch;
  const ResidentShape& shape = like.shape;
  std::byte* const part = parts + like.part_at[blockIdx.x];
  auto* const begins = reinterpret_cast<std::uint32_t*>(part);
  auto* const columns = reinterpret_cast<Id*>(part + shape.columns_at());
  const auto degree_of_row = [&](std::uint32_t row) -> std::uint32_t {
    if (row >= shape.rows) return 0;
    const std::size_t v = shape.vertex_of(blockIdx.x, row);
    if (v >= shape.vertices) return 0;
    return static_cast<std::uint32_t>(graph.row_offsets[v + 1] - graph.row_offsets[v]);
  };
  std::uint32_t before_all = 0;
  for (std::uint32_t first = 0; first <= shape.rows; first += kBlockThreads) {
    const std::uint32_t row = first + threadIdx.x;
    std::uint32_t before = 0;
    std::uint32_t sum = 0;
    Scan(scratch).ExclusiveSum(degree_of_row(row), before, sum);
    if (row <= shape.rows) begins[row] = before_all + before;
    before_all += sum;
    __syncthreads();  // the scratch space is free again, and earlier rows have their beginnings
  }
  for (std::uint32_t row = threadIdx.x / 32; row < shape.rows; row += kBlockThreads / 32) {
    const std::uint32_t count = degree_of_row(row);
    if (count == 0) continue;
    const edge_t from = graph.row_offsets[shape.vertex_of(blockIdx.x, row)];
    for (std::uint32_t e = lane_id(); e < count; e += 32) {
      columns[begins[row] + e] = static_cast<Id>(shape.place_of(graph.columns[from + e]));
    }
  }
}

template <typename Id, bool kParents>
__global__ void __launch_bounds__(kResidentThreads, 1)
    run_resident(const __grid_constant__ ResidentSearches searches, unsigned log_kind) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  ResidentBlock<Id, kParents> block(searches);
  block.begin();
  block.run(log_kind);
#endif
}

ClusterKernel<ResidentSearches, unsigned> kernel_of(const ResidentShape& shape, bool parents) {
  const auto wide =
      parents ? run_resident<std::uint32_t, true> : run_resident<std::uint32_t, false>;
  const auto narrow =
      parents ? run_resident<std::uint16_t, true> : run_resident<std::uint16_t, false>;
  return {shape.wide ? wide : narrow, shape.blocks, kResidentThreads, shape.bytes()};
}

}  // namespace

std::optional<ResidentGraph> make_resident_graph(const CsrGraph& graph, const CsrView& on_device,
                                                 unsigned only, bool parents,
                                                 const Stream& stream) {
  const vertex_t n = graph.vertex_count();
  if (!has_resident_size(n, graph.edge_count())) return std::nullopt;
  std::array<std::uint32_t, kResidentBlocks> entries{};
  const auto max_entries = [&](unsigned blocks) {
    entries = {};
    for (vertex_t v = 0; v < n; ++v) {
      entries[v % blocks] += static_cast<std::uint32_t>(graph.degree(v));
    }
    return *std::ranges::max_element(entries);
  };
  edge_t longest = 0;
  for (vertex_t v = 0; v < n; ++v) longest = std::max(longest, graph.degree(v));
  const auto runs = [&](const ResidentShape& each) { return kernel_of(each, parents).runs_here(); };
  const auto shape = first_resident_shape(n, graph.edge_count(), longest, only, max_entries, runs);
  if (!shape) return std::nullopt;
  ResidentGraph made{.shape = *shape, .part_at = {}, .parts = {}, .candidates = {}};
  for (unsigned b = 0; b < shape->blocks; ++b) {
    made.part_at[b + 1] = made.part_at[b] + shape->image_bytes(entries[b]);
  }
  made.parts = DeviceBuffer<std::byte>(made.part_at[shape->blocks]);
  if (parents) {
    made.candidates = DeviceBuffer<vertex_t>(std::size_t{shape->blocks} * shape->places());
  }
  const auto make = shape->wide ? make_parts<std::uint32_t> : make_parts<std::uint16_t>;
  BFSLAB_LAUNCH(make, shape->blocks, stream, on_device, searches_of(made), made.parts.data());
  return made;
}

ResidentSearches searches_of(const ResidentGraph& graph) {
  ResidentSearches searches;
  searches.shape = graph.shape;
  searches.parts = graph.parts.data();
  searches.candidates = graph.candidates.data();
  std::ranges::copy(graph.part_at, searches.part_at);
  return searches;
}

void launch_resident(const ResidentSearches& searches, unsigned log_kind, cudaStream_t stream) {
  kernel_of(searches.shape, searches.candidates != nullptr).launch(stream, searches, log_kind);
}

}  // namespace bfslab::cuda
