// SPDX-License-Identifier: Apache-2.0
// A member's subgraphs, vertices, places and owners as the kernels of `delegate-cuda` see them.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/traversal/bits.cuh"
#include "kernels/distributed/engines/delegate/places.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/subgraphs/subgraph_views.cuh"

namespace bfslab::distributed::delegate {

using cuda::blocks_for;
using cuda::fresh;
using cuda::kAllLanes;
using cuda::kBlockThreads;
using cuda::lane_id;
using cuda::RankedView;
using cuda::test;
using NormalView = cuda::ReachedView;  // a member's normal vertices, by place

// Returns the member that is `distance` after `me`, with `distance` from 1 to members - 1. If each
// member reads the others in this order, no two begin with the same one.
constexpr unsigned member_after(unsigned me, unsigned distance, unsigned members) {
  const unsigned member = me + distance;
  return member < members ? member : member - members;
}

// Returns how many 32-bit words hold `bits` bits: a multiple of four, which are read at once.
constexpr std::size_t words_for(std::uint64_t bits) { return (bits + 127) / 128 * 4; }

// Sets the bits of rows for which has(row) is true, as cuda::mark_rows.
template <typename Has>
__global__ void mark_rows(const __grid_constant__ Has has, std::uint32_t rows,
                          std::uint32_t* bits) {
  cuda::mark_rows(rows, bits,
                  [&has](std::uint64_t r) { return has(static_cast<local_vertex_t>(r)); });
}

// Maps ids of the whole graph to owners, v % members, and to their local ids, v / members.
struct RoundRobin {
  Divisor members;
  unsigned me = 0;

  [[nodiscard]] __device__ unsigned owner(global_vertex_t v) const {
    return static_cast<unsigned>(members.remainder(v));
  }
  [[nodiscard]] __device__ local_vertex_t local(global_vertex_t v) const {
    return static_cast<local_vertex_t>(members.quotient(v));
  }
  [[nodiscard]] __device__ global_vertex_t global(local_vertex_t v) const {
    return v * members.value() + me;
  }
};

// The ids of the whole graph of a member's normal vertices, for parents.
struct NormalNames {
  RoundRobin own;
  const local_vertex_t* ids = nullptr;  // by place; null: no parents

  [[nodiscard]] __device__ vertex_t name(local_vertex_t place) const {
    return ids != nullptr ? static_cast<vertex_t>(own.global(ids[place])) : kNoVertex;
  }
};

// The first entry of a row, kept by itself, and a bit that is set if the row has no other, so that
// a candidate that misses there need not ask how long it is. The entries are delegates, of which
// there are at most 2^31.
struct FirstEntry {
  static constexpr std::uint32_t kOnly = 1U << 31;
  std::uint32_t word = 0;

  [[nodiscard]] __device__ local_vertex_t entry() const { return word & ~kOnly; }
  [[nodiscard]] __device__ bool is_only() const { return (word & kOnly) != 0; }
};

// The end of an edge of nn as its column holds it, owner << 32 | local, so that no visit divides.
struct NormalEnd {
  global_vertex_t column = 0;

  [[nodiscard]] __device__ static NormalEnd make(unsigned owner, local_vertex_t local) {
    return {global_vertex_t{owner} << 32 | local};
  }
  [[nodiscard]] __device__ unsigned owner() const { return static_cast<unsigned>(column >> 32); }
  // Returns the local id on its owner, or the place of a vertex of this member.
  [[nodiscard]] __device__ local_vertex_t local() const {
    return static_cast<local_vertex_t>(column);
  }
};

}  // namespace bfslab::distributed::delegate
