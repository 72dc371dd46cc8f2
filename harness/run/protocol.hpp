// What the driver and a worker say to each other: one JSON object per line, over a pair of pipes.
//
//   driver  open{spec, graph, configurations}        trial{configuration, source or null, ...}
//   worker  notice{text}*  graph{facts, sources}     result{status, times, counts, levels}
//           or failed{status, reason}                fault{reason}: the worker's own fault
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "datasets/graph/edge_list.hpp"
#include "harness/record/rows.hpp"

namespace bfslab {

struct OpenRequest {
  std::string spec;       // canonical text: parsing it gives the driver's Spec again
  std::string spec_file;  // only named in messages
  std::string spec_hash;
  std::size_t graph = 0;                    // index into the spec's graphs
  std::string graph_text;                   // what is loaded for it: itself, or its stand-in
  std::vector<std::size_t> configurations;  // those that this worker may be asked to run
  std::vector<std::string> data_folders;
  std::string cache_folder;
};

struct TrialRequest {
  std::size_t configuration = 0;
  std::optional<vertex_t> source;  // none: the configuration is a counter's
  bool instrumented = false;       // with a counting level sink
  bool check = false;
};

using Request = std::variant<OpenRequest, TrialRequest>;

struct Notice {
  std::string text;
};

struct GraphFactsReply {
  std::string hash;
  OptionalCount vertices;
  OptionalCount edges;
  OptionalCount input_edges;
  OptionalCount bytes;
  OptionalCount max_degree;
  OptionalCount isolated_vertices;
  bool symmetric = true;
  std::optional<double> load_ms;  // empty where the graph was not built
  OptionalCount eligible_sources;
  std::vector<vertex_t> sources;
  Provenance provenance;
  bool profiled = false;  // a profiler is attached: times include its cost
};

struct TrialReply {
  Status status = Status::ok;
  std::string reason;
  bool checked = false;
  std::optional<double> time_ms;
  std::optional<double> gpu_ms;
  std::optional<double> setup_ms;
  OptionalCount levels;
  OptionalCount reached_vertices;
  OptionalCount component_edges;
  OptionalCount component_input_edges;
  OptionalCount edges_checked;
  OptionalCount graph_bytes;
  OptionalCount queue_bytes;
  OptionalCount peak_bytes;
  std::optional<double> foreign_load_pct;
  std::optional<double> sm_clock_mhz;
  std::vector<LevelRow> level_rows;
  std::vector<MeasureRow> measures;
};

// Something failed before the graph was loaded, and the worker survived to report it.
struct FailedReply {
  Status status = Status::skipped;  // skipped: the graph's own input is bad
  std::string reason;
};

// The worker itself is at fault.
struct FaultReply {
  std::string reason;
};

using Reply = std::variant<Notice, GraphFactsReply, TrialReply, FailedReply, FaultReply>;

// One line without its '\n'.
std::string encode(const Request& request);
std::string encode(const Reply& reply);
// Throw std::runtime_error for anything that is not such a line.
Request decode_request(const std::string& line);
Reply decode_reply(const std::string& line);

}  // namespace bfslab
