// SPDX-License-Identifier: Apache-2.0
// A small frontier with its rows in the shared memory of a block; one_block.cuh and cluster.cuh
// expand it. In graphs of small degrees a packed row has room for a vertex's
// neighbours. Rows that have more are long, and their edges are shared out evenly.
#pragma once

#include "kernels/cuda/fused/turns.cuh"

namespace bfslab::cuda {

// The last word of a row that does not fit in its packed form.
inline constexpr vertex_t kLongRow = kNoVertex - 1;

// Holds up to kPacked neighbours (kNoVertex: none). The last four words of a longer row give the
// place and the length of the rest. They follow the first neighbours if there is room for more than
// four. kPacked = 0: every row only gives its place.
//
// Example: FusedRow<4> of the neighbours 3, 8 is {3, 8, none, none}. That of seven neighbours from
// entry 100 on is {100, 0, 7, kLongRow}; as FusedRow<12>, which has room for them, it holds all.
template <unsigned kPacked>
struct FusedRow {
  static_assert(kPacked % 4 == 0);
  static constexpr unsigned kParts = kPacked > 4 ? kPacked / 4 : 1;
  static constexpr unsigned kFirst = kPacked > 4 ? kPacked - 4 : 0;  // of a long row, kept here
  // The count of a rest longer than this; no level with such a row is small.
  static constexpr std::uint64_t kMany = 1U << 20;

  uint4 part[kParts];

  [[nodiscard]] __device__ bool is_long() const { return part[kParts - 1].w == kLongRow; }
  [[nodiscard]] __device__ std::uint64_t begin() const {
    return std::uint64_t{part[kParts - 1].y} << 32 | part[kParts - 1].x;
  }
  [[nodiscard]] __device__ unsigned count() const { return part[kParts - 1].z; }
  __device__ void put_rest(std::uint64_t begin, std::uint64_t end) {
    part[kParts - 1] = {static_cast<unsigned>(begin), static_cast<unsigned>(begin >> 32),
                        static_cast<unsigned>(min(end - begin, kMany)), kLongRow};
  }
};

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
