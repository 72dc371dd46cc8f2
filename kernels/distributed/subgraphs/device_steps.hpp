// SPDX-License-Identifier: Apache-2.0
// The steps by which subgraphs are made on a GPU, in plain C++: tuples to keys, binned by the
// members that keep them, and sorted keys to degrees, offsets and columns. All work in the order of
// the stream; pointers are into the memory of the GPU.
//
// A key is an entry of a round: (row - the round's first row) << column bits | column.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/edges/device_tuples.hpp"
#include "kernels/distributed/subgraphs/placement.hpp"
#include "kernels/distributed/subgraphs/subgraphs.hpp"

namespace bfslab::distributed {

// The entries that a tuple becomes, and where they go.
struct EntryPlan {
  EdgeRules rules;
  Placement place;
  RowSequence sequence;
  unsigned members = 1;
  unsigned column_bits = 0;
};

// Members that emit_keys() can bin for: their counters are in a block's shared memory.
inline constexpr unsigned kMaxKeepers = 2048;

// Adds to counts[member * bins + bin] the entries that a member keeps in the rows of a bin.
void count_entries(const TuplePortion& tuples, const EntryPlan& plan, std::uint64_t* counts,
                   const cuda::Stream& stream);
// Writes the keys of all entries in `rows`, those of member m at keys[next[m]] and after, in no
// particular order; next[m] moves behind them.
void emit_keys(const TuplePortion& tuples, const EntryPlan& plan, RowRange rows,
               std::uint64_t* next, std::uint64_t* keys, const cuda::Stream& stream);

// Adds to counts[owner * stride + local] the entries that begin at each vertex, duplicates among
// them.
void count_tails(const TuplePortion& tuples, const EdgeRules& rules, const Ownership& own,
                 std::uint64_t stride, std::uint32_t* counts, const cuda::Stream& stream);
// sums[i] += counts[i], which may lie in another GPU's memory.
void add_counts(std::span<const std::uint32_t> counts, std::uint32_t* sums,
                const cuda::Stream& stream);
// Adds to degrees[first row + row] the keys of each row. Equal rows should lie side by side, which
// is faster.
void add_degrees(const std::uint64_t* keys, std::uint64_t count, unsigned column_bits,
                 std::uint32_t* degrees, const cuda::Stream& stream);
// The vertices v < degrees.size() whose degree is above `threshold`, as v << 32 | degree,
// ascending.
cuda::DeviceBuffer<std::uint64_t> above(const cuda::DeviceBuffer<std::uint32_t>& degrees,
                                        std::uint64_t owned, std::uint64_t threshold,
                                        const cuda::Stream& stream);

// The delegates of all members. Memory: 12 bits a vertex of the graph, 16 bytes a delegate.
struct DelegateTable {
  cuda::DeviceBuffer<std::uint64_t> bits;
  cuda::DeviceBuffer<std::uint32_t> before;
  cuda::DeviceBuffer<global_vertex_t> ids;     // [delegates] by number
  cuda::DeviceBuffer<std::uint32_t> degrees;   // [delegates] likewise
  cuda::DeviceBuffer<local_vertex_t> numbers;  // [delegates] by id; empty: these ascend, too

  [[nodiscard]] DelegateView view() const {
    return {bits.data(), before.data(), degrees.data(), numbers.data()};
  }
};

// Vertices that a DelegateTable can be made for.
inline constexpr std::uint64_t kMaxTableVertices = std::uint64_t{1} << 36;

// `lists`: of each member, what above() gives; they may lie in other GPUs' memory. Returns when all
// is there. By degree it needs 24 bytes a delegate beside the table.
DelegateTable number_delegates(std::span<const Bytes> lists, const Ownership& own,
                               DelegateOrder order, const cuda::Stream& stream);
// The vertices of a list of above(), and their numbers among all delegates.
void number_own(const cuda::DeviceBuffer<std::uint64_t>& list, const Ownership& own,
                unsigned member, const DelegateTable& table, Separation::OwnDelegate* out,
                const cuda::Stream& stream);

}  // namespace bfslab::distributed
