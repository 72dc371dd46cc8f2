#include "harness/record/level_recorder.hpp"

#include <array>
#include <cstdio>

#include "kernels/nvtx.hpp"

namespace bfslab {

void LevelRecorder::begin(const LevelStart& start) {
  start_ = start;
  if (nvtx::attached()) {
    std::array<char, 128> name{};
    std::snprintf(name.data(), name.size(), "level %u %s %s", start.level, to_text(start.direction),
                  start.technique);
    nvtx::push(name.data(), start.frontier_vertices);
  }
  begun_ = std::chrono::steady_clock::now();
}

void LevelRecorder::end(const LevelFacts& facts) {
  const auto ended = std::chrono::steady_clock::now();
  nvtx::pop();
  if (mode_ != Mode::count) return;
  LevelRow row;
  row.level = start_.level;
  row.direction = to_text(start_.direction);
  row.technique = start_.technique;
  row.frontier_vertices = start_.frontier_vertices;
  row.frontier_edges = facts.frontier_edges.value_or(0);
  row.edges_checked = facts.edges_checked.value_or(0);
  row.found_vertices = facts.found_vertices.value_or(0);
  row.found_early_vertices = facts.found_early_vertices.value_or(0);
  row.unvisited_vertices = facts.unvisited_vertices.value_or(0);
  row.time_ms = std::chrono::duration<double, std::milli>(ended - begun_).count();
  rows_.push_back(std::move(row));
}

void LevelRecorder::measure(const Measure& measure) {
  if (mode_ == Mode::count) measures_.measure(measure);
}

std::uint64_t LevelRecorder::edges_checked() const {
  std::uint64_t sum = 0;
  for (const LevelRow& row : rows_) sum += row.edges_checked;
  return sum;
}

}  // namespace bfslab
