// SPDX-License-Identifier: Apache-2.0
// Runs specs and prints their results: what `run`, `bench` and `ablate` have in common.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/analyse/results.hpp"
#include "harness/cli/fetch_missing.hpp"
#include "harness/spec/spec.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace bfslab {

enum class TableFormat { text, markdown, csv, json };

struct RunArguments {
  std::string results;
  std::vector<std::string> only;
  std::string shard = "1/1";
  bool fresh = false;
  bool wait_for_idle = false;
  double sync_interval_s = 0;
  std::string retry;
  bool dry_run = false;
  bool quiet = false;
  bool allow_stand_ins = false;
  std::vector<std::string> data;
  std::string cache;
  std::string launcher;
  FetchArguments fetch;
  bool json = false;
  bool markdown = false;
  bool csv = false;
  // Prints the table, and not the folder, on standard output.
  bool table_first = false;

  [[nodiscard]] TableFormat format() const;
};

// Makes the table of an experiment's results.
struct ResultTable {
  using Poll = std::function<void()>;  // called between rows; may throw to end the work
  // Returns the table in any format but JSON. `first`: no other experiment's table precedes it, so
  // that CSV gets its header.
  std::function<std::string(const Spec&, const Experiment&, TableFormat, bool first, const Poll&)>
      text;
  std::function<nlohmann::ordered_json(const Spec&, const Experiment&, const Poll&)> json;
};

// Adds --results, --fresh, --quiet, --dry-run, --json, --markdown, --csv, --data, --cache,
// --allow-stand-ins and the options of downloads. `arguments` must live until the command has been
// parsed. Returns the option --fresh.
CLI::Option* add_run_options(CLI::App& command, RunArguments& arguments);

// Runs the specs, which were loaded with `arguments`, and prints the table of each. Returns the
// exit code. Throws InputError for bad options and for graphs whose files are missing.
int run_specs(const RunArguments& arguments, std::vector<Spec> specs, const ResultTable& table);

}  // namespace bfslab
