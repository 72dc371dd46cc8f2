// SPDX-License-Identifier: Apache-2.0
// The searched vertices in the order of the graph as given, by which an answer is put back into it
// (answer_map.cuh).
//
// Vertices that are not searched are left out, so that the ids of the others are read in sequence:
// 4 bytes per searched vertex, and two words per 32 vertices.
//
// Example: vertices 0 to 3 as given are 2, none, 0 and 1 in the search, and 2 is a leaf of 0. The
// bits are 1101, the ids 0, 0 and 1, and the bits of leaves 0001. Two bits lie before that of
// vertex 3, so that its id is the third, 1.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/traversal/ranked_bits.hpp"

namespace bfslab::cuda {

struct GivenOrder {
  RankedBits searched;
  DeviceBuffer<vertex_t> ids;            // [searched.count] new ids, or those of leaves' neighbours
  DeviceBuffer<std::uint32_t> leaves;    // [words] bits of such leaves; empty: all have their ids
  DeviceBuffer<vertex_t> first_parents;  // [searched.count] first neighbours as given; or empty

  [[nodiscard]] std::uint64_t bytes() const {
    return searched.bytes() + bytes_of(ids, leaves, first_parents);
  }
};

struct GivenOrderView {
  RankedView searched;
  const vertex_t* ids = nullptr;
  const std::uint32_t* leaves = nullptr;    // null: all have their own ids
  const vertex_t* first_parents = nullptr;  // null: not known

  [[nodiscard]] static GivenOrderView of(const GivenOrder& order) {
    return {RankedView::from(order.searched), order.ids.data(), order.leaves.data(),
            order.first_parents.data()};
  }
};

// The arrays that a GivenOrder is made from.
struct NewIds {
  const vertex_t* new_of_old = nullptr;  // [vertices]
  const vertex_t* old_of_new = nullptr;  // [searched]
  vertex_t vertices = 0;                 // as given
  vertex_t searched = 0;                 // the new ids below it are searched
  vertex_t inner = 0;                    // those from it on are leaves that get neighbours' ids
  const vertex_t* first = nullptr;       // [searched] first neighbours; null: not known
  bool with_parents = false;             // with first_parents, if first neighbours are known
};

// Returns when the order is there. Throws OutOfDeviceMemory.
GivenOrder given_order(const NewIds& ids, const Stream& stream);

}  // namespace bfslab::cuda
