// SPDX-License-Identifier: Apache-2.0
// Deals out the rows of a graph whose ids are ordered by degree.
#include "kernels/cuda/engines/fused/members_graph.hpp"

#include <cub/device/device_scan.cuh>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

namespace {

// Where the rows of all members are, one after the other: row i is of member i / rows, and of its
// vertex i % rows, if it has that many.
struct DealtRows {
  FusedDeal deal;
  vertex_t ranks;
  std::uint64_t rows;  // of a member, with one more for the end

  [[nodiscard]] __device__ vertex_t rank_of(std::uint64_t i) const {
    const std::uint64_t rank = i % rows * deal.members + i / rows;
    return rank < ranks ? static_cast<vertex_t>(rank) : kNoVertex;
  }
};

template <typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    deal_degrees(const Offset* offsets, const __grid_constant__ DealtRows dealt, edge_t* degrees) {
  const std::uint64_t count = dealt.rows * dealt.deal.members;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const vertex_t rank = dealt.rank_of(i);
    degrees[i] =
        rank != kNoVertex ? edge_t{offsets[rank + std::size_t{1}]} - edge_t{offsets[rank]} : 0;
  }
}

// Copies rows and names their entries by id. One warp per row, one block per long row.
template <typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    deal_columns(const Offset* offsets, const vertex_t* columns,
                 const __grid_constant__ DealtRows dealt, const edge_t* dealt_from,
                 vertex_t* dealt_columns) {
  const std::uint64_t count = dealt.rows * dealt.deal.members;
  constexpr edge_t kMaxWarpRow = 4096;
  const auto copy = [&](std::uint64_t i, vertex_t rank, unsigned lane, unsigned lanes) {
    const edge_t from = offsets[rank];
    const edge_t degree = edge_t{offsets[rank + std::size_t{1}]} - from;
    for (edge_t e = lane; e < degree; e += lanes) {
      dealt_columns[dealt_from[i] + e] = dealt.deal.id_of_rank(columns[from + e]);
    }
  };
  const auto is_long = [&](vertex_t rank) {
    return edge_t{offsets[rank + std::size_t{1}]} - edge_t{offsets[rank]} > kMaxWarpRow;
  };
  for (std::uint64_t i = grid_thread() / 32; i < count; i += grid_threads() / 32) {
    const vertex_t rank = dealt.rank_of(i);
    if (rank != kNoVertex && !is_long(rank)) copy(i, rank, lane_id(), 32);
  }
  for (std::uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const vertex_t rank = dealt.rank_of(i);
    if (rank != kNoVertex && is_long(rank)) copy(i, rank, threadIdx.x, blockDim.x);
  }
}

// Sets the first entry of each row, and the offsets within a member's columns.
template <typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    finish_rows(const __grid_constant__ DealtRows dealt, const edge_t* from,
                const vertex_t* columns, Offset* offsets, vertex_t* first) {
  const std::uint64_t count = dealt.rows * dealt.deal.members;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::uint64_t member = i / dealt.rows;
    offsets[i] = static_cast<Offset>(from[i] - from[member * dealt.rows]);
    if (i % dealt.rows == dealt.rows - 1) continue;
    first[i - member] = from[i] < from[i + 1] ? columns[from[i]] : kNoVertex;
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    find_places(const vertex_t* rank_of_old, std::size_t count, FusedDeal deal, vertex_t ranks,
                vertex_t numbers, vertex_t* places) {
  for (std::uint64_t v = grid_thread(); v < count; v += grid_threads()) {
    const vertex_t rank = rank_of_old[v];
    places[v] = rank < ranks ? deal.member_of_rank(rank) * numbers + deal.number_of_rank(rank)
                             : deal.members * numbers;
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    name_ids(const vertex_t* old_of_rank, FusedDeal deal, vertex_t ranks, std::size_t ids,
             vertex_t* old_of_id) {
  for (std::uint64_t id = grid_thread(); id < ids; id += grid_threads()) {
    const vertex_t rank = deal.rank_of(static_cast<vertex_t>(id));
    old_of_id[id] = rank < ranks ? old_of_rank[rank] : kNoVertex;
  }
}

// The places of small degrees among each member's rows, from those among all.
DeviceBuffer<DegreeRows> deal_degree_rows(const SearchGraph& graph, const MembersGraph& made,
                                          const Stream& stream) {
  const std::vector<DegreeRows> of_all = downloaded(graph.degree_rows, stream);
  std::vector<DegreeRows> rows;
  for (unsigned m = 0; m < made.deal.members; ++m) {
    edge_t begin = made.columns_from[m + 1] - made.columns_from[m];
    for (unsigned d = 0; d <= kTabledDegrees; ++d) {
      DegreeRows own{made.deal.share(of_all[d].from, m), 0};
      if (d > 0) {
        begin -= edge_t{d} * (rows.back().from - own.from);
        own.shift = begin - edge_t{d} * own.from;
      }
      rows.push_back(own);
    }
  }
  return uploaded(std::span<const DegreeRows>(rows), stream);
}

template <typename Offset>
void deal_rows(const Offset* offsets, const vertex_t* columns, MembersGraph& made,
               DeviceBuffer<Offset>& dealt_offsets, const Stream& stream) {
  const unsigned members = made.deal.members;
  const DealtRows dealt{made.deal, made.ranks, std::uint64_t{made.numbers} + 1};
  const std::size_t rows = dealt.rows * members;
  DeviceBuffer<edge_t> from(rows + 1);
  BFSLAB_LAUNCH(deal_degrees<Offset>, blocks_for(rows), stream, offsets, dealt, from.data());
  with_scratch(stream.get(), [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, from.data(), rows + 1, stream.get());
  });
  for (unsigned m = 0; m <= members; ++m) {
    made.columns_from.push_back(read_back(from.data() + m * dealt.rows, stream));
  }
  BFSLAB_LAUNCH(deal_columns<Offset>, full_grid(), stream, offsets, columns, dealt, from.data(),
                made.columns.data());
  dealt_offsets = DeviceBuffer<Offset>(rows);
  BFSLAB_LAUNCH(finish_rows<Offset>, blocks_for(rows), stream, dealt, from.data(),
                made.columns.data(), dealt_offsets.data(), made.first.data());
  stream.wait();  // before the sums go
}

}  // namespace

MembersGraph deal_out(const SearchGraph& graph, unsigned members, const Stream& stream) {
  MembersGraph made;
  made.deal.members = members;
  made.ranks = graph.vertices;
  made.searched = graph.vertices - graph.leaves;
  made.ones_from = graph.ones_from;
  made.numbers = made.deal.numbers(made.ranks);
  made.narrow = graph.narrow;
  const std::size_t ids = made.deal.ids(made.ranks);
  made.columns = DeviceBuffer<vertex_t>(graph.out.columns.size());
  made.first = DeviceBuffer<vertex_t>(ids);
  if (graph.narrow) {
    deal_rows(graph.out.narrow.data(), graph.out.columns.data(), made, made.narrow_offsets, stream);
  } else {
    deal_rows(graph.out.wide.data(), graph.out.columns.data(), made, made.wide_offsets, stream);
  }
  made.degree_rows = deal_degree_rows(graph, made, stream);
  const std::size_t given = graph.new_of_old.size();
  made.place_of_old = DeviceBuffer<vertex_t>(given);
  made.old_of_id = DeviceBuffer<vertex_t>(ids);
  BFSLAB_LAUNCH(find_places, blocks_for(given), stream, graph.new_of_old.data(), given, made.deal,
                made.ranks, made.numbers, made.place_of_old.data());
  if (ids > 0) {
    BFSLAB_LAUNCH(name_ids, blocks_for(ids), stream, graph.old_of_new.data(), made.deal, made.ranks,
                  ids, made.old_of_id.data());
  }
  stream.wait();
  return made;
}

}  // namespace bfslab::cuda
