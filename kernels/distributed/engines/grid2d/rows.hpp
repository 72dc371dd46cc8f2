// SPDX-License-Identifier: Apache-2.0
// Rows: the edges of a block, compressed by tail (CSR) or by head (CSC) (graph500-romeo, section
// 3.4.1). Offsets have 32 or 64 bits, depending on the number of edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "datasets/graph/buffer.hpp"
#include "kernels/distributed/engines/grid2d/grid.hpp"

namespace bfslab::distributed::grid2d {

struct LocalEdge {
  local_t from;  // number in the column's range
  local_t to;    // number in the row's range
};

template <typename Offset>
struct Rows {
  Buffer<Offset> offsets;   // [rows + 1]
  Buffer<local_t> entries;  // [offsets[rows]], ascending in each row

  [[nodiscard]] std::uint64_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::uint64_t length(std::uint64_t row) const {
    return offsets[row + 1] - offsets[row];
  }
  [[nodiscard]] std::span<const local_t> operator[](std::uint64_t row) const {
    return {entries.data() + offsets[row], entries.data() + offsets[row + 1]};
  }
  [[nodiscard]] std::uint64_t bytes() const { return offsets.bytes() + entries.bytes(); }
};

// `visit_all(visit)` calls visit(row, entry) for all `size` entries, twice in the same order.
template <typename Offset, typename VisitAll>
Rows<Offset> by_counting(std::uint64_t rows, std::uint64_t size, const VisitAll& visit_all) {
  Rows<Offset> made{Buffer<Offset>(rows + 1), Buffer<local_t>(size)};
  Offset* const offsets = made.offsets.data();
  std::fill_n(offsets, rows + 1, Offset{0});
  visit_all([&](local_t row, local_t) { ++offsets[row]; });
  Offset end = 0;
  for (std::uint64_t row = 0; row <= rows; ++row) {
    end += offsets[row];
    offsets[row] = end;
  }
  // Fills each row from its end, which turns the ends into the begins.
  visit_all([&](local_t row, local_t entry) { made.entries[--offsets[row]] = entry; });
  return made;
}

template <typename Offset>
Rows<Offset> compress(std::span<const LocalEdge> edges, std::uint64_t rows, bool by_head,
                      bool deduplicate) {
  auto made = by_counting<Offset>(rows, edges.size(), [&](const auto& visit) {
    for (const auto [from, to] : edges) {
      by_head ? visit(to, from) : visit(from, to);
    }
  });
  std::uint64_t kept = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    local_t* const begin = made.entries.data() + made.offsets[row];
    local_t* end = made.entries.data() + made.offsets[row + 1];
    std::sort(begin, end);
    if (deduplicate) end = std::unique(begin, end);
    made.offsets[row] = static_cast<Offset>(kept);
    local_t* const place = made.entries.data() + kept;
    if (place != begin) std::copy(begin, end, place);
    kept += static_cast<std::uint64_t>(end - begin);
  }
  made.offsets[rows] = static_cast<Offset>(kept);
  made.entries.shrink(kept);
  return made;
}

// Returns the same edges by their other end, in `rows` rows.
template <typename Offset>
Rows<Offset> transpose(const Rows<Offset>& edges, std::uint64_t rows) {
  return by_counting<Offset>(rows, edges.entries.size(), [&](const auto& visit) {
    for (std::uint64_t row = edges.count(); row-- > 0;) {
      for (const local_t entry : edges[row]) visit(entry, static_cast<local_t>(row));
    }
  });
}

}  // namespace bfslab::distributed::grid2d
