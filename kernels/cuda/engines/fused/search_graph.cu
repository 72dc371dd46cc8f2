// SPDX-License-Identifier: Apache-2.0
// Makes the graph that is searched: orders, first neighbours, packed rows.
#include "kernels/cuda/engines/fused/search_graph.hpp"

#include <algorithm>
#include <bit>
#include <cub/device/device_scan.cuh>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/cuda/bottom_up/first_neighbors.hpp"
#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/engines/fused/small_frontier.cuh"
#include "kernels/cuda/fused/order.hpp"
#include "kernels/cuda/traversal/bits.cuh"

namespace bfslab::cuda {

namespace {

constexpr edge_t kMaxKeys = edge_t{1} << 28;  // sorted at once: 2 GB, twice
constexpr edge_t kMaxWarpRow = 4096;          // a longer row is copied by a block

__global__ void __launch_bounds__(kBlockThreads)
    add_offsets(const edge_t* one, const edge_t* other, std::size_t count, edge_t* sums) {
  for (std::size_t i = thread_in_grid(); i < count; i += threads_in_grid()) {
    sums[i] = one[i] + other[i];
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    invert(const vertex_t* new_of_old, std::size_t count, vertex_t* old_of_new) {
  for (std::size_t v = thread_in_grid(); v < count; v += threads_in_grid()) {
    old_of_new[new_of_old[v]] = static_cast<vertex_t>(v);
  }
}

// Makes keys neighbour << id_bits | vertex for the `count` vertices of one neighbour whose new ids
// begin at `first`: the neighbour by its new id, the vertex by its old one.
__global__ void __launch_bounds__(kBlockThreads)
    make_leaf_keys(const __grid_constant__ CsrView graph, const vertex_t* new_of_old,
                   const vertex_t* old_of_new, std::size_t first, std::size_t count,
                   unsigned id_bits, std::uint64_t* keys) {
  for (std::size_t i = thread_in_grid(); i < count; i += threads_in_grid()) {
    const vertex_t v = old_of_new[first + i];
    const vertex_t neighbor = graph.columns[graph.row_offsets[v]];
    keys[i] = std::uint64_t{new_of_old[neighbor]} << id_bits | v;
  }
}

// Numbers the `count` vertices of new ids from `first` on.
__global__ void __launch_bounds__(kBlockThreads)
    number_from(const vertex_t* old_of_new, std::size_t first, std::size_t count,
                vertex_t* new_of_old) {
  for (std::size_t i = thread_in_grid(); i < count; i += threads_in_grid()) {
    new_of_old[old_of_new[first + i]] = static_cast<vertex_t>(first + i);
  }
}

// Sets degrees[r] for each new row r; the one after the last is 0.
__global__ void __launch_bounds__(kBlockThreads)
    gather_degrees(const edge_t* offsets, const vertex_t* old_of_new, std::size_t rows,
                   edge_t* degrees) {
  for (std::size_t r = thread_in_grid(); r <= rows; r += threads_in_grid()) {
    if (r == rows) {
      degrees[r] = 0;
      continue;
    }
    const vertex_t v = old_of_new[r];
    degrees[r] = offsets[v + std::size_t{1}] - offsets[v];
  }
}

// Makes keys (row - first) << id_bits | neighbour for rows first .. last - 1, in order after those
// of `first`. One warp per row, one block per long row.
__global__ void __launch_bounds__(kBlockThreads)
    renumber_rows(const __grid_constant__ CsrView graph, const vertex_t* new_of_old,
                  const vertex_t* old_of_new, const edge_t* new_offsets, std::size_t first,
                  std::size_t last, unsigned id_bits, std::uint64_t* keys) {
  const edge_t base = new_offsets[first];
  const auto copy = [&](std::size_t r, unsigned lane, unsigned lanes) {
    const vertex_t old = old_of_new[r];
    const edge_t from = graph.row_offsets[old];
    const edge_t count = graph.row_offsets[old + std::size_t{1}] - from;
    const edge_t to = new_offsets[r] - base;
    for (edge_t e = lane; e < count; e += lanes) {
      keys[to + e] =
          static_cast<std::uint64_t>(r - first) << id_bits | new_of_old[graph.columns[from + e]];
    }
  };
  const auto is_long = [&](std::size_t r) {
    return new_offsets[r + 1] - new_offsets[r] > kMaxWarpRow;
  };
  for (std::size_t r = first + thread_in_grid() / 32; r < last; r += threads_in_grid() / 32) {
    if (!is_long(r)) copy(r, lane_id(), 32);
  }
  for (std::size_t r = first + blockIdx.x; r < last; r += gridDim.x) {
    if (is_long(r)) copy(r, threadIdx.x, blockDim.x);
  }
}

// Puts the neighbour of the longest row first in each row; the others keep their order.
// `lengths_from`: offsets, which say how long the row of each neighbour is. One warp per row.
__global__ void __launch_bounds__(kBlockThreads)
    put_hubs_first(const edge_t* lengths_from, const edge_t* offsets, std::size_t rows,
                   vertex_t* columns) {
  constexpr std::uint64_t kMax = 0xFFFF'FFFF;
  for (std::size_t r = thread_in_grid() / 32; r < rows; r += threads_in_grid() / 32) {
    const edge_t begin = offsets[r];
    const edge_t end = offsets[r + 1];
    if (end - begin < 2) continue;
    std::uint64_t best = 0;  // a length, and in its lower half a place, the first one highest
    for (edge_t at = begin + lane_id(); at < end; at += 32) {
      const vertex_t u = columns[at];
      const std::uint64_t length = lengths_from[u + std::size_t{1}] - lengths_from[u];
      best = max(best, min(length, kMax) << 32 | (kMax - (at - begin)));
    }
    for (int apart = 16; apart > 0; apart /= 2) {
      best = max(best, __shfl_xor_sync(kAllLanes, best, apart));
    }
    const edge_t place = begin + (kMax - (best & kMax));
    const vertex_t hub = columns[place];
    __syncwarp();
    for (edge_t last = place; last > begin; last -= min(last - begin, edge_t{32})) {
      const bool moves = last - begin > lane_id();
      const vertex_t u = moves ? columns[last - lane_id() - 1] : 0;
      __syncwarp();
      if (moves) columns[last - lane_id()] = u;
      __syncwarp();
    }
    if (lane_id() == 0) columns[begin] = hub;
  }
}

// Marks the rows without a first neighbour, and counts them.
__global__ void __launch_bounds__(kBlockThreads)
    mark_unreachable(const vertex_t* first, std::size_t rows, std::uint32_t* unreachable,
                     unsigned long long* marked) {
  const auto has = [first](std::size_t r) { return first[r] == kNoVertex; };
  add_of_block(static_cast<unsigned long long>(mark_rows(rows, unreachable, has)), marked);
}

template <unsigned kPacked>
__global__ void __launch_bounds__(kBlockThreads)
    pack_rows(const edge_t* offsets, const vertex_t* columns, std::size_t rows, uint4* packed) {
  for (std::size_t r = thread_in_grid(); r < rows; r += threads_in_grid()) {
    const edge_t begin = offsets[r];
    const edge_t end = offsets[r + 1];
    const auto at = [&](edge_t e) { return begin + e < end ? columns[begin + e] : kNoVertex; };
    FusedRow<kPacked> row;
    for (unsigned p = 0; p < row.kParts; ++p) {
      row.part[p] = make_uint4(at(4 * p), at(4 * p + 1), at(4 * p + 2), at(4 * p + 3));
    }
    if (end - begin > kPacked) row.put_rest(begin + row.kFirst, end);
    for (unsigned p = 0; p < row.kParts; ++p) packed[r * row.kParts + p] = row.part[p];
  }
}

// A direction before its offsets are narrowed.
struct WideRows {
  DeviceBuffer<edge_t> offsets;
  DeviceBuffer<vertex_t> columns;
};

template <typename T>
DeviceBuffer<T> copy_of(const T* from, std::size_t count, const Stream& stream) {
  DeviceBuffer<T> made(count);
  copy(made.data(), from, count, stream);
  return made;
}

// Returns the rows of the ids that are searched, each ascending.
WideRows renumbered(const CsrView& graph, const SearchGraph& ids, const Stream& stream) {
  const std::size_t rows = ids.vertices;
  WideRows made{DeviceBuffer<edge_t>(rows + 1), DeviceBuffer<vertex_t>(graph.edges)};
  BFSLAB_LAUNCH(gather_degrees, blocks_for(rows + 1), stream, graph.row_offsets,
                ids.old_of_new.data(), rows, made.offsets.data());
  with_scratch(stream.get(), [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, made.offsets.data(), rows + 1,
                                         stream.get());
  });
  const std::vector<edge_t> offsets = downloaded(made.offsets, stream);

  const auto id_bits = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(rows, 2) - 1));
  // Finds the rows whose keys are sorted at once.
  const auto end_of = [&](std::size_t first) {
    const auto after = std::ranges::upper_bound(offsets, offsets[first] + kMaxKeys);
    return std::max<std::size_t>(first + 1, static_cast<std::size_t>(after - offsets.begin()) - 1);
  };
  edge_t max = 0;
  for (std::size_t first = 0; first < rows; first = end_of(first)) {
    max = std::max(max, offsets[end_of(first)] - offsets[first]);
  }
  KeyBuffers buffers(max);
  for (std::size_t first = 0; first < rows; first = end_of(first)) {
    const std::size_t last = end_of(first);
    const edge_t count = offsets[last] - offsets[first];
    if (count == 0) continue;
    BFSLAB_LAUNCH(renumber_rows, full_grid(), stream, graph, ids.new_of_old.data(),
                  ids.old_of_new.data(), made.offsets.data(), first, last, id_bits,
                  buffers.keys.data());
    sort_keys(buffers, count, id_bits + static_cast<unsigned>(std::bit_width(last - first - 1)),
              stream);
    take_columns(buffers.keys.data(), count, id_bits, made.columns.data() + offsets[first], stream);
  }
  stream.wait();  // before the keys are freed
  return made;
}

SearchRows finished(WideRows rows, bool narrow, const Stream& stream) {
  SearchRows made;
  made.columns = std::move(rows.columns);
  if (!narrow) {
    made.wide = std::move(rows.offsets);
    return made;
  }
  made.narrow = DeviceBuffer<std::uint32_t>(rows.offsets.size());
  take_columns(rows.offsets.data(), made.narrow.size(), 32, made.narrow.data(), stream);
  stream.wait();  // the wide ones go
  return made;
}

// Sets old_of_new from new_of_old.
void take_inverse(std::size_t n, SearchGraph& made, const Stream& stream) {
  made.old_of_new = DeviceBuffer<vertex_t>(n);
  BFSLAB_LAUNCH(invert, blocks_for(n), stream, made.new_of_old.data(), n, made.old_of_new.data());
}

// Sets new_of_old, old_of_new, the number of vertices that have edges, and where degrees begin.
// `in` is the graph itself if it is symmetric, or null if unknown; then all count. Returns the
// number of vertices of at least `degree` edges, which come first; 0 if `degree` is 0.
vertex_t order_by_degree(const CsrView& out, const CsrView* in, std::uint64_t degree,
                         SearchGraph& made, const Stream& stream) {
  const std::size_t n = out.vertices;
  DeviceBuffer<edge_t> sums(n + 1);
  if (made.symmetric || in == nullptr) {
    sums = copy_of(out.row_offsets, n + 1, stream);
  } else {
    BFSLAB_LAUNCH(add_offsets, blocks_for(n + 1), stream, out.row_offsets, in->row_offsets, n + 1,
                  sums.data());
  }
  made.new_of_old = degree_ids(sums, stream);
  take_inverse(n, made, stream);
  // Degrees descend.
  DeviceBuffer<edge_t> degrees(n + 1);
  BFSLAB_LAUNCH(gather_degrees, blocks_for(n + 1), stream, sums.data(), made.old_of_new.data(), n,
                degrees.data());
  std::vector<edge_t> host(n);
  download(host.data(), degrees.data(), n * sizeof(edge_t), stream);
  const auto at_most = [&](edge_t most) {
    return static_cast<vertex_t>(std::ranges::lower_bound(host, most, std::greater<>()) -
                                 host.begin());
  };
  const vertex_t long_rows = degree > 0 ? at_most(degree - 1) : 0;
  made.vertices = in != nullptr ? at_most(0) : out.vertices;
  made.ones_from = made.symmetric ? at_most(1) : made.vertices;
  if (!made.symmetric) return long_rows;
  std::vector<DegreeRows> rows(kTabledDegrees + 1);
  rows[0].from = made.vertices;
  edge_t begin = out.edges;  // of the first row of degree d
  for (unsigned d = 1; d <= kTabledDegrees; ++d) {
    rows[d].from = at_most(d);
    begin -= edge_t{d} * (rows[d - 1].from - rows[d].from);
    rows[d].shift = begin - edge_t{d} * rows[d].from;
  }
  made.degree_rows = uploaded(std::span<const DegreeRows>(rows), stream);
  return long_rows;
}

// Orders the vertices of one neighbour by that neighbour's new id.
void order_leaves(const CsrView& graph, SearchGraph& made, const Stream& stream) {
  made.leaves = made.vertices - made.ones_from;
  if (made.leaves == 0) return;
  const std::size_t first = made.ones_from;
  const auto bits_of = [](std::size_t ids) {
    return static_cast<unsigned>(std::bit_width(std::max<std::size_t>(ids, 2) - 1));
  };
  const unsigned id_bits = bits_of(graph.vertices);
  KeyBuffers buffers(made.leaves);
  BFSLAB_LAUNCH(make_leaf_keys, blocks_for(made.leaves), stream, graph, made.new_of_old.data(),
                made.old_of_new.data(), first, std::size_t{made.leaves}, id_bits,
                buffers.keys.data());
  sort_keys(buffers, made.leaves, id_bits + bits_of(made.vertices), stream);
  take_columns(buffers.keys.data(), made.leaves, id_bits, made.old_of_new.data() + first, stream);
  BFSLAB_LAUNCH(number_from, blocks_for(made.leaves), stream, made.old_of_new.data(), first,
                std::size_t{made.leaves}, made.new_of_old.data());
  stream.wait();  // before the keys are freed
}

// Sets first, unreachable and reachable from `rows`, those of incoming edges.
void find_first(const WideRows& rows, SearchGraph& made, const Stream& stream) {
  const std::size_t n = made.vertices;
  made.first = DeviceBuffer<vertex_t>((n + 3) / 4 * 4);  // read four at a time
  if (n == 0) return;
  take_first_entries(rows.offsets.data(), rows.columns.data(), n, made.first.data(), stream);
  // Ids by degree leave out the vertices of a symmetric graph that have no edges.
  if (made.by_degree && made.symmetric) return;
  made.unreachable = DeviceBuffer<std::uint32_t>((n + 31) / 32);
  const auto marked = zeroed<unsigned long long>(1, stream);
  BFSLAB_LAUNCH(mark_unreachable, blocks_for(n), stream, made.first.data(), n,
                made.unreachable.data(), marked.data());
  made.reachable -= static_cast<vertex_t>(read_back(marked.data(), stream));
}

}  // namespace

SearchGraph make_search_graph(const DeviceGraph& graph, const SearchGraphSettings& settings,
                              const Stream& stream) {
  const CsrView out = graph.outgoing();
  const CsrView in = graph.incoming();
  const bool with_incoming = settings.with_incoming;
  SearchGraph made;
  made.symmetric = settings.symmetric;
  made.by_degree = settings.by_degree && out.vertices > 0;
  made.narrow = out.edges <= kNarrowEdges;
  const bool directed_in = !made.symmetric && with_incoming;
  vertex_t long_rows = 0;
  if (made.by_degree) {
    long_rows = order_by_degree(out, made.symmetric || directed_in ? &in : nullptr,
                                settings.cut_degree, made, stream);
    if (settings.leaves_apart && made.symmetric && with_incoming) order_leaves(out, made, stream);
  } else {
    made.vertices = made.ones_from = out.vertices;
    if (!settings.ids.empty()) {
      made.new_of_old = uploaded<vertex_t>(settings.ids, stream);
      take_inverse(out.vertices, made, stream);
    }
  }
  const auto rows_of = [&](const CsrView& side) {
    if (made.ordered()) return renumbered(side, made, stream);
    return WideRows{copy_of(side.row_offsets, side.vertices + std::size_t{1}, stream),
                    copy_of(side.columns, side.edges, stream)};
  };
  WideRows forward = rows_of(out);
  WideRows backward;
  if (directed_in) backward = rows_of(in);
  const std::size_t n = made.vertices;
  made.reachable = made.vertices;
  const WideRows& incoming = directed_in ? backward : forward;
  if (with_incoming && settings.hub_first && !made.by_degree) {
    BFSLAB_LAUNCH(put_hubs_first, full_grid(), stream, forward.offsets.data(),
                  incoming.offsets.data(), n, incoming.columns.data());
  }
  if (with_incoming) find_first(incoming, made, stream);
  made.packed_to =
      n > 0 && settings.max_packed > 0 ? packed_to(n, out.edges, settings.max_packed) : 0;
  if (made.packed_to > 0) {
    made.packed = DeviceBuffer<uint4>(n * made.packed_to / 4);
    const auto pack = made.packed_to == 16   ? pack_rows<16>
                      : made.packed_to == 12 ? pack_rows<12>
                                             : pack_rows<4>;
    BFSLAB_LAUNCH(pack, blocks_for(n), stream, forward.offsets.data(), forward.columns.data(), n,
                  made.packed.data());
  }
  if (made.symmetric && made.packed_to == 0) {
    const vertex_t inner = made.vertices - made.leaves;
    made.cut_rows = cut_rows({.offsets = forward.offsets.data(),
                              .columns = forward.columns.data(),
                              .rows = inner,
                              .long_rows = std::min(long_rows, inner)},
                             settings.cut_rows, stream);
  }
  if (made.ordered()) {
    made.given = given_order({.new_of_old = made.new_of_old.data(),
                              .old_of_new = made.old_of_new.data(),
                              .vertices = out.vertices,
                              .searched = made.vertices,
                              .inner = made.vertices - (settings.maps_leaves ? made.leaves : 0),
                              .first = made.first.data(),
                              .with_parents = settings.first_parents},
                             stream);
  }
  stream.wait();
  made.out = finished(std::move(forward), made.narrow, stream);
  if (directed_in) made.in = finished(std::move(backward), made.narrow, stream);
  return made;
}

}  // namespace bfslab::cuda
