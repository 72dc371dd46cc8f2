// SPDX-License-Identifier: Apache-2.0
// The rows of levels of `fused-gpus`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cuda/fused/rules.hpp"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/distributed/engines/distributed_engine.hpp"

namespace bfslab::distributed::fused {

// `kind`: cuda::FusedKind.
inline Direction direction_of(unsigned kind) {
  return kind == cuda::kFusedUp ? Direction::bottom_up : Direction::top_down;
}
inline const char* technique_of(unsigned kind) {
  return kind == cuda::kFusedUp ? "first_neighbors" : "merge_path";
}

// The row of a level of one member, whose edges are not counted.
inline MemberLevel level_row(level_t level, unsigned kind, std::uint64_t frontier,
                             std::uint64_t found, std::uint64_t unvisited) {
  MemberLevel made(level, direction_of(kind), technique_of(kind), "all");
  made.frontier_vertices = frontier;
  made.frontier_edges = made.edges_checked = std::nullopt;
  made.found_vertices = found;
  made.unvisited_vertices = unvisited;
  return made;
}

// Returns the record of a level, or one of no time for a level that this member has not logged.
inline cuda::LevelRecord record_of(const std::vector<cuda::LevelRecord>& records, std::size_t level,
                                   unsigned long long began_ns) {
  if (level < records.size()) return records[level];
  cuda::LevelRecord none;
  none.kind = cuda::kFusedSmall;
  none.end_ns = began_ns;
  return none;
}

}  // namespace bfslab::distributed::fused
