// SPDX-License-Identifier: Apache-2.0
// The rows of a member of `fused-gpus`, in the memory of its GPU.
//
// Vertices have ranks by descending degree, then by id. Ranks are dealt out to the members one by
// one (cuda::FusedDeal), so that each has an equal share of the hubs and of all below them. Leaves,
// vertices of one neighbour, are the last of their neighbour's member, in the order of these
// neighbours, so that a member labels them by its own levels. No member holds the edge list. Two
// passes go over the tuples: the first counts degrees at the owners of the vertices as given, the
// second sends each entry to the member of its tail.
//
// Cost: tuples are made once in each pass to be counted and once for each round, 8 bytes travel for
// each entry and pass, and 8 for each vertex. Peak memory on each GPU: 32 bytes for each vertex of
// the graph while ranks are sorted, then 4 bytes, and 4 for each leaf, beside the columns and 16
// bytes for each entry of a round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/fused/member_deal.hpp"
#include "kernels/cuda/fused/work.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"
#include "kernels/distributed/subgraphs/making.hpp"

namespace bfslab::distributed::fused {

struct DealtRows {
  cuda::FusedDeal deal;
  vertex_t ranks = 0;               // vertices of the graph that have edges
  vertex_t ones_from = 0;           // no rank from it on has two neighbours
  std::vector<vertex_t> leaves_of;  // [members]
  vertex_t numbers = 0;             // of each member, in whole runs: FusedDeal::kRun
  std::uint64_t edges = 0;          // directed entries of the whole graph
  double end_degree = 0;            // the mean degree of the vertices that edges lead to
  DeviceSubgraph<vertex_t> rows;    // [numbers] rows, columns by id, those of high degree first
  cuda::DeviceBuffer<cuda::DegreeRows> degree_rows;  // [kTabledDegrees + 1]
  // [owned] places (cuda::FusedMember::places_of) of the vertices as given that this member owns.
  cuda::DeviceBuffer<vertex_t> places;
  cuda::DeviceBuffer<vertex_t> old_of_id;  // [ids()] as given; empty: not requested

  // Returns how many vertices a member has, `with_leaves` or without.
  [[nodiscard]] vertex_t vertices_of(unsigned member, bool with_leaves) const {
    return deal.share(ones_from, member) + (with_leaves ? leaves_of[member] : 0);
  }
  [[nodiscard]] std::size_t ids() const { return std::size_t{numbers} * deal.members; }
  [[nodiscard]] std::uint64_t entries() const { return rows.columns.size(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return cuda::bytes_of(rows, degree_rows, places, old_of_id);
  }
};

// Deals out a symmetric graph. `own`: of the vertices as given, round robin. `names`: makes
// old_of_id. Collective; returns when all is there. Throws OutOfDeviceMemory, and Unsupported on
// all members alike as make_device_subgraphs() does, and where ids do not fit 32 bits.
DealtRows deal_rows(const Making& making, const Ownership& own, bool names);

// Sets first[r] to the first entry of row r, kNoVertex if it has none.
template <typename Offset>
void take_first(const Offset* offsets, const vertex_t* columns, vertex_t rows, vertex_t* first,
                const cuda::Stream& stream);

}  // namespace bfslab::distributed::fused
