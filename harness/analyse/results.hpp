// SPDX-License-Identifier: Apache-2.0
// Recorded results as they lie in folders, and the cells of a table that are made of them: one for
// each configuration and graph of an experiment.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/analyse/small_sources.hpp"
#include "harness/analyse/statistics.hpp"
#include "harness/record/agreement.hpp"
#include "harness/record/rows.hpp"

namespace bfslab {

// All trials of one configuration on one graph, one attempt of each: the one that counts.
struct ResultCell {
  std::string experiment;
  RunRow key;          // only the columns that all rows of the cell share count
  std::string series;  // the case, and the toggles that change within it: "dfq_g, block=256"
  // Clean times in ms, by source and process. Processes of one build follow those of another:
  // process i is of the experiment's build i / processes_per_build.
  std::map<vertex_t, ProcessTimes> times;
  std::map<vertex_t, ProcessTimes> dirty_times;  // polluted ones
  std::map<vertex_t, std::uint64_t> edges;       // component_edges of each timed source
  std::map<vertex_t, double> energy_j;           // energy per search from each source
  std::set<std::string> energy_missing;          // why trials have none
  std::size_t processes_per_build = 1;
  std::set<std::size_t> builds;            // those of its times: indices into Experiment::builds
  std::map<Status, std::size_t> statuses;  // numbers of timed trials
  std::size_t timed = 0;                   // number of timed trials that are ok
  std::size_t polluted = 0;                // number of these that are polluted
  std::map<std::string, std::size_t> pollution;  // by its words

  // Times of the sources whose repeats are all clean; where `polluted`, times of all sources.
  // Processes are numbered as in `times`.
  [[nodiscard]] std::map<vertex_t, ProcessTimes> usable_by_build(bool polluted) const;
  // The same without the processes of builds that have none of these times.
  [[nodiscard]] std::map<vertex_t, ProcessTimes> usable(bool polluted) const;
};

// GPUs that trials ran on, by the beginnings of their UUIDs.
struct UsedGpus {
  std::set<std::string> names;
  std::size_t most = 0;  // maximum number that one trial used

  // Adds the GPUs of a trial, joined by `;` as its row has them, or those of other trials.
  void add(const std::string& joined);
  void add(const UsedGpus& others);
  // Returns true if no trial can have used all of them. Trials on one GPU and on four are
  // comparable, since the one can be among the four.
  [[nodiscard]] bool differ() const { return names.size() > most; }
};

// A build of the program that wrote rows.
struct Build {
  std::string hash;
  std::string commit;  // 7 digits; with "+" where tracked files were modified; or "unknown"

  // "0123456", or "build HASH" where no commit is known.
  [[nodiscard]] std::string name() const;
};

struct Experiment {
  std::string path;
  std::string name;                    // the folder's
  std::string machine;                 // the folder's that holds it
  std::string environment;             // environment.json; empty if it is missing
  bool sealed = false;                 // all of its tables; older versions wrote none with seals
  std::vector<Build> builds;           // those of its rows, in the order of their first rows
  std::string commit;                  // the first build's
  std::vector<ResultCell> cells;       // as their rows come first; without `small_sources`
  SmallSources small_sources;          // none where the spec lists its sources
  std::set<std::string> environments;  // those of its rows
  std::vector<MeasureRow> calibrations;
  // The first row that is ok for each graph, source and set of counts (agreement.hpp).
  std::vector<RunRow> answers;
  UsedGpus gpus;  // those that its rows name, or else those of the machine
  // The facts that distinguish CPUs: model, processors, caches; empty if the environment has none.
  std::string cpu;
  // Engines of its times that ran on the CPU, without external programs.
  std::set<std::string> cpu_engines;
  // The CPU that the program was compiled for, if it ran on another one: "znver3
  // (AuthenticAMD 25 1)". Empty otherwise, and in older records.
  std::string compiled_for;
};

// A cell, and the experiment that it belongs to.
struct CellPlace {
  const Experiment* experiment = nullptr;
  const ResultCell* cell = nullptr;
};

// A row's toggles by name, in their order.
std::vector<std::pair<std::string, std::string>> toggles_of(const RunRow& row);

// One folder with a runs.csv, packed or not. Throws InputError if there is none or it is not
// ours.
Experiment read_experiment(const std::string& path);

// The folder itself or those below it that hold a runs.csv, packed or not, hidden ones left out, in
// alphabetical order. Throws InputError where there is none.
std::vector<std::string> result_folders(const std::string& path);
// The experiments in these folders, without those that `make equivalence` recorded below `path`.
std::vector<Experiment> read_results(const std::string& path);

// The lists of `times`, or of those sources that `of` has too, as the statistics take them.
SourceTimes times_of(const std::map<vertex_t, ProcessTimes>& times);
std::pair<SourceTimes, SourceTimes> common_times(const std::map<vertex_t, ProcessTimes>& a,
                                                 const std::map<vertex_t, ProcessTimes>& b);

// Removes the places of builds without times. `times` are numbered as in ResultCell::times.
std::map<vertex_t, ProcessTimes> without_other_builds(const std::map<vertex_t, ProcessTimes>& times,
                                                      std::size_t processes_per_build);

// Pairs the times of two cells of one experiment, numbered as in ResultCell::times. A source counts
// where one build measured it in both cells, and its times are those of such builds. Equal numbers
// are equal processes on both sides.
std::pair<SourceTimes, SourceTimes> same_build_times(const std::map<vertex_t, ProcessTimes>& a,
                                                     const std::map<vertex_t, ProcessTimes>& b,
                                                     std::size_t processes_per_build);

// "0123456 and 89abcde+": the builds of a cell of this experiment.
std::string builds_text(const Experiment& experiment, const std::set<std::size_t>& builds);

// "64 ok, 2 timeout"
std::string status_text(const std::map<Status, std::size_t>& statuses);

// Three significant digits, without an exponent.
std::string three_digits(double value);

}  // namespace bfslab
