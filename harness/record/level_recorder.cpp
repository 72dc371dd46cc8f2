// SPDX-License-Identifier: Apache-2.0
#include "harness/record/level_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "kernels/nvtx.hpp"

namespace bfslab {

LevelRecorder::~LevelRecorder() {
  if (open_) pop_level();
}

void LevelRecorder::pop_level() {
  for (int range = 0; range < 3; ++range) nvtx::pop();
}

void LevelRecorder::begin(const LevelStart& start) {
  if (open_) {
    throw std::logic_error(
        fmt::format("level {} begins before level {} has ended", start.level, start_.level));
  }
  start_ = start;
  in_parts_ = false;
  if (nvtx::attached()) {
    std::array<char, 128> name{};
    std::snprintf(name.data(), name.size(), "level %u %s %s", start.level, to_text(start.direction),
                  start.technique);
    nvtx::push(name.data(), start.frontier_vertices);
    std::snprintf(name.data(), name.size(), "level=%u", start.level);
    nvtx::push(name.data());
    std::snprintf(name.data(), name.size(), "technique=%s", start.technique);
    nvtx::push(name.data());
  }
  open_ = true;
  begun_ = std::chrono::steady_clock::now();
}

void LevelRecorder::end(const LevelFacts& facts) {
  const auto ended = std::chrono::steady_clock::now();
  if (!open_) throw std::logic_error("a level ends that has not begun");
  open_ = false;
  pop_level();
  if (in_parts_) return;
  LevelReport level{start_, facts};
  if (!level.facts.time_ms) {
    level.facts.time_ms = std::chrono::duration<double, std::milli>(ended - begun_).count();
    level.facts.clock = Clock::host;
  }
  keep(level);
}

void LevelRecorder::report(const LevelReport& level) {
  if (open_) {
    in_parts_ = true;
  } else if (wants_.live) {
    throw std::logic_error(fmt::format(
        "level {} is reported afterwards, and a profiler is attached that needs its range",
        level.start.level));
  }
  keep(level);
}

void LevelRecorder::keep(const LevelReport& level) {
  if (!wants_.counts && !wants_.times) return;
  const LevelFacts& facts = level.facts;
  LevelRow row;
  row.rank = level.rank;
  row.gpu = level.gpu;
  row.part = level.part;
  row.level = level.start.level;
  row.direction = to_text(level.start.direction);
  row.technique = level.start.technique;
  row.frontier_vertices = level.start.frontier_vertices;
  row.frontier_edges = facts.frontier_edges;
  row.edges_checked = facts.edges_checked;
  row.found_vertices = facts.found_vertices;
  if (facts.found_vertices) row.found_early_vertices = facts.found_early_vertices;
  row.unvisited_vertices = facts.unvisited_vertices;
  row.bytes_sent = facts.bytes_sent;
  row.time_ms = facts.time_ms;
  row.clock = facts.time_ms ? to_text(facts.clock) : "";
  const auto name = [&] {
    return fmt::format("level {} of rank {}, GPU {}, part {}", row.level, row.rank, row.gpu,
                       row.part);
  };
  if (row.time_ms && !(std::isfinite(*row.time_ms) && *row.time_ms >= 0)) {
    throw std::invalid_argument(fmt::format("{} took {} ms", name(), *row.time_ms));
  }
  // Levels ascend, so that those of the same number stand last.
  for (auto other = rows_.rbegin(); other != rows_.rend() && other->level >= row.level; ++other) {
    if (other->level > row.level) {
      throw std::logic_error(fmt::format("{} is reported after level {}", name(), other->level));
    }
    if (other->rank == row.rank && other->gpu == row.gpu && other->part == row.part) {
      throw std::logic_error(name() + " is reported twice");
    }
  }
  rows_.push_back(std::move(row));
}

void LevelRecorder::measure(const Measure& measure) {
  if (wants_.counts) measures_.measure(measure);
}

OptionalCount LevelRecorder::edges_checked() const {
  std::uint64_t sum = 0;
  for (const LevelRow& row : rows_) {
    if (!row.edges_checked) return std::nullopt;
    sum += *row.edges_checked;
  }
  return sum;
}

}  // namespace bfslab
