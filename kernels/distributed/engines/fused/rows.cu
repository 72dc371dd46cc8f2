// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/fused/rows.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/distributed/subgraphs/collected_rows.hpp"
#include "kernels/distributed/subgraphs/entry_pass.cuh"
#include "kernels/distributed/subgraphs/out_degrees.hpp"

namespace bfslab::distributed::fused {

namespace {

using cuda::bits_for;
using cuda::FusedDeal;
using cuda::kTabledDegrees;

// The member of an entry is that of its tail's rank, its row the tail's number, its column the
// head's rank. The rows are those of one subgraph.
struct DealtPlacement {
  const vertex_t* rank_of = nullptr;  // [vertices as given]
  FusedDeal deal;

  [[nodiscard]] __device__ Placed operator()(global_vertex_t from, global_vertex_t to) const {
    const vertex_t rank = rank_of[from];
    return {deal.member_of_rank(rank), EdgeClass::nd, deal.number_of_rank(rank), rank_of[to]};
  }
};

// Facts of all degrees that members add up.
struct DegreeSum {
  Counter edges = 0;
  Counter squares = 0;
  Counter largest = 0;
};

__global__ void __launch_bounds__(kBlockThreads)
    sum_degrees(const std::uint32_t* degrees, std::uint64_t count, DegreeSum* sum) {
  DegreeSum own;
  for (std::uint64_t v = grid_thread(); v < count; v += grid_threads()) {
    const Counter degree = degrees[v];
    own.edges += degree;
    own.squares += degree * degree;
    own.largest = own.largest < degree ? degree : own.largest;
  }
  if (own.edges == 0) return;
  atomicAdd(&sum->edges, own.edges);
  atomicAdd(&sum->squares, own.squares);
  atomicMax(&sum->largest, own.largest);
}

// Makes keys (largest - degree) << vertex_bits | vertex from degrees by owner, `stride` for each.
__global__ void __launch_bounds__(kBlockThreads)
    degree_keys(const std::uint32_t* degrees, std::uint64_t stride, Ownership own,
                std::uint64_t largest, unsigned vertex_bits, std::uint64_t* keys) {
  for (std::uint64_t v = grid_thread(); v < own.vertices; v += grid_threads()) {
    const std::uint64_t degree = degrees[own.owner(v) * stride + own.local(v)];
    keys[v] = (largest - degree) << vertex_bits | v;
  }
}

// Sets the rank of each vertex, and from[d] to the first rank of degree d or less, if there is one.
__global__ void __launch_bounds__(kBlockThreads)
    take_ranks(const std::uint64_t* keys, std::uint64_t count, std::uint64_t largest,
               unsigned vertex_bits, vertex_t* rank_of, vertex_t* from) {
  const std::uint64_t mask = (std::uint64_t{1} << vertex_bits) - 1;
  const auto degree_at = [&](std::uint64_t rank) { return largest - (keys[rank] >> vertex_bits); };
  for (std::uint64_t rank = grid_thread(); rank < count; rank += grid_threads()) {
    rank_of[keys[rank] & mask] = static_cast<vertex_t>(rank);
    const std::uint64_t degree = degree_at(rank);
    const std::uint64_t before = rank > 0 ? degree_at(rank - 1) : kTabledDegrees + 1;
    for (std::uint64_t d = degree; d < before && d <= kTabledDegrees; ++d) {
      from[d] = static_cast<vertex_t>(rank);
    }
  }
}

// Makes keys neighbour << bits | leaf from the neighbours of leaves by member, `stride` for each.
// Leaf i has the rank `first` + i. `share`: the number of a member's first leaf.
__global__ void __launch_bounds__(kBlockThreads)
    leaf_keys(const vertex_t* neighbors, std::uint64_t stride, FusedDeal deal, vertex_t first,
              std::uint64_t count, unsigned bits, std::uint64_t* keys) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const auto rank = static_cast<vertex_t>(first + i);
    const unsigned member = deal.member_of_rank(rank);
    const vertex_t nth = deal.number_of_rank(rank) - deal.share(first, member);
    keys[i] = std::uint64_t{neighbors[member * stride + nth]} << bits | i;
  }
}

// The ranks of leaves after they are ordered; null: they keep theirs.
struct LeafOrder {
  const vertex_t* new_leaf = nullptr;  // [leaves]
  vertex_t first = 0;                  // the rank of the first leaf

  [[nodiscard]] __device__ vertex_t operator()(vertex_t rank) const {
    return new_leaf != nullptr && rank >= first ? first + new_leaf[rank - first] : rank;
  }
};

__global__ void __launch_bounds__(kBlockThreads)
    invert_leaves(const std::uint64_t* keys, std::uint64_t count, unsigned bits,
                  vertex_t* new_leaf) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    new_leaf[keys[i] & mask] = static_cast<vertex_t>(i);
  }
}

// Sets the columns of this member's leaves to the ranks of their neighbours, by the new order.
__global__ void __launch_bounds__(kBlockThreads)
    take_leaves(const std::uint64_t* keys, std::uint64_t count, unsigned bits, FusedDeal deal,
                vertex_t first, unsigned member, vertex_t* columns) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const auto rank = static_cast<vertex_t>(first + i);
    if (deal.member_of_rank(rank) != member) continue;
    columns[deal.number_of_rank(rank) - deal.share(first, member)] =
        static_cast<vertex_t>(keys[i] >> bits);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    name_columns(vertex_t* columns, std::uint64_t count, LeafOrder order, FusedDeal deal) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    columns[i] = deal.id_of_rank(order(columns[i]));
  }
}

// Sets the places of the vertices that `member` owns.
__global__ void __launch_bounds__(kBlockThreads)
    take_places(const vertex_t* rank_of, Ownership own, unsigned member, std::uint64_t owned,
                LeafOrder order, FusedDeal deal, vertex_t ranks, vertex_t numbers,
                vertex_t* places) {
  for (std::uint64_t i = grid_thread(); i < owned; i += grid_threads()) {
    const vertex_t given = rank_of[own.global(member, i)];
    const vertex_t rank = given < ranks ? order(given) : given;
    places[i] = rank < ranks ? deal.member_of_rank(rank) * numbers + deal.number_of_rank(rank)
                             : deal.members * numbers;
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    take_names(const vertex_t* rank_of, std::uint64_t count, LeafOrder order, FusedDeal deal,
               vertex_t ranks, vertex_t* old_of_id) {
  for (std::uint64_t v = grid_thread(); v < count; v += grid_threads()) {
    const vertex_t rank = rank_of[v];
    if (rank < ranks) old_of_id[deal.id_of_rank(order(rank))] = static_cast<vertex_t>(v);
  }
}

template <typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    run_first(const Offset* offsets, const vertex_t* columns, vertex_t rows, vertex_t* first) {
  for (std::uint64_t r = grid_thread(); r < rows; r += grid_threads()) {
    first[r] = offsets[r] < offsets[r + 1] ? columns[offsets[r]] : kNoVertex;
  }
}

// Returns the values of all members, each in `stride` elements of which it has at most that many.
// Collective.
template <typename T>
DeviceBuffer<T> gathered(const Making& making, const T* own, std::uint64_t count,
                         std::uint64_t stride) {
  const Stream& stream = making.stream();
  const unsigned members = making.member.count();
  DeviceBuffer<T> all(stride * members);
  DeviceBuffer<T> padded(stride);
  padded.fill_bytes(0, stream.get());
  cuda::copy(padded.data(), own, count, stream);
  if (members == 1) {
    cuda::copy(all.data(), padded.data(), stride, stream);
    stream.wait();
    return all;
  }
  stream.wait();
  // No member frees or takes memory, which waits for a whole GPU, while others wait in a call.
  making.member.all->barrier();
  making.data.all_gather(
      device_bytes(padded.data(), stride),
      {reinterpret_cast<std::byte*>(all.data()), static_cast<std::size_t>(all.bytes())});
  stream.wait();
  making.member.all->barrier();
  return all;
}

// Ranks all vertices; sets `ranks`, `ones_from`, `edges` and `end_degree`. Returns the rank of
// each, and in `from` the first ranks of small degrees.
DeviceBuffer<vertex_t> rank_vertices(const Making& making, const Ownership& own, DealtRows& made,
                                     std::vector<vertex_t>& from) {
  const Stream& stream = making.stream();
  Communicator& all = *making.member.all;
  const std::uint64_t n = own.vertices;
  const std::uint64_t owned = own.count(making.member.index());
  const std::uint64_t stride = (own.count(0) + 3) / 4 * 4;  // multiples of 16 bytes
  DeviceBuffer<std::uint32_t> degrees = out_degrees(making, own);
  auto sum = cuda::zeroed<DegreeSum>(1, stream);
  BFSLAB_LAUNCH(sum_degrees, blocks_for(owned), stream, degrees.data(), owned, sum.data());
  const DegreeSum ours = cuda::read_back(sum.data(), stream);
  made.edges = all.sum(ours.edges);
  const std::uint64_t largest = all.maximum(ours.largest);
  made.end_degree = static_cast<double>(all.sum(ours.squares)) /
                    static_cast<double>(std::max<Word>(1, made.edges));
  const DeviceBuffer<std::uint32_t> of_all = gathered(making, degrees.data(), owned, stride);
  degrees = {};

  const unsigned vertex_bits = bits_for(n);
  cuda::KeyBuffers buffers(n);
  DeviceBuffer<vertex_t> rank_of(n);
  from.assign(kTabledDegrees + 1, static_cast<vertex_t>(n));
  if (n == 0) return rank_of;
  BFSLAB_LAUNCH(degree_keys, blocks_for(n), stream, of_all.data(), stride, own, largest,
                vertex_bits, buffers.keys.data());
  cuda::sort_keys(buffers, n, vertex_bits + static_cast<unsigned>(std::bit_width(largest)), stream);
  const DeviceBuffer<vertex_t> device_from =
      cuda::uploaded(std::span<const vertex_t>(from), stream);
  BFSLAB_LAUNCH(take_ranks, blocks_for(n), stream, buffers.keys.data(), n, largest, vertex_bits,
                rank_of.data(), device_from.data());
  from = cuda::downloaded(device_from, stream);
  made.ranks = from[0];
  made.ones_from = from[1];
  return rank_of;
}

// Collects this member's rows, with ranks for columns.
void collect_rows(const Making& making, const vertex_t* rank_of, DealtRows& made) {
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nd] = made.numbers;
  EntryPass<DealtPlacement> pass(making, {rank_of, made.deal}, rows);
  Collected<vertex_t> collected(made.numbers, making.stream());
  pass.run(true, true, [&](RowRange range, const std::uint64_t* keys, std::uint64_t count) {
    collected.add(range.first, {0, range.count()}, keys, count, 0, count, making.column_bits);
  });
  made.rows = collected.finish(made.numbers, cuda::kNarrowEdges);
}

// Orders the leaves by the ranks of their neighbours, and sets the columns of this member's own.
// Returns their new order.
DeviceBuffer<vertex_t> order_leaves(const Making& making, DealtRows& made) {
  const Stream& stream = making.stream();
  const unsigned me = making.member.index();
  const std::uint64_t leaves = made.ranks - made.ones_from;
  DeviceBuffer<vertex_t> new_leaf(leaves);
  if (leaves == 0) return new_leaf;
  const auto own_leaves = [&](unsigned m) {
    return made.deal.share(made.ranks, m) - made.deal.share(made.ones_from, m);
  };
  // One entry each, behind those of all other rows.
  vertex_t* const own = made.rows.columns.data() + (made.entries() - own_leaves(me));
  const std::uint64_t stride = (leaves / made.deal.members + 1 + 3) / 4 * 4;
  const DeviceBuffer<vertex_t> neighbors = gathered(making, own, own_leaves(me), stride);
  const unsigned bits = bits_for(leaves);
  cuda::KeyBuffers buffers(leaves);
  BFSLAB_LAUNCH(leaf_keys, blocks_for(leaves), stream, neighbors.data(), stride, made.deal,
                made.ones_from, leaves, bits, buffers.keys.data());
  cuda::sort_keys(buffers, leaves, bits + bits_for(made.ranks), stream);
  BFSLAB_LAUNCH(invert_leaves, blocks_for(leaves), stream, buffers.keys.data(), leaves, bits,
                new_leaf.data());
  BFSLAB_LAUNCH(take_leaves, blocks_for(leaves), stream, buffers.keys.data(), leaves, bits,
                made.deal, made.ones_from, me, own);
  stream.wait();  // the keys go
  return new_leaf;
}

// The places of small degrees among this member's rows. `from`: among all ranks.
DeviceBuffer<cuda::DegreeRows> degree_rows_of(const Making& making, const DealtRows& made,
                                              const std::vector<vertex_t>& from) {
  std::vector<cuda::DegreeRows> rows;
  edge_t begin = made.entries();
  for (unsigned d = 0; d <= kTabledDegrees; ++d) {
    cuda::DegreeRows own{made.deal.share(from[d], making.member.index()), 0};
    if (d > 0) {
      begin -= edge_t{d} * (rows.back().from - own.from);
      own.shift = begin - edge_t{d} * own.from;
    }
    rows.push_back(own);
  }
  return cuda::uploaded(std::span<const cuda::DegreeRows>(rows), making.stream());
}

}  // namespace

DealtRows deal_rows(const Making& making, const Ownership& own, bool orders_leaves, bool names) {
  const Stream& stream = making.stream();
  const unsigned me = making.member.index();
  DealtRows made;
  made.deal.members = making.member.count();
  std::vector<vertex_t> from;
  const DeviceBuffer<vertex_t> rank_of = rank_vertices(making, own, made, from);
  made.numbers = made.deal.numbers(made.ranks);
  collect_rows(making, rank_of.data(), made);
  made.degree_rows = degree_rows_of(making, made, from);
  DeviceBuffer<vertex_t> new_leaf;
  if (orders_leaves) new_leaf = order_leaves(making, made);
  const LeafOrder order{new_leaf.size() > 0 ? new_leaf.data() : nullptr, made.ones_from};
  const std::uint64_t entries = made.entries();
  BFSLAB_LAUNCH(name_columns, blocks_for(entries), stream, made.rows.columns.data(), entries, order,
                made.deal);
  const std::uint64_t owned = own.count(me);
  made.places = DeviceBuffer<vertex_t>(owned);
  BFSLAB_LAUNCH(take_places, blocks_for(owned), stream, rank_of.data(), own, me, owned, order,
                made.deal, made.ranks, made.numbers, made.places.data());
  if (names) {
    made.old_of_id = DeviceBuffer<vertex_t>(made.deal.ids(made.ranks));
    made.old_of_id.fill_bytes(0xff, stream.get());  // kNoVertex
    BFSLAB_LAUNCH(take_names, blocks_for(own.vertices), stream, rank_of.data(), own.vertices, order,
                  made.deal, made.ranks, made.old_of_id.data());
  }
  stream.wait();
  making.member.all->barrier();  // no member searches while others still free memory
  return made;
}

template <typename Offset>
void take_first(const Offset* offsets, const vertex_t* columns, vertex_t rows, vertex_t* first,
                const cuda::Stream& stream) {
  BFSLAB_LAUNCH(run_first<Offset>, blocks_for(rows), stream, offsets, columns, rows, first);
}

template void take_first(const std::uint32_t*, const vertex_t*, vertex_t, vertex_t*,
                         const cuda::Stream&);
template void take_first(const edge_t*, const vertex_t*, vertex_t, vertex_t*, const cuda::Stream&);

}  // namespace bfslab::distributed::fused
