// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/fused/member_levels.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/fused/rules.hpp"

namespace bfslab::distributed::fused {

namespace {

using cuda::FusedStart;
using cuda::LevelSlot;

// `kind`: cuda::FusedKind.
Direction direction_of(unsigned kind) {
  return kind == cuda::kFusedUp ? Direction::bottom_up : Direction::top_down;
}
const char* technique_of(unsigned kind) {
  return kind == cuda::kFusedUp ? "first_neighbors" : "merge_path";
}

// Returns the record of a level, or one of no time for a level that this member has not logged.
cuda::LevelRecord record_of(const std::vector<cuda::LevelRecord>& records, std::size_t level,
                            unsigned long long began_ns) {
  if (level < records.size()) return records[level];
  cuda::LevelRecord none;
  none.kind = cuda::kFusedSmall;
  none.end_ns = began_ns;
  return none;
}

}  // namespace

cuda::FusedTraffic* MemberLevels::count_traffic() {
  if (traffic_.size() == 0) traffic_ = cuda::DeviceBuffer<cuda::FusedTraffic>(kLogged);
  traffic_.fill_bytes(0, stream_.get());
  return traffic_.data();
}

cuda::LevelLogView MemberLevels::view() {
  if (log_.empty()) log_ = cuda::LevelLog(kLogged);
  return log_.view();
}

// Makes the row of a level that found `found` vertices; `visited` with its frontier. Its edges are
// not counted.
MemberLevel MemberLevels::row(level_t level, unsigned kind, std::uint64_t frontier,
                              std::uint64_t found, std::uint64_t visited) const {
  MemberLevel made(level, direction_of(kind), technique_of(kind), "all");
  made.frontier_vertices = frontier;
  made.frontier_edges = made.edges_checked = std::nullopt;
  made.found_vertices = found;
  made.unvisited_vertices = vertices_ - std::min(vertices_, visited);
  return made;
}

void MemberLevels::add_traffic(MemberLog& log, MemberLevel& level) const {
  if (level.level >= kLogged) return;
  const auto traffic = cuda::read_back(traffic_.data() + level.level, stream_);
  level.bytes_sent = traffic.words * sizeof(std::uint32_t);
  if (member_.index() != 0) return;
  log.add(
      MemberMeasure("all", "meetings", static_cast<double>(traffic.meetings), "1", level.level));
}

// Only members that have leaves of the last level log it.
void MemberLevels::report(MemberLog& log) const {
  cuda::LevelLogHead head;
  const cuda::LevelLogView view = log_.view();
  cuda::download(&head, view.head, sizeof(head), stream_);
  const auto all_levels = static_cast<std::size_t>(member_.all->maximum(head.levels));
  std::vector<cuda::LevelRecord> records(std::min<std::size_t>(head.levels, kLogged));
  cuda::download(records.data(), view.records, records.size() * sizeof(cuda::LevelRecord), stream_);
  // The finds of a level are in the record of the next one; leaves are counted apart.
  const auto found_in = [&](std::size_t level) -> std::uint64_t {
    if (level >= records.size()) return 0;
    return records[level].slot.vertices + records[level].slot.unvisited;
  };
  const std::size_t reported = all_levels > kLogged ? kLogged - 1 : all_levels;
  std::uint64_t visited = 0;
  unsigned long long began = head.start_ns;
  for (std::size_t l = 0; l < reported; ++l) {
    const cuda::LevelRecord record = record_of(records, l, began);
    visited += found_in(l);
    MemberLevel level =
        row(static_cast<level_t>(l), record.kind, found_in(l), found_in(l + 1), visited);
    level.time_ms = static_cast<double>(record.end_ns - began) / 1e6;
    level.clock = Clock::device_timer;
    began = record.end_ns;
    add_traffic(log, level);
    log.add(level);
  }
}

void MemberLevels::drive(MemberLog& log, const cuda::FusedRules& rules, const OwnMemory& memory,
                         const std::function<void(FusedStart, level_t)>& launch) const {
  const auto progress = [&] { return cuda::read_back(memory.state.data(), stream_).course.at; };
  const auto slot_of = [&](level_t level) {
    return cuda::read_back(memory.totals.data() + level % cuda::kSlots, stream_);
  };
  launch(FusedStart::fresh, 0);
  cuda::Progress at = progress();
  const bool is_isolated = at.frontier == 0;
  std::uint64_t frontier = slot_of(0).vertices;
  if (is_isolated) frontier = member_.index() == 0 ? 1 : 0;
  std::uint64_t visited = frontier;
  do {
    const unsigned kind = rules.kind(at);
    log.begin_level(at.level, direction_of(kind), technique_of(kind),
                    is_isolated ? 1 : at.frontier);
    launch(FusedStart::resumes, 1);
    const LevelSlot next = is_isolated ? LevelSlot{} : slot_of(at.level + 1);
    MemberLevel level = row(at.level, kind, frontier, next.vertices, visited);
    level.frontier_edges = is_isolated ? 0 : slot_of(at.level).edges;
    level.edges_checked = kind == cuda::kFusedUp ? next.checked : level.frontier_edges;
    add_traffic(log, level);
    log.add(level);
    log.end_level();
    frontier = next.vertices;
    visited += frontier;
    at = progress();
  } while (at.frontier > 0);
}

}  // namespace bfslab::distributed::fused
