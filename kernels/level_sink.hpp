// SPDX-License-Identifier: Apache-2.0
// LevelSink: how an engine reports its levels to the harness.
//
// Without a sink an engine runs at full speed. A sink requests counts, times or a live report; rows
// of a sink that counts or times are instrumented and never enter a timing figure. An engine must
// report the following:
//
//   live()    A profiler is attached. NVTX ranges cannot be made afterwards, and they nest: every
//             level is a `begin` and an `end` on the calling thread, while it runs. An engine whose
//             levels never return to the host runs its host-launched twin instead.
//   not live  The engine runs as it is launched, and never its twin. It may still report its
//             levels live, or afterwards: by `report`, before `traverse` returns, levels
//             ascending, with one call per level, or, if several GPUs or ranks took part, one per
//             level, rank, GPU and part.
//   counts()  The engine counts the facts of each level, as far as it can in the way that it runs:
//             a fact that is not counted stays empty, and never reads 0.
//   times()   The engine reports each level's time by the clock nearest to where the level ran. A
//             level reported live without a time is timed by the host, from `begin` to `end`.
//
// A level that an engine of several GPUs or ranks reports live is one range: between its `begin`
// and its `end` the engine reports each part, and these stand for the level. Each rank has a sink
// with the same requests, and the sink of rank 0 receives the reports of all ranks.
//
// Searches in a row or together (Engine::search_many) have no sink: levels are those of a single
// search from the source.
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

// The clock that measured a level's time: the host's steady clock, events recorded in a stream on
// both sides of the level, or the device's own timer, read by the kernel that ran the level.
enum class Clock { host, device_events, device_timer };

inline const char* to_text(Clock clock) {
  constexpr const char* kNames[] = {"host", "device_events", "device_timer"};
  return kNames[static_cast<int>(clock)];
}

// Facts known before the level runs. Level 0 expands the source.
struct LevelStart {
  level_t level = 0;
  Direction direction = Direction::top_down;
  const char* technique = "";  // a string literal: "scan_free", "local_queues", ...
  std::uint64_t frontier_vertices = 0;
};

// Facts known after the level. Each of several parts has its own share, and the shares add up.
struct LevelFacts {
  std::optional<std::uint64_t> frontier_edges = {};  // sum of the frontier's out-degrees
  std::optional<std::uint64_t> edges_checked = {};   // adjacency entries really read
  std::optional<std::uint64_t> found_vertices = {};  // the next level's size, early finds included
  // The part of found_vertices that the level before had already found. Only asynchronous bottom-up
  // has any; it leaves the field empty if it does not count them.
  std::optional<std::uint64_t> found_early_vertices = 0;
  std::optional<std::uint64_t> unvisited_vertices = {};  // before the level ran, found early or not
  std::uint64_t bytes_sent = 0;                          // to other GPUs and ranks
  std::optional<double> time_ms = {};
  Clock clock = Clock::host;  // of time_ms
};

// A level, or the share of it of one GPU of one rank.
struct LevelReport {
  LevelStart start;
  LevelFacts facts = {};
  unsigned rank = 0;
  unsigned gpu = 0;  // number within the rank, from 0
  std::string part =
      "all";  // part of the graph: a subgraph's name, as "nn", if an engine has several
};

// One counted value that is not a fact of a level: a row of measures.csv.
struct Measure {
  std::string part;    // the counted object: "threshold=64", "degree=12", "queue"
  std::string metric;  // the counted quantity: "delegates", "edges_checked"
  double value = 0;
  std::string unit = "1";  // "1" for plain counts, "B", "ms", ...
  std::optional<level_t> level = {};
  unsigned rank = 0;
};

class MeasureSink {
 public:
  virtual ~MeasureSink() = default;
  virtual void measure(const Measure& measure) = 0;
};

class LevelSink : public MeasureSink {
 public:
  // Only a counting sink gets measures, at any time of a traversal.
  void measure(const Measure& /*measure*/) override {}
  [[nodiscard]] virtual bool live() const { return true; }
  [[nodiscard]] virtual bool counts() const = 0;
  [[nodiscard]] virtual bool times() const { return counts(); }
  virtual void begin(const LevelStart& start) = 0;
  virtual void end(const LevelFacts& facts) = 0;
  // A sink without parts takes it as a level like any other.
  virtual void report(const LevelReport& level) {
    begin(level.start);
    end(level.facts);
  }
};

}  // namespace bfslab
