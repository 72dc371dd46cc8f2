// SPDX-License-Identifier: Apache-2.0
// The graph as `fused` searches it: in new ids if it orders them, without the vertices that have no
// edges, and with arrays beside its rows that shorten searches.
//
//   order    by descending degree (both directions of a directed graph together), so that hubs'
//            bits lie together in a few kilobytes, each row begins with its most likely parent,
//            and vertices without edges come last and are left out; or other ids that are given
//   leaves   on request, the vertices of one neighbour, whose ids by degree are the last, in the
//            order of these neighbours, so that a search can leave them out and label them at its
//            end
//   hubs     on request, in other ids, the neighbour of the longest row is the first of each row
//   first    each row's first neighbour in a separate array, read in order
//   degrees  where rows of each small degree begin, so that they need not be read
//   cuts     where ranges of ids begin in long rows (cut_rows.hpp)
//   packed   a row of up to four neighbours in 16 bytes, of up to twelve in 48, or of up to sixteen
//            in 64, for graphs of small degree
//
// Made on the device, as set-up.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/engines/fused/cut_rows.hpp"
#include "kernels/cuda/engines/fused/given_order.hpp"
#include "kernels/cuda/fused/work.hpp"

namespace bfslab::cuda {

// One direction; offsets have 32 bits where they fit.
struct SearchRows {
  DeviceBuffer<std::uint32_t> narrow;
  DeviceBuffer<edge_t> wide;
  DeviceBuffer<vertex_t> columns;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_of(narrow, wide, columns); }
};

template <typename Offset>
FusedRows<Offset> rows_of(const SearchRows& rows) {
  if constexpr (sizeof(Offset) == sizeof(edge_t)) {
    return {rows.wide.data(), rows.columns.data()};
  } else {
    return {rows.narrow.data(), rows.columns.data()};
  }
}

struct SearchGraph {
  vertex_t vertices = 0;   // searched: the ids below it
  vertex_t reachable = 0;  // entered by an edge; all if no level goes bottom-up
  vertex_t ones_from = 0;  // no vertex from it on has two incoming neighbours
  vertex_t leaves = 0;     // those from it on, if they are apart; else 0
  bool symmetric = true;
  bool by_degree = false;
  bool narrow = true;
  SearchRows out, in;                             // `in` is empty if the graph is symmetric
  DeviceBuffer<vertex_t> new_of_old, old_of_new;  // empty: ids as given
  GivenOrder given;                               // of new ids
  DeviceBuffer<vertex_t> first;                   // of `in`; kNoVertex: none
  DeviceBuffer<DegreeRows> degree_rows;           // [kTabledDegrees + 1]; empty: not by degree
  CutRows cut_rows;                               // of `out`
  unsigned packed_to = 0;                         // neighbours that a packed row has room for
  DeviceBuffer<uint4> packed;                     // FusedRow<packed_to> of `out`; empty: none
  DeviceBuffer<std::uint32_t> unreachable;        // bits: no edge leads there; empty: to all

  [[nodiscard]] const SearchRows& incoming() const { return symmetric ? out : in; }
  [[nodiscard]] bool ordered() const { return new_of_old.size() > 0; }
  [[nodiscard]] std::uint64_t bytes() const {
    return bytes_of(out, in, new_of_old, old_of_new, given, first, degree_rows, cut_rows, packed,
                    unreachable);
  }
};

struct SearchGraphSettings {
  bool symmetric = true;
  bool by_degree = false;         // ids by descending degree
  std::span<const vertex_t> ids;  // else the new id of each vertex; empty: as given
  bool with_incoming = true;      // for bottom-up
  bool hub_first = false;         // in other ids, of rows that are searched bottom-up
  bool leaves_apart = false;      // in ids by degree of symmetric graphs searched bottom-up
  bool maps_leaves = false;       // leaves apart have their neighbours' ids in `given`
  bool first_parents = false;     // `given` has first neighbours
  // The fewest neighbours of a row that is cut, in ids by degree of symmetric graphs; 0: none is.
  std::uint64_t cut_degree = 0;
  CutRowsSettings cut_rows = {};
  unsigned max_packed = 0;  // the maximum number of neighbours in a packed row; 0: none are
};

// Copies what it needs from `graph`, which may be freed afterwards. Throws OutOfDeviceMemory.
SearchGraph make_search_graph(const DeviceGraph& graph, const SearchGraphSettings& settings,
                              const Stream& stream);

}  // namespace bfslab::cuda
