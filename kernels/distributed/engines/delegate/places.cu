// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/delegate/places.hpp"

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <vector>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/engines/delegate/gpu_graph.cuh"
#include "kernels/distributed/engines/delegate/places.cuh"

namespace bfslab::distributed::delegate {

namespace {

using cuda::blocks_for;
using cuda::DeviceBuffer;
using cuda::kBlockThreads;

// True for rows that have a place: `all`, or those that have entries in one of the two.
struct HasPlace {
  EitherOffsets nn, nd;
  bool all;

  [[nodiscard]] __device__ bool operator()(local_vertex_t row) const {
    return all || nn.degree(row) > 0 || nd.degree(row) > 0;
  }
};

__global__ void count_words(const std::uint32_t* bits, std::size_t words, std::uint32_t* counts) {
  for (std::size_t w = cuda::thread_in_grid(); w < words; w += cuda::threads_in_grid()) {
    counts[w] = __popc(bits[w]);
  }
}

// The offsets of rows that have places, and two more: rows between them are empty.
template <typename Offset>
__global__ void keep_rows(const __grid_constant__ RankedView places, const Offset* offsets,
                          std::uint32_t rows, Offset* kept) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const auto row = static_cast<local_vertex_t>(i);
    if (test(places.bits, row)) kept[places.place(row)] = offsets[i];
  }
  if (cuda::thread_in_grid() == 0) {
    kept[places.count] = offsets[rows];
    kept[places.count + std::size_t{1}] = offsets[rows];
  }
}

__global__ void rename(const __grid_constant__ RankedView places, local_vertex_t* columns,
                       std::uint64_t count) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    columns[i] = places.place(columns[i]);
  }
}

// Ids of the whole graph become NormalEnds.
__global__ void rename_ends(const __grid_constant__ RankedView places, RoundRobin own,
                            global_vertex_t* columns, std::uint64_t count) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    const unsigned owner = own.owner(columns[i]);
    const local_vertex_t local = own.local(columns[i]);
    columns[i] = NormalEnd::of(owner, owner == own.me ? places.place(local) : local).column;
  }
}

__global__ void invert(const __grid_constant__ RankedView places, std::uint32_t rows,
                       local_vertex_t* ids) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const auto row = static_cast<local_vertex_t>(i);
    if (test(places.bits, row)) ids[places.place(row)] = row;
  }
}

// `ranked.bits` are there.
void rank(RankedBits& ranked, const cuda::Stream& stream) {
  const std::size_t words = ranked.bits.size();
  if (words == 0) return;
  // One more, for the sum.
  DeviceBuffer<std::uint32_t> before(words + 1);
  before.fill_bytes(0, stream.get());
  count_words<<<blocks_for(words), kBlockThreads, 0, stream.get()>>>(ranked.bits.data(), words,
                                                                     before.data());
  BFSLAB_CUDA_LAUNCHED("count_words");
  std::size_t bytes = 0;
  const auto scan = [&](void* scratch) {
    BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(scratch, bytes, before.data(), before.data(),
                                              words + 1, stream.get()));
  };
  scan(nullptr);
  const DeviceBuffer<std::byte> scratch(std::max<std::size_t>(bytes, 1));
  scan(scratch.data());
  ranked.count = cuda::read_back(before.data() + words, stream);
  ranked.before = std::move(before);
}

// Keeps the offsets of rows that have places, and notes their bytes in `stored`.
template <typename Column>
void keep_rows_of(DeviceSubgraph<Column>& graph, StoredSubgraph& stored, const RankedView& places,
                  std::uint32_t rows, const cuda::Stream& stream) {
  const auto keep = [&](auto& offsets) {
    if (offsets.size() == 0) return;
    std::remove_reference_t<decltype(offsets)> kept(places.count + std::size_t{2});
    keep_rows<<<blocks_for(rows), kBlockThreads, 0, stream.get()>>>(places, offsets.data(), rows,
                                                                    kept.data());
    BFSLAB_CUDA_LAUNCHED("keep_rows");
    stream.wait();  // the old ones go
    offsets = std::move(kept);
  };
  keep(graph.narrow);
  keep(graph.wide);
  stored.offset_bytes = graph.narrow.bytes() + graph.wide.bytes();
}

}  // namespace

Places take_places(DeviceSubgraphs& graph, unsigned me, unsigned members,
                   const cuda::Stream& stream) {
  Places made;
  const std::uint32_t owned = graph.owned;
  const std::size_t words = words_for(owned);
  made.normals.bits = DeviceBuffer<std::uint32_t>(words);
  made.normals.bits.fill_bytes(0, stream.get());
  if (owned > 0) {
    const HasPlace has{EitherOffsets::of(graph.nn), EitherOffsets::of(graph.nd), !graph.symmetric};
    mark_rows<<<blocks_for(owned), kBlockThreads, 0, stream.get()>>>(has, owned,
                                                                     made.normals.bits.data());
    BFSLAB_CUDA_LAUNCHED("mark_rows");
  }
  rank(made.normals, stream);

  std::vector<std::uint32_t> own(words, 0);
  std::vector<local_vertex_t> numbers;
  numbers.reserve(graph.own_delegates.size());
  for (const auto& [vertex, delegate] : graph.own_delegates) {
    own[vertex / 32] |= 1U << vertex % 32;
    numbers.push_back(delegate);
  }
  made.own_delegates.bits = DeviceBuffer<std::uint32_t>(words);
  cuda::upload(made.own_delegates.bits.data(), own.data(), made.own_delegates.bits.bytes(), stream);
  rank(made.own_delegates, stream);
  made.delegate_numbers = DeviceBuffer<local_vertex_t>(numbers.size());
  cuda::upload(made.delegate_numbers.data(), numbers.data(), made.delegate_numbers.bytes(), stream);

  const RankedView places = RankedView::of(made.normals);
  keep_rows_of(graph.nn, graph.stored[EdgeClass::nn], places, owned, stream);
  keep_rows_of(graph.nd, graph.stored[EdgeClass::nd], places, owned, stream);
  if (graph.dn.columns.size() > 0) {
    rename<<<blocks_for(graph.dn.columns.size()), kBlockThreads, 0, stream.get()>>>(
        places, graph.dn.columns.data(), graph.dn.columns.size());
    BFSLAB_CUDA_LAUNCHED("rename");
  }
  if (graph.nn.columns.size() > 0) {
    rename_ends<<<blocks_for(graph.nn.columns.size()), kBlockThreads, 0, stream.get()>>>(
        places, RoundRobin{Divisor(members), me}, graph.nn.columns.data(), graph.nn.columns.size());
    BFSLAB_CUDA_LAUNCHED("rename_ends");
  }
  stream.wait();
  return made;
}

void ids_of_places(const Places& places, std::uint32_t owned, local_vertex_t* ids,
                   const cuda::Stream& stream) {
  if (owned == 0) return;
  invert<<<blocks_for(owned), kBlockThreads, 0, stream.get()>>>(RankedView::of(places.normals),
                                                                owned, ids);
  BFSLAB_CUDA_LAUNCHED("invert");
}

}  // namespace bfslab::distributed::delegate
