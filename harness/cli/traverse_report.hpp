// SPDX-License-Identifier: Apache-2.0
// Prints the reports of `bfslab traverse` on a search: --time, --levels and --json.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "datasets/graph/csr_graph.hpp"
#include "harness/check/first_difference.hpp"
#include "harness/record/rows.hpp"
#include "kernels/check_result.hpp"

namespace bfslab {

struct TraverseReport {
  std::string graph;
  std::string engine;
  std::string toggles;
  vertex_t source = 0;
  CheckResult check;
  std::optional<LevelDifference> difference;  // of a wrong answer
  std::vector<double> times_ms;               // of the timed searches; empty without --time
  std::optional<double> gpu_ms;               // of the last of them, if the engine records it
  std::vector<LevelRow> levels;               // of an instrumented search; empty without --levels
};

// Returns the search, its answer and its times as JSON, as docs/scripts.md describes it.
nlohmann::ordered_json traverse_json(const TraverseReport& report, const CsrGraph& graph);

// Returns "vertex 5 (id 17 in the file): level 3 expected, level 4 found; 2 of 64 vertices differ".
std::string difference_text(const LevelDifference& difference, const CsrGraph& graph);

// Prints the times, if there are any.
void print_times(const TraverseReport& report);

// Prints a table of levels, if there are any.
void print_levels(const TraverseReport& report);

// Returns the levels that the answer implies, each with its number of vertices alone: for engines
// that report no levels.
std::vector<LevelRow> levels_of_answer(const CsrGraph& graph, const WholeAnswer& answer);

}  // namespace bfslab
