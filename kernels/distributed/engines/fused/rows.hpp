// SPDX-License-Identifier: Apache-2.0
// The rows of a member of `fused-gpus`, in the memory of its GPU.
//
// Vertices have ranks by descending degree, then by id. Ranks are dealt out to the members one by
// one (cuda::FusedDeal), so that each has an equal share of the hubs, of the leaves and of all
// between them. No member holds the edge list. Two passes go over the tuples: the first counts
// degrees at the owners of the vertices as given, the second sends each entry to the member of its
// tail's rank.
//
// Cost: tuples are made once in each pass to be counted and once for each round, 8 bytes travel for
// each entry and pass, and 4 for each vertex. Peak memory on each GPU: 24 bytes for each vertex of
// the graph while ranks are sorted, then 4 bytes, beside the columns and 16 bytes for each entry of
// a round.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/fused/member_deal.hpp"
#include "kernels/cuda/fused/work.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"
#include "kernels/distributed/subgraphs/making.hpp"

namespace bfslab::distributed::fused {

struct DealtRows {
  cuda::FusedDeal deal;
  vertex_t ranks = 0;             // vertices of the graph that have edges
  vertex_t ones_from = 0;         // no rank from it on has two neighbours
  vertex_t numbers = 0;           // FusedDeal::numbers() of all ranks
  std::uint64_t edges = 0;        // directed entries of the whole graph
  double end_degree = 0;          // the mean degree of the vertices that edges lead to
  DeviceSubgraph<vertex_t> rows;  // [numbers] rows, columns by id, those of high degree first
  cuda::DeviceBuffer<cuda::DegreeRows> degree_rows;  // [kTabledDegrees + 1]
  // [owned] places (cuda::FusedMember::places_of) of the vertices as given that this member owns.
  cuda::DeviceBuffer<vertex_t> places;
  cuda::DeviceBuffer<vertex_t> old_of_id;  // [FusedDeal::ids()] as given; empty: not requested

  [[nodiscard]] std::uint64_t entries() const { return rows.columns.size(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return cuda::bytes_of(rows, degree_rows, places, old_of_id);
  }
};

// Deals out a symmetric graph. `own`: of the vertices as given, round robin. `orders_leaves`: those
// of one neighbour are in the order of these neighbours. `names`: makes old_of_id. Collective;
// returns when all is there. Throws OutOfDeviceMemory, and Unsupported on all members alike as
// make_device_subgraphs() does.
DealtRows deal_rows(const Making& making, const Ownership& own, bool orders_leaves, bool names);

// Sets first[r] to the first entry of row r, kNoVertex if it has none.
template <typename Offset>
void take_first(const Offset* offsets, const vertex_t* columns, vertex_t rows, vertex_t* first,
                const cuda::Stream& stream);

}  // namespace bfslab::distributed::fused
