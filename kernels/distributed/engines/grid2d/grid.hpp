// SPDX-License-Identifier: Apache-2.0
// Grid: maps members to blocks of the adjacency matrix and to the vertices that they own
// (graph500-romeo, section 3.4.2).
//
// The vertices are cut into one piece per member, of `block` consecutive ids, a multiple of 64, so
// that no two pieces share a bitmap word. Member (i, j) of R rows and C columns has number i * C +
// j and owns the levels and predecessors of the piece of that number. It stores the edges from its
// column's range to its row's range:
//
//   row i's range      pieces i * C .. i * C + C - 1, which the members of the row own
//   column j's range   square grids: row j's range, so that In(i, j) is Out(j, i) (Algorithm 3,
//                      line 24); others: pieces j, C + j, 2 * C + j, ..., which the members of the
//                      column own, so that they can gather the range among themselves
//
// Vertices of a range have 32-bit numbers, in ascending order of their ids.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed::grid2d {

using local_t = std::uint32_t;  // a vertex's number in a range

struct Grid {
  std::uint64_t vertices = 0;
  unsigned rows = 1;
  unsigned columns = 1;
  std::uint64_t block = 64;
  Divisor by_block;

  Grid(std::uint64_t vertices_, unsigned rows_, unsigned columns_)
      : vertices(vertices_), rows(rows_), columns(columns_) {
    constexpr std::uint64_t kWord = 64;
    const std::uint64_t piece = (vertices + members() - 1) / members();
    block = std::max((piece + kWord - 1) / kWord, std::uint64_t{1}) * kWord;
    by_block = Divisor(block);
  }

  [[nodiscard]] constexpr bool square() const { return rows == columns; }
  [[nodiscard]] unsigned members() const { return rows * columns; }
  // Return the sizes of a row's and a column's range, including padding after the last vertex.
  [[nodiscard]] std::uint64_t row_size() const { return block * columns; }
  [[nodiscard]] std::uint64_t column_size() const { return block * rows; }
  [[nodiscard]] Ownership ownership() const {
    return Ownership::blocks(vertices, members(), block);
  }

  [[nodiscard]] unsigned row_piece(unsigned row, unsigned k) const { return row * columns + k; }
  [[nodiscard]] unsigned column_piece(unsigned column, unsigned k) const {
    return square() ? column * columns + k : k * columns + column;
  }
  [[nodiscard]] global_vertex_t column_vertex(unsigned column, local_t v) const {
    const auto piece = static_cast<unsigned>(by_block.quotient(v));
    return column_piece(column, piece) * block + (v - piece * block);
  }

  // The place of a vertex as the head (row) and as the tail (column) of an edge.
  struct Place {
    unsigned row, column;
    local_t in_row, in_column;
  };
  [[nodiscard]] constexpr Place place(global_vertex_t v) const {
    const auto piece = static_cast<unsigned>(by_block.quotient(v));
    const auto offset = static_cast<local_t>(v - piece * block);
    const unsigned quotient = piece / columns;
    const unsigned rest = piece % columns;
    const auto in_row = static_cast<local_t>(rest * block + offset);
    if (square()) return {quotient, quotient, in_row, in_row};
    return {quotient, rest, in_row, static_cast<local_t>(quotient * block + offset)};
  }

  // Returns the rows of the most nearly square grid of `members`, with rows >= columns: a row's
  // members search for the same vertices, a column's members do not.
  static unsigned fitting_rows(unsigned members) {
    unsigned rows = members;
    for (unsigned r = members; r * r >= members; --r) {
      if (members % r == 0) rows = r;
    }
    return rows;
  }
};

}  // namespace bfslab::distributed::grid2d
