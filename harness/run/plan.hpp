// SPDX-License-Identifier: Apache-2.0
// Plan: the trials that a command will run, their groups, and their order. All of it is known
// before anything runs, except the sources, which depend on the graph.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// The work of one worker: configurations that share a loaded graph and a number of processes.
struct TrialGroup {
  std::size_t graph = 0;                    // index into Spec::graphs
  unsigned ranks = 1;                       // above 1: the number of processes of the worker
  std::vector<std::size_t> configurations;  // indices into Spec::configurations
};

struct Shard {
  unsigned index = 1;  // from 1
  unsigned count = 1;
  // Parses "2/4". Throws InputError.
  static Shard parse(const std::string& text);
};

// Groups configurations by graph and ranks, fewest ranks first (with `isolate`, by graph and
// configuration). A configuration is kept if one of the `only` globs matches "CASE/GRAPH": the
// case's name, and the graph as the spec writes it or its canonical name. `*` and `?` match every
// character, including `/`. Without a glob all are kept. A shard i/n takes the groups numbered i,
// i+n, i+2n, ..., so that the shards of a command partition its trials. Throws InputError if
// nothing matches.
std::vector<TrialGroup> make_plan(const Spec& spec, const std::vector<std::string>& only,
                                  const Shard& shard);

// Returns the trials of one configuration and source that run in any case: repeats, and one
// instrumented trial if levels are recorded.
std::uint64_t trials_per_source(const Spec& spec);
// Returns the same for a whole group on a graph with `sources` sources. A counter has one trial.
std::uint64_t planned_trials(const Spec& spec, const TrialGroup& group, std::uint64_t sources);
// The same with the number of sources that the spec asks for.
std::uint64_t planned_trials(const Spec& spec, const TrialGroup& group);

// Returns a permutation of 0 .. count-1: the order in which configurations run in one round, so
// that none always follows the same one. It depends on the arguments only.
std::vector<std::size_t> round_order(std::size_t count, std::uint64_t seed, unsigned repeat,
                                     std::size_t source_index);

// Returns the plan as lines of text, for --dry-run.
std::string describe_plan(const Spec& spec, const std::vector<TrialGroup>& plan);
// The same as JSON: {"experiment": NAME, "trials": 8, "workers": [{"graph": ..., "trials": 4,
// "configurations": [{"case": ...}]}]}.
nlohmann::ordered_json plan_json(const Spec& spec, const std::vector<TrialGroup>& plan);

}  // namespace bfslab
