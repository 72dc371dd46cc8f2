// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/fused/rows.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "kernels/distributed/subgraphs/collected_rows.hpp"
#include "kernels/distributed/subgraphs/entry_pass.cuh"
#include "kernels/distributed/subgraphs/out_degrees.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed::fused {

namespace {

using cuda::bits_for;
using cuda::FusedDeal;
using cuda::kTabledDegrees;

// The ids of ranks: those of leaves are in a table.
struct RankedIds {
  const vertex_t* rank_of = nullptr;  // [vertices as given]
  const vertex_t* leaf_id = nullptr;  // [leaves]
  vertex_t first_leaf = 0;            // by rank
  vertex_t ranks = 0;
  FusedDeal deal;

  // Returns the id of a rank below `ranks`.
  [[nodiscard]] __device__ vertex_t id_of(vertex_t rank) const {
    return rank < first_leaf ? deal.id_of_rank(rank) : leaf_id[rank - first_leaf];
  }
};

// The member and row of an entry are those of its tail, its column is the head's rank. The rows are
// those of one subgraph.
struct DealtPlacement {
  RankedIds ids;

  [[nodiscard]] __device__ Placed operator()(global_vertex_t from, global_vertex_t to) const {
    const vertex_t id = ids.id_of(ids.rank_of[from]);
    return {ids.deal.member_of(id), EdgeClass::nd, ids.deal.number_of(id), ids.rank_of[to]};
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

// The bits of the keys of leaves: member << (neighbor + leaf) | the neighbour's rank << leaf |
// leaf. Leaf i has the rank first_leaf + i.
struct LeafBits {
  unsigned member = 0, neighbor = 0, leaf = 0;

  [[nodiscard]] unsigned all() const { return member + neighbor + leaf; }
  [[nodiscard]] __device__ unsigned member_of(std::uint64_t key) const {
    return static_cast<unsigned>(key >> (neighbor + leaf));
  }
  [[nodiscard]] __device__ vertex_t leaf_of(std::uint64_t key) const {
    return static_cast<vertex_t>(key & ((std::uint64_t{1} << leaf) - 1));
  }
};

// `only`: the neighbours of leaves by owner, `stride` for each. `vertex_at`: the vertices by rank,
// in the lowest bits. A leaf goes to its neighbour's member, both ends of an edge of two leaves to
// that of the first.
__global__ void __launch_bounds__(kBlockThreads)
    leaf_keys(const vertex_t* only, std::uint64_t stride, Ownership own,
              const std::uint64_t* vertex_at, unsigned vertex_bits, RankedIds ids,
              std::uint64_t count, LeafBits bits, std::uint64_t* keys) {
  const std::uint64_t mask = (std::uint64_t{1} << vertex_bits) - 1;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const auto rank = static_cast<vertex_t>(ids.first_leaf + i);
    const std::uint64_t v = vertex_at[rank] & mask;
    const vertex_t neighbor = ids.rank_of[only[own.owner(v) * stride + own.local(v)]];
    const unsigned member = ids.deal.member_of_rank(neighbor < rank ? neighbor : rank);
    keys[i] = (std::uint64_t{member} << bits.neighbor | neighbor) << bits.leaf | i;
  }
}

// Sets begins[m] to the place of the first leaf of member m among sorted keys, if it has any.
__global__ void __launch_bounds__(kBlockThreads)
    find_begins(const std::uint64_t* keys, std::uint64_t count, LeafBits bits, vertex_t* begins) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const unsigned member = bits.member_of(keys[i]);
    if (i == 0 || bits.member_of(keys[i - 1]) != member) begins[member] = static_cast<vertex_t>(i);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    name_leaves(const std::uint64_t* keys, std::uint64_t count, LeafBits bits,
                const vertex_t* begins, FusedDeal deal, vertex_t first_leaf, vertex_t* leaf_id) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const unsigned member = bits.member_of(keys[i]);
    const vertex_t nth = static_cast<vertex_t>(i) - begins[member];
    leaf_id[bits.leaf_of(keys[i])] = deal.id(member, deal.share(first_leaf, member) + nth);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    name_columns(vertex_t* columns, std::uint64_t count, RankedIds ids) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    columns[i] = ids.id_of(columns[i]);
  }
}

// Sets the places of the vertices that `member` owns.
__global__ void __launch_bounds__(kBlockThreads)
    take_places(RankedIds ids, Ownership own, unsigned member, std::uint64_t owned,
                vertex_t numbers, vertex_t* places) {
  for (std::uint64_t i = grid_thread(); i < owned; i += grid_threads()) {
    const vertex_t rank = ids.rank_of[own.global(member, i)];
    places[i] = ids.deal.members * numbers;
    if (rank >= ids.ranks) continue;
    const vertex_t id = ids.id_of(rank);
    places[i] = ids.deal.member_of(id) * numbers + ids.deal.number_of(id);
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    take_names(RankedIds ids, std::uint64_t count, vertex_t* old_of_id) {
  for (std::uint64_t v = grid_thread(); v < count; v += grid_threads()) {
    const vertex_t rank = ids.rank_of[v];
    if (rank < ids.ranks) old_of_id[ids.id_of(rank)] = static_cast<vertex_t>(v);
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

// The vertices of the graph by rank, on every member.
struct Ranking {
  DeviceBuffer<vertex_t> rank_of;  // [vertices as given]
  DeviceBuffer<vertex_t> leaf_id;  // [leaves]
  std::vector<vertex_t> from;      // [kTabledDegrees + 1] the first rank of each small degree

  [[nodiscard]] RankedIds ids(const DealtRows& made) const {
    return {rank_of.data(), leaf_id.data(), made.ones_from, made.ranks, made.deal};
  }
};

[[noreturn]] void refuse_ids(vertex_t ranks) {
  throw Unsupported("fused-gpus: ids have 32 bits, and " + std::to_string(ranks) +
                    " vertices have edges: choose a smaller graph, or delegate-cuda");
}

// Gives the leaves to members, and sets leaves_of and numbers. `only` and `vertex_at` as for
// leaf_keys().
void place_leaves(const Making& making, const Ownership& own, const DeviceBuffer<vertex_t>& only,
                  std::uint64_t stride, const std::uint64_t* vertex_at, DealtRows& made,
                  Ranking& ranking) {
  const Stream& stream = making.stream();
  const std::uint64_t leaves = made.ranks - made.ones_from;
  const unsigned members = made.deal.members;
  const LeafBits bits{bits_for(members), bits_for(made.ranks), bits_for(leaves)};
  if (bits.all() > 64) refuse_ids(made.ranks);
  made.leaves_of.assign(members, 0);
  ranking.leaf_id = DeviceBuffer<vertex_t>(leaves);
  if (leaves > 0) {
    cuda::KeyBuffers buffers(leaves);
    BFSLAB_LAUNCH(leaf_keys, blocks_for(leaves), stream, only.data(), stride, own, vertex_at,
                  bits_for(own.vertices), ranking.ids(made), leaves, bits, buffers.keys.data());
    cuda::sort_keys(buffers, leaves, bits.all(), stream);
    std::vector<vertex_t> begins(members + 1, kNoVertex);
    begins[members] = static_cast<vertex_t>(leaves);
    const DeviceBuffer<vertex_t> device_begins =
        cuda::uploaded(std::span<const vertex_t>(begins), stream);
    BFSLAB_LAUNCH(find_begins, blocks_for(leaves), stream, buffers.keys.data(), leaves, bits,
                  device_begins.data());
    begins = cuda::downloaded(device_begins, stream);
    for (unsigned m = members; m-- > 0;) {
      if (begins[m] == kNoVertex) begins[m] = begins[m + 1];
      made.leaves_of[m] = begins[m + 1] - begins[m];
    }
    BFSLAB_LAUNCH(name_leaves, blocks_for(leaves), stream, buffers.keys.data(), leaves, bits,
                  device_begins.data(), made.deal, made.ones_from, ranking.leaf_id.data());
    stream.wait();  // the keys go
  }
  vertex_t most = 1;
  for (unsigned m = 0; m < members; ++m) most = std::max(most, made.vertices_of(m, true));
  made.numbers = (most + FusedDeal::kRun - 1) / FusedDeal::kRun * FusedDeal::kRun;
  if (made.ids() >= kNoVertex) refuse_ids(made.ranks);
}

// Ranks all vertices, and sets all of `made` that follows from degrees alone.
Ranking rank_vertices(const Making& making, const Ownership& own, DealtRows& made) {
  const Stream& stream = making.stream();
  Communicator& all = *making.member.all;
  const std::uint64_t n = own.vertices;
  const std::uint64_t owned = own.count(making.member.index());
  const std::uint64_t stride = (own.count(0) + 3) / 4 * 4;  // multiples of 16 bytes
  OutDegrees ours = out_degrees(making, own, true);
  auto sum = cuda::zeroed<DegreeSum>(1, stream);
  BFSLAB_LAUNCH(sum_degrees, blocks_for(owned), stream, ours.degrees.data(), owned, sum.data());
  const DegreeSum own_sum = cuda::read_back(sum.data(), stream);
  made.edges = all.sum(own_sum.edges);
  const std::uint64_t largest = all.maximum(own_sum.largest);
  made.end_degree = static_cast<double>(all.sum(own_sum.squares)) /
                    static_cast<double>(std::max<Word>(1, made.edges));
  const DeviceBuffer<std::uint32_t> degrees = gathered(making, ours.degrees.data(), owned, stride);
  const DeviceBuffer<vertex_t> only = gathered(making, ours.only.data(), owned, stride);
  ours = {};

  Ranking ranking{DeviceBuffer<vertex_t>(n), {}, {}};
  ranking.from.assign(kTabledDegrees + 1, static_cast<vertex_t>(n));
  const unsigned vertex_bits = bits_for(n);
  cuda::KeyBuffers buffers(n);
  if (n > 0) {
    BFSLAB_LAUNCH(degree_keys, blocks_for(n), stream, degrees.data(), stride, own, largest,
                  vertex_bits, buffers.keys.data());
    cuda::sort_keys(buffers, n, vertex_bits + static_cast<unsigned>(std::bit_width(largest)),
                    stream);
    const DeviceBuffer<vertex_t> from =
        cuda::uploaded(std::span<const vertex_t>(ranking.from), stream);
    BFSLAB_LAUNCH(take_ranks, blocks_for(n), stream, buffers.keys.data(), n, largest, vertex_bits,
                  ranking.rank_of.data(), from.data());
    ranking.from = cuda::downloaded(from, stream);
  }
  made.ranks = ranking.from[0];
  made.ones_from = ranking.from[1];
  place_leaves(making, own, only, stride, buffers.keys.data(), made, ranking);
  return ranking;
}

// Collects this member's rows.
void collect_rows(const Making& making, const RankedIds& ids, DealtRows& made) {
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nd] = made.numbers;
  EntryPass<DealtPlacement> pass(making, {ids}, rows);
  Collected<vertex_t> collected(made.numbers, making.stream());
  pass.run(true, true, [&](RowRange range, const std::uint64_t* keys, std::uint64_t count) {
    collected.add(range.first, {0, range.count()}, keys, count, 0, count, making.column_bits);
  });
  made.rows = collected.finish(made.numbers, cuda::kNarrowEdges);
  const std::uint64_t entries = made.entries();
  BFSLAB_LAUNCH(name_columns, blocks_for(entries), making.stream(), made.rows.columns.data(),
                entries, ids);
}

// The places of small degrees among this member's rows. `from`: among all ranks.
DeviceBuffer<cuda::DegreeRows> degree_rows_of(const Making& making, const DealtRows& made,
                                              const std::vector<vertex_t>& from) {
  const unsigned me = making.member.index();
  std::vector<cuda::DegreeRows> rows = {{made.vertices_of(me, true), 0}};
  edge_t begin = made.entries();
  for (unsigned d = 1; d <= kTabledDegrees; ++d) {
    cuda::DegreeRows own{made.deal.share(from[d], me), 0};
    begin -= edge_t{d} * (rows.back().from - own.from);
    own.shift = begin - edge_t{d} * own.from;
    rows.push_back(own);
  }
  return cuda::uploaded(std::span<const cuda::DegreeRows>(rows), making.stream());
}

}  // namespace

DealtRows deal_rows(const Making& making, const Ownership& own, bool names) {
  const Stream& stream = making.stream();
  const unsigned me = making.member.index();
  DealtRows made;
  made.deal.members = making.member.count();
  const Ranking ranking = rank_vertices(making, own, made);
  const RankedIds ids = ranking.ids(made);
  collect_rows(making, ids, made);
  made.degree_rows = degree_rows_of(making, made, ranking.from);
  const std::uint64_t owned = own.count(me);
  made.places = DeviceBuffer<vertex_t>(owned);
  BFSLAB_LAUNCH(take_places, blocks_for(owned), stream, ids, own, me, owned, made.numbers,
                made.places.data());
  if (names) {
    made.old_of_id = DeviceBuffer<vertex_t>(made.ids());
    made.old_of_id.fill_bytes(0xff, stream.get());  // kNoVertex
    BFSLAB_LAUNCH(take_names, blocks_for(own.vertices), stream, ids, own.vertices,
                  made.old_of_id.data());
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
