// SPDX-License-Identifier: Apache-2.0
// Two sets of results, configuration by configuration.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analyse/results.hpp"

namespace bfslab {

enum class Judgement { faster, slower, same, undecided };
const char* to_text(Judgement verdict);

// Differences between the two sides that a user may allow, although their times then measure
// different things.
struct Allowed {
  bool graphs = false;    // a graph's contents
  bool sources = false;   // the sources: those that both sides have are compared
  bool machines = false;  // the hardware properties that determine speed
  bool polluted = false;  // trials that something disturbed are used
  bool builds = false;    // one side's times of a configuration are of several builds
  // "graphs,machines". Throws InputError.
  static Allowed parse(const std::string& text);
};

// Columns in which the two sides may differ, and still be of one configuration.
struct Ignored {
  bool experiment = false;
  bool case_name = false;
  std::set<std::string> toggles;
  // "threads,case": names of toggles, `case` and `experiment`.
  static Ignored parse(const std::string& text);
};

struct Comparison {
  const ResultCell* a = nullptr;
  const ResultCell* b = nullptr;
  IntervalEstimate a_ms;
  IntervalEstimate b_ms;
  IntervalEstimate ratio;  // (time of b) / (time of a), paired by source: below 1, b is faster
  Judgement verdict = Judgement::undecided;
  std::size_t sources = 0;
  std::size_t polluted = 0;  // number of polluted trials among those that were used
};

struct Compared {
  std::vector<Comparison> rows;
  std::optional<IntervalEstimate> overall;  // geometric mean of the rows' ratios, resampled by rows
  std::vector<std::string> left_out;        // a line each: which configuration, and why
  std::vector<std::string> notes;
};

// "same": the whole interval of the ratio lies within `same_pct` of 1. "faster" and "slower": it
// lies on one side of 1. Everything else, and whatever has too few sources for an interval, is
// undecided.
Judgement verdict_of(const IntervalEstimate& ratio, double same_pct);

// Cells are of one configuration where experiment (unless each side is a single one), case, graph,
// engine, answer, ranks and toggles agree; a toggle that the engine has on one side only is not
// compared, and a note says so. What `ignored` names need not agree; cells of one side that only
// differ in it are left out. So are cells of unlike graphs or sources that are not allowed to
// differ. Throws InputError where machines differ that may not, where every matched cell would be
// left out so, naming all reasons, where nothing matches, or where no engine has an ignored toggle.
Compared compare(const std::vector<Experiment>& a, const std::vector<Experiment>& b,
                 const Allowed& allowed, const Ignored& ignored, double same_pct);

// "slower>5%", "slower", "undecided": whether a comparison is to fail a check. The percentage is of
// the ratio itself (or, with "faster", of its inverse). Throws InputError.
class FailRule {
 public:
  explicit FailRule(const std::string& text);
  [[nodiscard]] bool fails(const Comparison& row) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  Judgement verdict_ = Judgement::slower;
  double pct_ = 0;
};

}  // namespace bfslab
