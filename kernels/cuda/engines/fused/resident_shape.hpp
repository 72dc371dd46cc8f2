// SPDX-License-Identifier: Apache-2.0
// The layout of a graph in the shared memory of a block or of a cluster of blocks, with all that a
// search of it needs (resident.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"
#include "kernels/cuda/fused/order.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kResidentThreads = 512;  // of a block
inline constexpr unsigned kResidentLanes = 8;      // of a team, which visits rows in turn
// A warp or a block takes rows of more neighbours.
inline constexpr std::uint32_t kMaxTeamRow = 64;
inline constexpr std::uint32_t kResidentTeams = kResidentThreads / kResidentLanes;
inline constexpr std::uint32_t kResidentRows = kResidentTeams * 32 * 4;  // maximum per block
inline constexpr unsigned kResidentBlocks = 16;                          // maximum per cluster
// Sixteen blocks hold fewer on any device; offsets in a block have 32 bits.
inline constexpr edge_t kMaxResidentEdges = 1U << 22;

// The layout of a graph in the shared memory of a block, the same in all blocks; offsets are in
// bytes, multiples of 16. Vertex v is row v / blocks of block v % blocks. Row r belongs to team r %
// kResidentTeams, as bit r / kResidentTeams of the team's bits. These are in `planes` fields of
// `width` each: 8, 16 or, in one plane or several, 32. The fields of all teams are adjacent, plane
// after plane. The bits of all vertices are those of all blocks' rows in turn. A vertex's place
// among them stands for it in the rows of others.
struct ResidentShape {
  unsigned blocks = 0;  // a power of two
  vertex_t vertices = 0;
  std::uint32_t rows = 0;  // per block
  std::uint32_t width = 0;
  std::uint32_t planes = 0;
  std::uint32_t entries = 0;  // maximum per block
  bool long_rows = false;     // whether some are too long for a team
  bool wide = false;          // places and levels have 32 bits; otherwise 16

  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t id_bytes() const { return wide ? 4 : 2; }
  // Returns the words of the bits of a block's rows.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t words() const {
    return planes * kResidentTeams * width / 32;
  }
  // Returns the words that a block sends to another: these, and 16 bytes that begin with a number.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t words_sent() const { return words() + 4; }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t words_received() const {
    return blocks * words_sent();
  }

  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t vertex_of(unsigned block, std::uint32_t row) const {
    return row * blocks + block;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t places_of_block() const { return words() * 32; }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t places() const {
    return blocks * places_of_block();
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t place_of(unsigned block, std::uint32_t row) const {
    const std::uint32_t bit = row / kResidentTeams;  // less than `width`, unless that is 32
    const std::uint32_t field = bit / 32 * kResidentTeams + row % kResidentTeams;
    return block * places_of_block() + field * width + bit % 32;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t place_of(vertex_t v) const {
    return place_of(v % blocks, v / blocks);
  }
  // Returns the row of a team's bit in a plane.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t row_of(std::uint32_t plane, unsigned bit,
                                                        unsigned team) const {
    return (plane * width + bit) * kResidentTeams + team;
  }

  // The beginnings of rows, [rows + 1] words, come first; then their neighbours, [entries] places.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t columns_at() const {
    return whole(4 * (rows + 1));
  }
  // Both are the block's part of the graph. In device memory the part ends with its own last entry.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t image_bytes(std::uint32_t own_entries) const {
    return columns_at() + whole(own_entries * id_bytes());
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t levels_at() const { return image_bytes(entries); }
  // [max_queued()] rows of 16 bits that are too long for a team.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t queue_at() const {
    return levels_at() + whole(rows * id_bytes());
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t max_queued() const {
    return long_rows ? entries / (kMaxTeamRow + 1) : 0;
  }
  // [rows] blocks of 32 bits, which sent the vertices' bits first.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t senders_at() const {
    return queue_at() + whole(max_queued() * 2);
  }
  // The bits of all vertices that the block has reached.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t reached_at() const {
    return senders_at() + whole(rows * 4);
  }
  // The words received from each block, for levels of each parity.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t received_at(unsigned parity) const {
    return reached_at() + 4 * (blocks * words() + parity * words_received());
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t bytes() const { return received_at(2); }

  [[nodiscard]] BFSLAB_HOST_DEVICE static constexpr std::uint32_t whole(std::uint32_t bytes) {
    return (bytes + 15) / 16 * 16;
  }
};

// Returns whether a graph of this size may fit at all.
constexpr bool has_resident_size(vertex_t vertices, edge_t edges) {
  return vertices > 0 && vertices <= kResidentRows * kResidentBlocks && edges <= kMaxResidentEdges;
}

// Returns the shape of a graph in sixteen blocks, or else in eight, if their shared memory holds
// it; if `only` is not 0, in that number of blocks alone. `longest`: the maximum number of
// neighbours. If it is small, cluster.cuh can search in device memory, too: it is faster where
// places are wide, and on graphs such as roads and grids whose bits are in several planes.
// entries_of(blocks): the maximum of a block; fits(shape): whether a block holds that.
template <typename EntriesOf, typename Fits>
std::optional<ResidentShape> first_resident_shape(vertex_t vertices, edge_t edges, edge_t longest,
                                                  unsigned only, EntriesOf entries_of, Fits fits) {
  if (!has_resident_size(vertices, edges)) return std::nullopt;
  const bool sparse = 2 * edges < edge_t{7} * vertices;
  for (const unsigned blocks : {kResidentBlocks, 8U, 4U, 2U}) {
    if (only != 0 ? blocks != only : blocks < 8) continue;
    ResidentShape shape{
        .blocks = blocks, .vertices = vertices, .rows = (vertices + blocks - 1) / blocks};
    if (shape.rows > kResidentRows) continue;
    const std::uint32_t bits = (shape.rows + kResidentTeams - 1) / kResidentTeams;
    shape.width = bits <= 8 ? 8 : bits <= 16 ? 16 : 32;
    shape.planes = (bits + shape.width - 1) / shape.width;
    shape.wide = shape.places() > 0x10000;
    const bool slow = shape.wide || (shape.planes > 1 && sparse);
    if (slow && longest <= kFewNeighbors && only == 0) continue;
    shape.long_rows = longest > kMaxTeamRow;
    shape.entries = static_cast<std::uint32_t>(entries_of(blocks));
    if (fits(shape)) return shape;
  }
  return std::nullopt;
}

}  // namespace bfslab::cuda
