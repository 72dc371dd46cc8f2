// SPDX-License-Identifier: Apache-2.0
// The GPU memory of xbfs, for its estimate before there is an engine.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/traversal/degree_class.hpp"
#include "kernels/cuda/traversal/scan_layout.hpp"
#include "kernels/engine.hpp"
#include "kernels/gpu_parts.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kMaxPersistentBlocks = 4096;

// Counts of a scan, and as many offsets: of its parts, of its bins or, inside one kernel, of its
// blocks.
inline std::uint64_t scan_counts(std::uint64_t vertices, bool bins) {
  return std::uint64_t{kDegreeClasses} *
         std::max({ScanLayout::of_threads(vertices).parts, ScanLayout::of_segments(vertices).parts,
                   kMaxPersistentBlocks, bins ? kBinThreads : 0});
}

inline BalanceBy balance_of(const Toggles& toggles) {
  return static_cast<BalanceBy>(row_of(kBalances, toggles.choice("balance")));
}

inline double xbfs_bytes(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const double graph = (n + 1) * sizeof(edge_t) + m * sizeof(vertex_t);
  const double copies = facts.symmetric ? 1 : 2;
  const double answers = wants_parents(answer) ? 2 : 1;  // levels are kept in any case
  const bool by_list = balance_of(toggles) == BalanceBy::list;
  const bool by_first = balance_of(toggles) == BalanceBy::first_neighbors;
  const double queues = by_list ? 4 : 3;  // two, and the bottom-up queue or its replacement
  const double bitmaps = by_list || by_first ? 4 : 1;
  const bool sums = expansion(toggles.choice("expand")).traits.sums_degrees;
  const bool bins = toggles.flag("bins");
  const auto counts = static_cast<double>(scan_counts(facts.vertices, bins));
  const double binned =
      bins ? double{kDegreeClasses} * kBinThreads * ScanLayout::room_of_bin(facts.vertices) : 0;
  return copies * graph + bitmaps * n / 8 + ((answers + queues) * n + binned) * sizeof(vertex_t) +
         (sums ? (n + 1) * sizeof(edge_t) : 0) + 2 * counts * sizeof(std::uint32_t);
}

}  // namespace bfslab::cuda
