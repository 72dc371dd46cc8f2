// SPDX-License-Identifier: Apache-2.0
// How a graph lies in the shared memory of a block or of a cluster of blocks, where it fits, along
// with all that a search of it needs (resident.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kResidentThreads = 512;  // of a block
// Of a block: a thread looks after 32 of them.
inline constexpr std::uint32_t kResidentRows = kResidentThreads * 32;
inline constexpr unsigned kResidentBlocks = 16;  // of a cluster, at most
// Of graphs that one block takes: with more, more blocks are faster.
inline constexpr edge_t kResidentAloneEdges = 32'768;
// More than sixteen blocks hold anywhere; offsets in a block have 32 bits.
inline constexpr edge_t kMostResidentEdges = 1U << 22;
// Ids and levels of graphs of so many vertices have 16 bits, of which all ones are no level.
inline constexpr vertex_t kShortIds = (1U << 16) - 1;

// How a graph lies in the shared memory of a block, alike in all; offsets are in bytes, multiples
// of 16.
struct ResidentShape {
  unsigned blocks = 0;  // a power of two
  vertex_t vertices = 0;
  std::uint32_t rows = 0;     // of a block
  std::uint32_t entries = 0;  // of a block, at most
  bool parents = false;       // asked for
  bool wide = false;          // ids of 32 bits

  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t id_bytes() const { return wide ? 4 : 2; }
  // Where rows begin, [rows + 1] words, comes first; then their neighbours, [entries] ids.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t columns_at() const {
    return whole(4 * (rows + 1));
  }
  // Both are the block's part of the graph, which lies like that in the device's memory, too, where
  // it ends with its own last entry.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t image_bytes(std::uint32_t own_entries) const {
    return columns_at() + whole(own_entries * id_bytes());
  }
  // [rows] of a level, or of a level and a parent.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t reached_at() const { return image_bytes(entries); }
  // [rows] of the block's vertices, by row, in 16 bits.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t queue_at() const {
    return reached_at() + whole(rows * id_bytes() * (parents ? 2 : 1));
  }
  // Bits of all vertices that the block has sent.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t sent_at() const {
    return queue_at() + whole(rows * 2);
  }
  // Bits of the block's vertices that are marked, for levels of each parity.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t marked_at(unsigned parity) const {
    return sent_at() + whole(4 * words_of(vertices)) + parity * whole(4 * words_of(rows));
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t bytes() const { return marked_at(2); }

  [[nodiscard]] BFSLAB_HOST_DEVICE static constexpr std::uint32_t words_of(std::uint32_t bits) {
    return (bits + 31) / 32;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE static constexpr std::uint32_t whole(std::uint32_t bytes) {
    return (bytes + 15) / 16 * 16;
  }
};

// The first of one block, eight and sixteen whose shared memory holds a graph of so many vertices
// and edges; where `only` is not 0, of so many blocks alone. `entries_of(blocks)`: of a block, at
// most; `fits(shape)`: whether a block holds that.
template <typename EntriesOf, typename Fits>
std::optional<ResidentShape> first_resident_shape(vertex_t vertices, edge_t edges, bool parents,
                                                  unsigned only, EntriesOf entries_of, Fits fits) {
  if (vertices == 0 || vertices > kResidentRows * kResidentBlocks) return std::nullopt;
  if (edges > kMostResidentEdges) return std::nullopt;
  for (const unsigned blocks : {1U, 2U, 4U, 8U, kResidentBlocks}) {
    const bool by_itself = blocks == 1 ? edges <= kResidentAloneEdges : blocks >= 8;
    if (only != 0 ? blocks != only : !by_itself) continue;
    if (blocks == 1 && vertices > kShortIds) continue;
    ResidentShape shape{.blocks = blocks,
                        .vertices = vertices,
                        .rows = (vertices + blocks - 1) / blocks,
                        .parents = parents,
                        .wide = vertices > kShortIds};
    if (shape.rows > kResidentRows) continue;
    shape.entries = static_cast<std::uint32_t>(entries_of(blocks));
    if (fits(shape)) return shape;
  }
  return std::nullopt;
}

}  // namespace bfslab::cuda
