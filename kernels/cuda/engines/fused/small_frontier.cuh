// SPDX-License-Identifier: Apache-2.0
// A small frontier with its rows in the shared memory of a block; one_block.cuh and cluster.cuh
// expand it. In graphs of small degrees a packed row (packed_row.cuh) has room for a vertex's
// neighbours. Rows that have more are long, and their edges are shared out evenly.
#pragma once

#include "kernels/cuda/engines/fused/packed_row.cuh"
#include "kernels/cuda/engines/fused/turns.cuh"

namespace bfslab::cuda {

// Up to kMax vertices and their rows.
template <unsigned kPacked, std::uint32_t kMax>
struct FusedHeldRows {
  FusedRow<kPacked> rows[kMax];
  vertex_t ids[kMax];
  std::uint16_t listed[kMax];  // the vertices of long rows
};

// Reads the stored form of a vertex's row.
template <unsigned kPacked, typename Offset>
__device__ __forceinline__ FusedRow<kPacked> fused_row(const FusedWork<Offset>& work, vertex_t v) {
  FusedRow<kPacked> row;
  if constexpr (kPacked > 0) {
    const uint4* const packed = work.packed + std::size_t{v} * row.kParts;
    for (unsigned p = 0; p < row.kParts; ++p) row.part[p] = packed[p];
  } else {
    row.put_rest(work.out.row_offsets[v], work.out.row_offsets[v + std::size_t{1}]);
  }
  return row;
}

// True if a neighbour's row is requested after its claim, and not with it. Failed claims would also
// request rows of several parts, which takes longer than one more wait.
template <unsigned kPacked>
inline constexpr bool kClaimsFirst = kPacked > 4;

// The vertices of a frontier that fit, and which of their rows are long. `Rows` is a FusedHeldRows.
template <unsigned kPacked, typename Rows>
struct FusedFrontier {
  const Rows& held;
  unsigned count;
  unsigned long_rows;  // number listed; all if rows are not packed
  unsigned* before;    // [long_rows] edges of long rows before each

  [[nodiscard]] __device__ unsigned place_of_long(unsigned k) const {
    return kPacked > 0 ? held.listed[k] : k;
  }

  // Fills `before`; returns the number of edges of long rows. Called by all threads of a block.
  __device__ unsigned sum_long() const {
    unsigned edges = 0;
    for (unsigned first = 0; first < long_rows; first += kFusedThreads) {
      const unsigned k = first + threadIdx.x;
      const unsigned own = k < long_rows ? held.rows[place_of_long(k)].count() : 0;
      unsigned sum = 0;
      const unsigned own_before = exclusive_of_block(own, sum);
      if (k < long_rows) before[k] = edges + own_before;
      edges += sum;
    }
    if (long_rows > 0) __syncthreads();
    return edges;
  }

  // The number of entries of packed rows, those of kNoVertex included.
  [[nodiscard]] __device__ unsigned entries() const { return kPacked * count; }
  // Entry i of packed rows; `to` is kNoVertex where it is none.
  __device__ __forceinline__ void entry(unsigned i, vertex_t& from, vertex_t& to) const {
    constexpr unsigned kWords = 4 * FusedRow<kPacked>::kParts;
    to = reinterpret_cast<const vertex_t*>(held.rows)[i];
    from = held.ids[i / kWords];
    const bool may_say_where = i % kWords + 4 >= kWords;
    if (to != kNoVertex && may_say_where && held.rows[i / kWords].is_long()) to = kNoVertex;
  }

  // Edge e of long rows, which sum_long has counted.
  __device__ __forceinline__ void long_edge(const vertex_t* columns, unsigned e, vertex_t& from,
                                            vertex_t& to) const {
    unsigned low = 0;  // the last row that begins by then
    for (unsigned high = long_rows; high - low > 1;) {
      const unsigned middle = (low + high) / 2;
      (before[middle] <= e ? low : high) = middle;
    }
    const unsigned place = place_of_long(low);
    from = held.ids[place];
    to = columns[held.rows[place].begin() + (e - before[low])];
  }

  // Entry i of packed rows or, behind these, of long rows, so that no thread waits for the former
  // before it begins with the latter.
  __device__ __forceinline__ void edge(const vertex_t* columns, unsigned i, vertex_t& from,
                                       vertex_t& to) const {
    if (i < entries()) {
      entry(i, from, to);
    } else {
      long_edge(columns, i - entries(), from, to);
    }
  }

  // Calls visit(from, to) for every edge; `edges`: from sum_long(). Called by the block's threads.
  template <typename Visit>
  __device__ void each_edge(const vertex_t* columns, unsigned edges, Visit visit) const {
    for (unsigned i = threadIdx.x; i < entries() + edges; i += kFusedThreads) {
      vertex_t from, to;
      edge(columns, i, from, to);
      if (to != kNoVertex) visit(from, to);
    }
  }
};

}  // namespace bfslab::cuda
