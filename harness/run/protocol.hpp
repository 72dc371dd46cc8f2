// What the driver and a worker say to each other: one JSON object per line, over a pair of pipes.
//
//   driver  open{spec, graph, configurations}        trial{configuration, source or null, ...}
//   worker  notice{text}*  graph{row}                result{row, level rows, measures}
//           or failed{status, reason}                fault{reason}: the worker's own fault
//
// Rows travel as the fields of those of their columns that a worker tells (record/tables.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "datasets/graph/types.hpp"
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

struct GraphFactsReply : GraphFactsRow {
  bool profiled = false;  // a profiler listens to NVTX: times carry its cost
};

struct TrialReply : TrialFacts {
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
