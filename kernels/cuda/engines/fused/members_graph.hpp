// SPDX-License-Identifier: Apache-2.0
// The graph as several members search it (member_deal.hpp), in the memory of one GPU: each array
// has one member's part after the other's, of equal lengths but for columns. Made on the device.
#pragma once

#include <vector>

#include "kernels/cuda/engines/fused/search_graph.hpp"
#include "kernels/cuda/fused/member_deal.hpp"

namespace bfslab::cuda {

struct MembersGraph {
  FusedDeal deal;
  vertex_t ranks = 0;      // vertices that have edges
  vertex_t searched = 0;   // those of them that are not leaves apart: the first ranks
  vertex_t ones_from = 0;  // no rank from it on has two neighbours
  vertex_t numbers = 0;    // FusedDeal::numbers() of all ranks
  bool narrow = true;
  // [members][numbers + 1] offsets into a member's columns.
  DeviceBuffer<std::uint32_t> narrow_offsets;
  DeviceBuffer<edge_t> wide_offsets;
  DeviceBuffer<vertex_t> columns;    // by id, of one member after the other
  std::vector<edge_t> columns_from;  // [members + 1]
  DeviceBuffer<vertex_t> first;      // [members][numbers] the first of each row; kNoVertex: none
  DeviceBuffer<DegreeRows> degree_rows;  // [members][kTabledDegrees + 1]
  // [vertices as given] the member times `numbers`, plus the number; of vertices without edges the
  // number of all places.
  DeviceBuffer<vertex_t> place_of_old;
  DeviceBuffer<vertex_t> old_of_id;  // [FusedDeal::ids()]; kNoVertex: no vertex has the id

  [[nodiscard]] std::uint64_t bytes() const {
    return bytes_of(narrow_offsets, wide_offsets, columns, first, degree_rows, place_of_old,
                    old_of_id);
  }
};

// Deals out a symmetric graph whose ids are ordered by degree. Throws OutOfDeviceMemory.
MembersGraph deal_out(const SearchGraph& graph, unsigned members, const Stream& stream);

}  // namespace bfslab::cuda
