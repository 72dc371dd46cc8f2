// SPDX-License-Identifier: Apache-2.0
// Spec: an experiment as the driver understands it, after validation and expansion.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "datasets/name/graph_name.hpp"
#include "datasets/text/spelling.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

struct GraphEntry {
  std::string text;  // as the spec has it, or a group's member, or the stand-in that is used
  GraphName name;
  std::string stand_in_for;       // the data set it replaces, or empty
  std::uint32_t max_sources = 0;  // use this number of the first sources; 0: all
};

struct SourceRule {
  enum class Rule { any, degree, largest_component, two_levels, listed, ids };
  Rule rule = Rule::largest_component;
  std::uint32_t count = 16;
  std::uint64_t seed = 1;
  std::vector<vertex_t> listed;    // `count` vertices, if the spec lists its sources
  std::vector<std::uint64_t> ids;  // `count` ids in the graph's file, if it lists these
};

struct RepeatRule {
  unsigned warmup = 1;       // traversals before the first row, not recorded
  unsigned burst = 1;        // traversals in a row, whose mean a timed trial reports
  unsigned minimum = 1;      // repeats of every (configuration, source)
  unsigned maximum = 1;      // == minimum: no stopping rule
  unsigned invocations = 1;  // worker processes that share the repeats; divides them

  // Returns whether this repeat, from 0, is the first one of a new worker process.
  [[nodiscard]] bool starts_invocation(unsigned repeat) const {
    return repeat > 0 && repeat % (maximum / invocations) == 0;
  }
  double relative_error_pct = 0;  // stop when the median's relative error is under this
  double budget_s = 0;            // or when a configuration has spent this; 0: no budget
};

enum class CheckMode { none, first, all };

struct Limits {
  double trial_s = 0;            // 0: no limit
  std::uint64_t memory_mib = 0;  // resident memory of a worker; 0: no limit
};

struct PollutionRule {
  static constexpr double kNoCalibration = 1000;
  double limit_pct = 10;  // foreign load above this marks a trial as polluted
  unsigned attempts = 3;  // per trial, including the first
  double drift_pct = 25;  // a calibration that drifts more marks a worker's trials as polluted
};

inline constexpr unsigned kMaxGpusPerRank = 64;

// A column of a figure: an engine or a counter with every setting decided.
struct Configuration {
  std::string case_name;
  const EngineInfo* engine = nullptr;
  Toggles toggles;
  unsigned ranks = 1;
  unsigned gpus_per_rank = 1;

  // Returns the text of the toggles; for a distributed engine also "ranks=2" and "gpus_per_rank=1",
  // in order.
  [[nodiscard]] std::string text() const;
  // Returns whether its engine needs the graph's edges. A counter may need only the recipe.
  [[nodiscard]] bool needs_graph() const { return !(engine->counts() && engine->can.recipe); }
};

// A combination that a sweep with "illegal": "skip" leaves out.
struct LeftOut {
  Configuration configuration;
  std::string reason;  // the first rule's: "collect = scan_free with queue = none: ..."
};

struct Spec {
  std::string file;
  std::string name;
  std::string paper;
  std::string item;  // "Table 3"
  std::string title;
  std::vector<GraphEntry> graphs;
  SourceRule sources;
  RepeatRule repeats;
  bool cold_caches = false;  // caches are overwritten before each trial
  Answer answer = Answer::levels;
  // The external programs of the spec, as engines; its configurations point to them.
  std::vector<std::shared_ptr<const EngineInfo>> external;
  std::vector<Configuration> configurations;  // cases x sweep x zip, in order
  std::vector<LeftOut> left_out;
  std::string baseline;  // a case's name, or empty
  bool record_time = true;
  bool record_levels = false;  // one more, instrumented, trial per (configuration, source)
  bool record_energy = false;  // one more trial likewise, for its energy
  CheckMode check = CheckMode::first;
  std::vector<std::string> figures;  // plot modules
  bool allow_stand_ins = false;
  bool isolate = false;
  bool interleave = true;
  Limits limits;
  PollutionRule pollution;
  std::string canonical;  // normalised JSON text with --set applied: written beside the rows
  std::string hash;       // 16 hex digits, of the part that decides a measurement

  // Returns the number of sources on this graph, which may use only the first ones of `sources`.
  [[nodiscard]] std::uint32_t source_count(const GraphEntry& graph) const;
  // Returns the rule that chooses them.
  [[nodiscard]] SourceRule sources_of(const GraphEntry& graph) const;
  // Returns whether any engine traverses: counters ignore sources, repeats, answer and record.
  [[nodiscard]] bool traverses() const;
  // Returns whether one process loads this graph whole. It does not if every configuration works
  // from the recipe, and, if any traverses, the generator makes the graph in parts and sources can
  // be chosen from them: then it may be larger than memory. All configurations decide this
  // together, so that the rows of a graph have one hash, whichever of them run.
  [[nodiscard]] bool needs_csr(const GraphEntry& graph) const;
  // Returns whether needs_csr() holds for any graph.
  [[nodiscard]] bool needs_graphs() const;
};

// Reads the file and what it extends, applies `overrides` ("repeats=3", "base.threads=2": path=JSON
// or bare word), validates and expands. Throws one InputError with every error of the file, one
// per line:
//   FILE:LINE:COLUMN: at `cases.Ad.engine`: found "xbsf", expected an engine; did you mean "xbfs"?
Spec load_spec(const std::string& path, const std::vector<std::string>& overrides = {});

// Does the same with a text; `file` is used in messages only.
Spec parse_spec(const std::string& text, const std::string& file,
                const std::vector<std::string>& overrides = {});

// Lists the combinations that were left out: a heading, then each reason with the number of its
// combinations. Empty if there are none.
std::vector<std::string> left_out_lines(const Spec& spec);

// Returns the JSON Schema (draft 2020-12) of the spec format, from the toggle tables of all engines
// linked in and the tables of graph kinds. Deterministic text, stored in
// experiments/spec.schema.json.
std::string spec_schema();

}  // namespace bfslab
