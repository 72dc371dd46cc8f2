// SPDX-License-Identifier: Apache-2.0
// Reads the counters of Nsight Compute from the text that `ncu --import FILE --csv --page raw`
// prints: a header, a line of units, and a line for each kernel that was launched. Nsight Compute
// CLI, sections "Output pages" and "NVTX filtering".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

// The place of a kernel: the ranges that `bfslab run` pushes.
struct KernelPlace {
  std::string graph;
  std::string case_name;
  std::optional<std::uint64_t> configuration;  // its number in the spec
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
  std::uint64_t order = 0;               // position of its first launch among all
  std::map<std::string, double> values;  // metric -> value, in unit_of(metric)
  // The unit of each of the user's own metrics, as ncu names it.
  std::map<std::string, std::string> own_units;
};

// Returns the names of the metrics that ncu is asked for.
std::vector<std::string> ncu_metrics();
// Returns the unit of a metric in KernelCounts: "B", "ms", "1", "%", "B/s", "1/s".
std::string unit_of(std::string_view metric);

// Parses the text. `own_metrics`: metrics to read beside ncu_metrics(), by ncu's names, with the
// values and the units that it prints; those whose name ends in ".sum" add up. Throws InputError
// for another text, if a metric of the user's own has no column, and if no kernel is in a measured
// range.
std::map<KernelPlace, KernelCounts> read_ncu_csv(const std::string& text, const std::string& file,
                                                 const std::vector<std::string>& own_metrics = {});

// Explains a message that ncu printed in place of counters, and how to mend it; empty if none is
// known.
std::string known_fault(const std::string& log);

// Returns the rows of measures.csv of one place; the driver fills in the trial.
std::vector<MeasureRow> measure_rows(const KernelPlace& place, const KernelCounts& counts);

}  // namespace bfslab
