// SPDX-License-Identifier: Apache-2.0
// The rows that an experiment produces. Tidy CSV: units in the column names, counts stored and
// rates derived in the plots. A value that was not measured is an empty field, never a zero.
// Their columns are declared in tables.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/graph/types.hpp"

namespace bfslab {

// interrupted: ended from outside, and tried again.
enum class Status { ok, oom, timeout, crash, wrong, unsupported, skipped, interrupted };
inline constexpr std::size_t kStatuses = 8;
const char* to_text(Status status);
// Throws std::invalid_argument for any other word.
Status status_from(const std::string& text);

using OptionalCount = std::optional<std::uint64_t>;

// What a worker tells of one trial.
struct TrialFacts {
  Status status = Status::ok;
  std::string reason;
  bool validated = false;
  std::optional<double> time_ms;
  std::optional<double> gpu_ms;
  std::optional<double> setup_ms;
  OptionalCount levels;
  OptionalCount reached_vertices;
  OptionalCount level_sum;
  OptionalCount component_edges;
  OptionalCount component_input_edges;
  OptionalCount edges_checked;
  OptionalCount graph_bytes;
  OptionalCount queue_bytes;
  OptionalCount peak_bytes;
  std::optional<double> foreign_load_pct;
  std::optional<double> steal_pct;
  std::optional<double> cpu_mhz;
  std::string gpu;
  std::optional<double> sm_clock_mhz;
  OptionalCount threads;
  OptionalCount searches_per_trial;
  std::string profiler;
};

// runs.csv. What its members mean, and those of the rows below, stands in tables.cpp.
struct RunRow : TrialFacts {
  std::uint64_t trial = 0;
  std::string experiment;
  std::string case_name;
  std::string graph;
  std::string graph_hash;
  std::string stand_in_for;
  std::string engine;
  std::string toggles;
  std::string answer;
  std::optional<vertex_t> source;
  unsigned repeat = 0;
  unsigned attempt = 0;
  std::size_t position_in_round = 0;
  unsigned ranks = 1;
  unsigned gpus_per_rank = 0;
  OptionalCount graph_input_edges;
  bool polluted = false;
  bool instrumented = false;
  std::string build_hash;
  std::string commit;
  std::string environment;
  std::string utc;
};

// A row without a source that is no counter's: the graph could not be loaded, and a later run tries
// again.
inline bool tells_of_graph(const RunRow& row) { return !row.source && !row.instrumented; }

// levels.csv
struct LevelRow {
  std::uint64_t trial = 0;
  unsigned rank = 0;
  unsigned gpu = 0;
  std::string part = "all";
  level_t level = 0;
  std::string direction;
  std::string technique;
  std::uint64_t frontier_vertices = 0;
  OptionalCount frontier_edges;
  OptionalCount edges_checked;
  OptionalCount found_vertices;
  OptionalCount found_early_vertices;
  OptionalCount unvisited_vertices;
  std::uint64_t bytes_sent = 0;
  std::optional<double> time_ms;
  std::string clock = "host";
};

// measures.csv
struct MeasureRow {
  std::uint64_t trial = 0;
  std::optional<level_t> level;
  unsigned rank = 0;
  std::string part;
  std::string metric;
  double value = 0;
  std::string unit;
};

// What a worker tells of the graph that it has loaded. A graph that was never built, since all that
// was asked for counts from its recipe, has the sizes that its name tells (edges: an upper bound),
// a hash of name and generator or file instead of contents, and says so in its provenance.
struct GraphFactsRow {
  std::string graph_hash;
  OptionalCount vertices;
  OptionalCount edges;
  OptionalCount input_edges;
  bool symmetric = true;
  OptionalCount max_degree;
  OptionalCount isolated_vertices;
  OptionalCount graph_bytes;
  std::optional<double> load_ms;
  OptionalCount eligible_sources;
  std::vector<vertex_t> sources;  // in the order in which they run
  std::string provenance;         // "key=value;..."
  std::string made_from;          // as graph_stamp (datasets/load_graph.hpp) tells
};

// graphs.csv
struct GraphRow : GraphFactsRow {
  std::string graph;
  std::string name;
  std::string stand_in_for;
  std::string source_rule;
};

// Says why no search can have taken the row's time: it is not finite, not above a nanosecond, or
// less than the time that one byte of each reached vertex takes at 20 TB/s. Empty if it is possible
// or if the row is no search that succeeded.
std::string impossible_time(const RunRow& row);

// "2026-03-01T12:00:00.123Z"
std::string utc_now();

}  // namespace bfslab
