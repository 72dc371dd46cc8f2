// SPDX-License-Identifier: Apache-2.0
// The table in which a run ends: case by graph, with times, their ratio to the baseline's, and what
// became of the trials.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyse/results.hpp"

namespace bfslab {

struct SummaryRow {
  const ResultCell* cell = nullptr;
  std::optional<IntervalEstimate> time_ms;
  // Edges that start at a reached vertex, each undirected edge once, in 10^9 per second.
  std::optional<IntervalEstimate> gteps;
  std::optional<IntervalEstimate> energy_j;  // per search: the median over sources
  // (time of the baseline) / (its own), over the sources that both have: above 1 it is faster.
  std::optional<IntervalEstimate> speedup;
};

struct Summary {
  std::string baseline;  // a case; empty where nothing was timed
  std::vector<SummaryRow> rows;
};

// `baseline`: the spec's, or empty for the first case. A case that a sweep multiplies is compared
// with the baseline of the same swept values. Polluted times are used where a cell has no others.
// `before_row` is called before each row and may throw to end the work: the intervals of thousands
// of cells take seconds.
Summary summarise(const Experiment& experiment, const std::string& baseline,
                  const std::function<void()>& before_row);

// Returns clean times, numbered as in ResultCell::times, or the polluted ones if there are no
// others; none if a trial failed, since a median over the finished ones would mislead.
std::map<vertex_t, ProcessTimes> shown_times(const ResultCell& cell);

// Returns the median of shown_times(); none where there are none.
std::optional<IntervalEstimate> shown_time(const ResultCell& cell);

// Returns (time of `base`) / (time of `cell`), over the sources that both have, in cells of one
// experiment; none if there is no such source.
std::optional<IntervalEstimate> speedup_over(const ResultCell& base, const ResultCell& cell);

// Facts that readers need before they trust a number: polluted trials, several devices or sets
// of processors. A line each; empty if there is nothing to say.
std::vector<std::string> caveats(const Experiment& experiment);

}  // namespace bfslab
