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
  std::string text;  // as the spec wrote it, or a group's member, or the stand-in that is used
  GraphName name;
  std::string stand_in_for;        // the data set it replaces, or empty
  std::uint32_t most_sources = 0;  // of the spec's sources the first so many; 0: all
};

struct SourceRule {
  enum class Rule { any, degree, largest_component, two_levels, listed };
  Rule rule = Rule::largest_component;
  std::uint32_t count = 16;
  std::uint64_t seed = 1;
  std::vector<vertex_t> listed;  // `count` of them, where the spec lists its sources
};

struct RepeatRule {
  unsigned warmup = 1;       // traversals before the first row, not recorded
  unsigned burst = 1;        // traversals in a row that a timed trial is the mean of
  unsigned minimum = 1;      // repeats of every (configuration, source)
  unsigned maximum = 1;      // == minimum: no stopping rule
  unsigned invocations = 1;  // worker processes that share out the repeats; divides them

  // Whether this repeat, from 0, is the first one of a new worker process.
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
  unsigned attempts = 3;  // of one trial, the first included
  double drift_pct = 25;  // a calibration that drifts more marks a worker's trials as polluted
};

inline constexpr unsigned kMostGpusPerRank = 64;

// One column of a figure: an engine or a counter with every setting decided.
struct Configuration {
  std::string case_name;
  const EngineInfo* engine = nullptr;
  Toggles toggles;
  unsigned ranks = 1;
  unsigned gpus_per_rank = 1;

  // The toggles' text; of a distributed engine also "ranks=2" and "gpus_per_rank=1", in order.
  [[nodiscard]] std::string text() const;
};

// A combination that a sweep with "illegal": "skip" leaves out.
struct LeftOut {
  Configuration configuration;
  std::string reason;  // of the first rule: "collect = scan_free with queue = none: ..."
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
  Answer answer = Answer::levels;
  // Programs that it describes: engines of its own, which its configurations point to.
  std::vector<std::shared_ptr<const EngineInfo>> external;
  std::vector<Configuration> configurations;  // cases x sweep x zip, in order
  std::vector<LeftOut> left_out;
  std::string baseline;  // a case's name, or empty
  bool record_time = true;
  bool record_levels = false;  // one more, instrumented, trial per (configuration, source)
  CheckMode check = CheckMode::first;
  std::vector<std::string> figures;  // plot modules
  bool allow_stand_ins = false;
  bool isolate = false;
  bool interleave = true;
  Limits limits;
  PollutionRule pollution;
  std::string canonical;  // normalised JSON text with --set applied: written beside the rows
  std::string hash;       // 16 hex digits of the part of it that decides a measurement

  // How many sources are asked for on this graph: of those of `sources` it may have the first few.
  [[nodiscard]] std::uint32_t source_count(const GraphEntry& graph) const;
  // What chooses them.
  [[nodiscard]] SourceRule sources_of(const GraphEntry& graph) const;
  // Whether anything traverses: sources, repeats, answer and record matter to engines only.
  [[nodiscard]] bool traverses() const;
  // Whether this graph is loaded whole, by one process. It is not where every configuration works
  // from its recipe, and, if any traverses, its generator makes it in parts and sources can be
  // chosen from them: then it may be larger than memory. That all configurations decide it together
  // gives a graph's rows one hash, whichever of them run.
  [[nodiscard]] bool needs_csr(const GraphEntry& graph) const;
  // Whether that is so of any graph.
  [[nodiscard]] bool needs_graphs() const;
};

// Reads the file and what it extends, applies `overrides` ("repeats=3", "base.threads=2": path=JSON
// or bare word), validates and expands. Every error of the file is reported in one InputError, a
// line each:
//   FILE:LINE:COLUMN: at `cases.Ad.engine`: found "xbsf", expected an engine; did you mean "xbfs"?
Spec load_spec(const std::string& path, const std::vector<std::string>& overrides = {});

// The same from text; `file` is only named in messages.
Spec parse_spec(const std::string& text, const std::string& file,
                const std::vector<std::string>& overrides = {});

// What was left out, in lines: a heading, then each reason with how many combinations have it.
// Empty when nothing was.
std::vector<std::string> left_out_lines(const Spec& spec);

// The JSON Schema (draft 2020-12) of the spec format, from the toggle tables of all engines linked
// in and the tables of graph kinds. Deterministic text, stored in experiments/spec.schema.json.
std::string spec_schema();

}  // namespace bfslab
