// SPDX-License-Identifier: Apache-2.0
// Plan: which trials a command will run, in which groups, and in which order. All of it is known
// before anything runs, except the sources, which depend on the graph.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// What one worker runs: configurations that share a loaded graph and a number of processes.
struct TrialGroup {
  std::size_t graph = 0;                    // index into Spec::graphs
  unsigned ranks = 1;                       // above 1, the worker is that many processes
  std::vector<std::size_t> configurations;  // indices into Spec::configurations
};

struct Shard {
  unsigned index = 1;  // from 1
  unsigned count = 1;
  // "2/4". Throws InputError.
  static Shard parse(const std::string& text);
};

// Groups by graph and ranks, fewest ranks first (with `isolate`, by graph and configuration). A
// configuration is kept when one of
// the `only` globs matches "CASE/GRAPH", the case's name and the graph as the spec writes it or its
// canonical name; `*` and `?` match every character, including `/`. Without a glob all are kept. Of
// the remaining groups a shard i/n takes those numbered i, i+n, i+2n, ...: the shards of a command
// partition its trials. Throws InputError when no configuration matches.
std::vector<TrialGroup> make_plan(const Spec& spec, const std::vector<std::string>& only,
                                  const Shard& shard);

// Trials of one configuration and source that will run in any case: repeats, and one more,
// instrumented, if levels are recorded.
std::uint64_t trials_per_source(const Spec& spec);
// For a whole group on a graph with that many sources: a counter has one trial.
std::uint64_t planned_trials(const Spec& spec, const TrialGroup& group, std::uint64_t sources);
// With as many as the spec asks for there.
std::uint64_t planned_trials(const Spec& spec, const TrialGroup& group);

// A permutation of 0 .. count-1: the order in which configurations run in one round, so that none
// always follows the same one. Depends on nothing but its arguments.
std::vector<std::size_t> round_order(std::size_t count, std::uint64_t seed, unsigned repeat,
                                     std::size_t source_index);

// The plan as lines of text, for --dry-run.
std::string describe_plan(const Spec& spec, const std::vector<TrialGroup>& plan);
// The same as JSON: {"experiment": NAME, "trials": 8, "workers": [{"graph": ..., "trials": 4,
// "configurations": [{"case": ...}]}]}.
nlohmann::ordered_json plan_json(const Spec& spec, const std::vector<TrialGroup>& plan);

}  // namespace bfslab
