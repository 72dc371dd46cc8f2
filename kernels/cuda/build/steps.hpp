// SPDX-License-Identifier: Apache-2.0
// The steps of a build on the device, in plain C++: tuples to entries, entries to a CSR, new ids.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "datasets/generate/quadrant_tuples.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

// --- Tuples to entries: tuples.cu.

// The rules by which a tuple becomes entries.
struct EntryRules {
  bool symmetrize = true;  // a self-loop is its own reverse, and is entered once
  bool drop_self_loops = true;
  unsigned vertex_bits = 0;  // an entry is the key row << vertex_bits | column
};

struct Rows {
  vertex_t first = 0;
  vertex_t last = 0;
};

// A generator whose tables lie in device memory. `new_of_old` may be null.
struct DeviceTuples {
  DeviceTuples(const QuadrantTuples& host, const Stream& stream);

  QuadrantTuples recipe;
  const vertex_t* new_of_old = nullptr;

 private:
  DeviceBuffer<std::uint64_t> slots_;
};

// Writes the keys of all entries in these rows, in no particular order, and returns their number.
edge_t emit_entries(const DeviceTuples& tuples, const EntryRules& rules, Rows rows,
                    std::uint64_t* keys, const Stream& stream);
// Returns the number of entries in rows b << shift to ((b + 1) << shift) - 1, for every b.
std::vector<edge_t> count_entries(const DeviceTuples& tuples, const EntryRules& rules,
                                  unsigned shift, const Stream& stream);
// Adds each tuple to input_edges[its first endpoint]; returns how many are self-loops.
edge_t count_tuples(const DeviceTuples& tuples, std::uint32_t* input_edges, const Stream& stream);

// --- Entries to a CSR: entries.cu.

// Returns the bits that the numbers below `count` need.
inline unsigned bits_for(std::uint64_t count) {
  return count > 1 ? static_cast<unsigned>(std::bit_width(count - 1)) : 0;
}

// Each step leaves its result in `keys`.
struct KeyBuffers {
  explicit KeyBuffers(std::size_t count) : keys(count), spare(count) {}
  DeviceBuffer<std::uint64_t> keys;
  DeviceBuffer<std::uint64_t> spare;
};

// Sorts fewer than 2^32 keys ascending by the lowest `bits` bits; the higher ones are zero.
void sort_keys(KeyBuffers& buffers, edge_t count, unsigned bits, const Stream& stream);
// Returns the number of sorted keys that equal the one before.
edge_t count_duplicates(const std::uint64_t* keys, edge_t count, const Stream& stream);
// Keeps one of each sorted key, and returns their number. Up to 2^31 - 1 keys.
edge_t drop_duplicates(KeyBuffers& buffers, edge_t count, const Stream& stream);
// offsets[i] = base + the number of sorted keys below row first + i, modulo 2^64, for the rows
// first .. last - 1. The columns are the lowest `column_bits` of the keys.
void find_offsets(const std::uint64_t* keys, edge_t count, unsigned column_bits, edge_t first,
                  edge_t last, edge_t base, edge_t* offsets, const Stream& stream);
// Column: 32 or 64 bits.
template <typename Column>
void take_columns(const std::uint64_t* keys, edge_t count, unsigned column_bits, Column* columns,
                  const Stream& stream);
// Returns all parts in one buffer, in their order.
template <typename Column>
DeviceBuffer<Column> concatenate(std::vector<DeviceBuffer<Column>> parts, const Stream& stream) {
  if (parts.size() == 1) return std::move(parts.front());
  std::size_t total = 0;
  for (const DeviceBuffer<Column>& part : parts) total += part.size();
  DeviceBuffer<Column> all(total);
  std::size_t done = 0;
  for (const DeviceBuffer<Column>& part : parts) {
    copy(all.data() + done, part.data(), part.size(), stream);
    done += part.size();
  }
  stream.wait();
  return all;
}

// --- New ids, new_of_old[v]: new_ids.cu.

DeviceBuffer<vertex_t> shuffled_ids(vertex_t vertices, std::uint64_t seed, const Stream& stream);
// Orders by descending degree, then by old id. Throws std::length_error for degrees above 32 bits.
DeviceBuffer<vertex_t> degree_ids(const DeviceBuffer<edge_t>& row_offsets, const Stream& stream);

}  // namespace bfslab::cuda
