// LevelSink: how an engine tells the harness about its levels, when the harness asks.
//
// Without a sink an engine runs at full speed. A sink may only trace (NVTX ranges: `begin` and
// `end` are called, nothing is counted) or also count, which costs time: rows made with a counting
// sink are instrumented and never enter a timing figure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/graph/types.hpp"

namespace bfslab {

enum class Direction { top_down, bottom_up };

inline const char* to_text(Direction direction) {
  return direction == Direction::top_down ? "top_down" : "bottom_up";
}

// Known before the level runs. Level 0 expands the source.
struct LevelStart {
  level_t level = 0;
  Direction direction = Direction::top_down;
  const char* technique = "";  // a string literal: "scan_free", "local_queues", ...
  std::uint64_t frontier_vertices = 0;
};

// Known after it. Zero where the sink does not count.
struct LevelFacts {
  std::uint64_t frontier_edges = 0;        // sum of the frontier's out-degrees
  std::uint64_t edges_checked = 0;         // adjacency entries actually read
  std::uint64_t found_vertices = 0;        // the size of the next level, early finds included
  std::uint64_t found_early_vertices = 0;  // of found_vertices, those that the previous level
                                           // had already found: asynchronous bottom-up only
  std::uint64_t unvisited_vertices = 0;    // before the level ran, found early or not
};

// One counted value that is not a fact of a level: a row of measures.csv.
struct Measure {
  std::string part;    // what it was counted of: "threshold=64", "degree=12", "queue"
  std::string metric;  // what was counted: "delegates", "edges_checked"
  double value = 0;
  std::string unit = "1";  // "1" for plain counts, "B", "ms", ...
  std::optional<level_t> level = {};
};

class MeasureSink {
 public:
  virtual ~MeasureSink() = default;
  virtual void measure(const Measure& measure) = 0;
};

class LevelSink : public MeasureSink {
 public:
  // Only a counting sink gets measures, and may get them at any time of a traversal.
  void measure(const Measure& /*measure*/) override {}
  [[nodiscard]] virtual bool counts() const = 0;
  virtual void begin(const LevelStart& start) = 0;
  virtual void end(const LevelFacts& facts) = 0;
};

}  // namespace bfslab
