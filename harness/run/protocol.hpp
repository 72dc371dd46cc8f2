// SPDX-License-Identifier: Apache-2.0
// The protocol between the driver and a worker: one JSON object per line, over a pair of pipes.
//
//   driver  open{work, folders}                      trial{configuration, source or null, ...}
//   worker  notice{text}*  graph{row, calibration}   result{row, level rows, measures}
//           or failed{status, reason}                fault{reason}: the worker's own fault
//   driver  close{}
//   worker  closed{fault, calibration}
//
// A worker of several ranks shares no page of memory with the driver (step_clock.hpp): rank 0 sends
// step{step} as it enters a step, and waits for acknowledged{} before it traverses, so that no
// message is in flight while the traversal is timed.
//
// Rows travel as the fields of the columns that a worker reports (record/tables.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "datasets/graph/types.hpp"
#include "harness/observe/calibration.hpp"
#include "harness/record/rows.hpp"
#include "harness/run/step_clock.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab {

struct OpenRequest {
  std::string work;          // work_text(): a graph, and the configurations that may run on it
  std::string spec_file;     // absolute
  bool traverses = false;    // Spec::traverses() of all configurations of the spec
  bool whole = false;        // Spec::needs_csr() of them
  bool graph_alone = false;  // no engine will run
  std::vector<std::string> data_folders;
  std::string cache_folder;
  // The sources that an earlier worker drew from the graph with the hash `drawn_from`. A worker
  // that would have to make all tuples to draw them takes these.
  std::string drawn_from;
  std::vector<vertex_t> drawn;
};

struct TrialRequest {
  std::size_t configuration = 0;   // index into the configurations of the work
  std::optional<vertex_t> source;  // none: the configuration is a counter's
  bool instrumented = false;       // with a counting level sink
  bool check = false;
  bool reference = false;  // wants the counts of the sequential reference; no engine runs
  bool energy = false;     // searches in a row, for their energy; instrumented, too
  level_t depth_limit = kNoDepthLimit;  // of the reference's search
};

struct Acknowledged {};

// Ends the trials, and asks whether the graph is unchanged.
struct CloseRequest {};

using Request = std::variant<OpenRequest, TrialRequest, Acknowledged, CloseRequest>;

struct Notice {
  std::string text;
};

struct GraphFactsReply : GraphFactsRow {
  bool profiled = false;  // a profiler listens to NVTX: times include its cost
  std::optional<Calibration> calibration = {};  // before its trials
};

struct TrialReply : TrialFacts {
  std::string disturbance;  // describes foreign_load_pct
  std::vector<LevelRow> level_rows;
  std::vector<MeasureRow> measures;
};

// The graph could not be loaded, and the worker survived to report it.
struct FailedReply {
  Status status = Status::skipped;  // skipped: the graph's own input is bad
  std::string reason;
};

// The worker itself is at fault.
struct FaultReply {
  std::string reason;
};

struct ClosedReply {
  std::string fault;  // empty: the graph has the checksum with which it was loaded
  std::optional<Calibration> calibration = {};  // after its trials
};

struct StepReply {
  Step step = Step::idle;
};

using Reply = std::variant<Notice, GraphFactsReply, TrialReply, FailedReply, FaultReply, StepReply,
                           ClosedReply>;

// The message that a rank that fails writes to its standard error, on a separate line, before all
// ranks end. The launcher forwards it to the worker's log, with a tag before it or not.
struct RankFault {
  unsigned rank = 0;
  Status status = Status::crash;
  std::string reason;
};

// Returns one line without its '\n'.
std::string encode(const Request& request);
std::string encode(const Reply& reply);
// Throw std::runtime_error for anything that is not such a line.
Request decode_request(const std::string& line);
Reply decode_reply(const std::string& line);

std::string encode(const RankFault& fault);
// Returns the first such message in a log; empty if it has none.
std::optional<RankFault> find_rank_fault(const std::string& log);

// Returns the line that a rank writes to its standard error when a signal of another process ends
// it. When one rank dies, the launcher ends the others by signals, too, and reports the first one.
std::string rank_signal_line(unsigned rank, int signal);
// Returns the signals of these lines in a log, in their order.
std::vector<int> find_rank_signals(const std::string& log);

}  // namespace bfslab
