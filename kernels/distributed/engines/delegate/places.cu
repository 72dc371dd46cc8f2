// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/delegate/places.hpp"

#include <vector>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/engines/delegate/gpu_graph.cuh"

namespace bfslab::distributed::delegate {

namespace {

using cuda::DeviceBuffer;

// True for rows that have a place: `all`, or those that have entries in one of the two.
struct HasPlace {
  EitherOffsets nn, nd;
  bool all;

  [[nodiscard]] __device__ bool operator()(local_vertex_t row) const {
    return all || nn.degree(row) > 0 || nd.degree(row) > 0;
  }
};

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
    columns[i] = NormalEnd::make(owner, owner == own.me ? places.place(local) : local).column;
  }
}

__global__ void invert(const __grid_constant__ RankedView places, std::uint32_t rows,
                       local_vertex_t* ids) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const auto row = static_cast<local_vertex_t>(i);
    if (test(places.bits, row)) ids[places.place(row)] = row;
  }
}

// Keeps the offsets of rows that have places, and notes their bytes in `stored`.
template <typename Column>
void keep_rows_of(DeviceSubgraph<Column>& graph, StoredSubgraph& stored, const RankedView& places,
                  std::uint32_t rows, const cuda::Stream& stream) {
  const auto keep = [&](auto& offsets) {
    if (offsets.size() == 0) return;
    std::remove_reference_t<decltype(offsets)> kept(places.count + std::size_t{2});
    BFSLAB_LAUNCH(keep_rows, blocks_for(rows), stream, places, offsets.data(), rows, kept.data());
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
  made.normals.bits = zeroed<std::uint32_t>(words, stream);
  if (owned > 0) {
    const HasPlace has{EitherOffsets::from(graph.nn), EitherOffsets::from(graph.nd),
                       !graph.symmetric};
    BFSLAB_LAUNCH(mark_rows, blocks_for(owned), stream, has, owned, made.normals.bits.data());
  }
  cuda::rank(made.normals, stream);

  std::vector<std::uint32_t> own(words, 0);
  std::vector<local_vertex_t> numbers;
  numbers.reserve(graph.own_delegates.size());
  for (const auto& [vertex, delegate] : graph.own_delegates) {
    own[vertex / 32] |= 1U << vertex % 32;
    numbers.push_back(delegate);
  }
  made.own_delegates.bits = uploaded(std::span<const std::uint32_t>(own), stream);
  cuda::rank(made.own_delegates, stream);
  made.delegate_numbers = uploaded(std::span<const local_vertex_t>(numbers), stream);

  const RankedView places = RankedView::from(made.normals);
  keep_rows_of(graph.nn, graph.stored[EdgeClass::nn], places, owned, stream);
  keep_rows_of(graph.nd, graph.stored[EdgeClass::nd], places, owned, stream);
  if (graph.dn.columns.size() > 0) {
    BFSLAB_LAUNCH(rename, blocks_for(graph.dn.columns.size()), stream, places,
                  graph.dn.columns.data(), graph.dn.columns.size());
  }
  if (graph.nn.columns.size() > 0) {
    BFSLAB_LAUNCH(rename_ends, blocks_for(graph.nn.columns.size()), stream, places,
                  RoundRobin{Divisor(members), me}, graph.nn.columns.data(),
                  graph.nn.columns.size());
  }
  stream.wait();
  return made;
}

void ids_of_places(const Places& places, std::uint32_t owned, local_vertex_t* ids,
                   const cuda::Stream& stream) {
  if (owned == 0) return;
  BFSLAB_LAUNCH(invert, blocks_for(owned), stream, RankedView::from(places.normals), owned, ids);
}

}  // namespace bfslab::distributed::delegate
