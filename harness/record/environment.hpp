// SPDX-License-Identifier: Apache-2.0
// environment.json: the machine, the program and the command that produced a folder of rows.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

// The format of a folder of results, `format` in environment.json. Version 0.2.0 wrote no number,
// which means 1: its rows have no column `commit`, and are all of one build. Rows of format 2 have
// no seals, and former names of columns (old_name in column.hpp).
inline constexpr unsigned kResultsFormat = 3;

// Throws InputError where the environment.json of `folder` says a newer format than this one.
void require_known_format(const std::string& environment, const std::string& folder);

struct RunIdentity {
  std::string spec_file;
  std::string spec_hash;
  std::string build_hash;
  std::vector<std::string> arguments;  // the command line as it was given
  std::string launcher = {};  // template of the launcher of several ranks; empty if none is needed
};

// The words with which this program was started.
std::vector<std::string> command_line();

// Returns pretty-printed JSON. Facts that a machine does not report are null, never guessed.
std::string describe_environment(const RunIdentity& identity);

// The spec that a folder had before a run continued it.
struct Growth {
  std::string spec_hash;
  unsigned repeats = 0;       // maximum that this spec asks for
  bool more_repeats = false;  // the run's own spec asks for more
};

// Returns `environment` in the present format with one more entry in its "resumed" list. The entry
// has the time, command, build, spec, host and environment of `current`. If `growth` is not null,
// it also has the former hash of the spec (`previous_spec_hash`) and, if there are more repeats
// now, their former number (`repeats_before`).
std::string add_resumption(const std::string& environment, const std::string& current,
                           const RunIdentity& identity, const Growth* growth);

// Returns `environment` with the build of `current` added to its list "builds", unless it is there.
std::string add_build(const std::string& environment, const std::string& current);

// Returns the commit of each build in environment.json, by the build's hash, as commit_mark()
// writes it; empty if the file names none.
std::map<std::string, std::string> commits_of_builds(const std::string& environment);

// Returns the tables, as "levels", that `bfslab pack --leave-out` removed from the folder.
std::vector<std::string> tables_left_out(const std::string& environment);

// Returns `environment` with `tables` added to what tables_left_out() returns.
std::string leave_out(const std::string& environment, std::span<const std::string> tables);

// Throws InputError for the first row of a build or of an environment that environment.json does
// not list: it comes from another folder. The message names `path`, the table's file. If
// environment.json lists none, every row passes.
void require_own_rows(const std::string& environment, std::span<const RunRow> rows,
                      const std::string& path);

// Returns whether `spec_json` is the spec that the last run recorded, or the one before it, if a
// kill came between the two files.
bool is_recorded_spec(const std::string& environment, const std::string& spec_json);

// Returns the repeats with which a later process began because the spec had grown, in ascending
// order. With {2, 4}, repeats 0 and 1 are of one process, 2 and 3 of another, and so on.
std::vector<unsigned> repeats_before(const std::string& environment);

// Returns eight hexadecimal digits, a hash of what decides speed: the processors that may be used,
// their model, governor and highest clock, the GPUs by their UUIDs with the limits of their clocks,
// limits of the container, OpenMP's settings, the compiler.
std::string environment_id(const std::string& environment);

// Returns an empty string if rows of two descriptions may share a folder, else the difference.
// These must agree: processor, how many of them may be used, their governor and highest clock,
// memory to within 1 %, the first GPU and the limits of its clocks, limits of the container,
// OpenMP's settings. (Not the host name: containers change theirs at every start; nor which
// processors and GPUs of one kind they are, which environment_id distinguishes.)
std::string machine_difference(const std::string& recorded, const std::string& current);

std::string host_name();

}  // namespace bfslab
