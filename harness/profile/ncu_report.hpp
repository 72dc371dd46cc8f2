// SPDX-License-Identifier: Apache-2.0
// What Nsight Compute counted, from the text that `ncu --import FILE --csv --page raw` prints: a
// header, a line of units, and a line for each kernel that was launched. Nsight Compute CLI,
// sections "Output pages" and "NVTX filtering".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

// Where kernels belong: the ranges that `bfslab run` pushes.
struct KernelPlace {
  std::string graph;
  std::string case_name;
  std::optional<std::uint64_t> configuration;  // the spec's number of it
  vertex_t source = 0;
  std::optional<level_t> level;  // none: between levels, as a reset
  std::string direction;
  std::string technique;
  std::string kernel;  // without its arguments

  auto operator<=>(const KernelPlace&) const = default;
};

// Sums over all launches of a kernel in a level; ratios are means, weighted by the launches' times.
struct KernelCounts {
  std::uint64_t launches = 0;
  std::uint64_t order = 0;               // of its first launch among all
  std::map<std::string, double> values;  // by metric, in the unit that unit_of() says
};

// The names with which ncu is asked for what is read here.
std::vector<std::string> ncu_metrics();
// Of a metric in KernelCounts: "B", "ms", "1", "%", "B/s", "1/s".
std::string unit_of(std::string_view metric);

// Throws InputError for a text that is none, and where it has no kernel in a measured range.
std::map<KernelPlace, KernelCounts> read_ncu_csv(const std::string& text, const std::string& file);

// What ncu said in place of counting, with its cure; empty where it said nothing that is known.
std::string known_fault(const std::string& log);

// Rows of measures.csv of one place; the driver fills in the trial.
std::vector<MeasureRow> measure_rows(const KernelPlace& place, const KernelCounts& counts);

}  // namespace bfslab
