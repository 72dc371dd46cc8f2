// SPDX-License-Identifier: Apache-2.0
// Agreement: all engines must find the same levels, reached vertices, sum of levels and edges when
// they search a graph from a source. Compares the rows of all experiments in one folder of results
// by (graph's hash, source, depth limit).
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

// The counts of a row's search. A missing count agrees with any.
struct SearchCounts {
  OptionalCount levels;
  OptionalCount reached_vertices;
  OptionalCount level_sum;
  OptionalCount component_edges;

  SearchCounts() = default;
  explicit SearchCounts(const TrialFacts& facts);
  [[nodiscard]] bool agrees(const SearchCounts& other) const;
  // "5 levels, 100 reached vertices, 250 as the sum of their levels, 700 edges"
  [[nodiscard]] std::string text() const;
};

class Agreement {
 public:
  struct Known {
    SearchCounts counts;
    std::string who;         // "trial 12 of t"
    std::string experiment;  // the experiment of the rows; empty: the sequential reference
  };

  // Reads the rows of the other experiments in the folder `root`; skips anything else.
  void add_others(const std::string& root, const std::string& experiment);
  // Adds the rows of runs.csv, given as text.
  void add_rows(const std::string& text);

  // Returns the known counts of this row's search, or nullptr.
  [[nodiscard]] const Known* find(const RunRow& row) const;
  // Adds an ok row that agrees with the known counts, or is the first.
  void add(const RunRow& row);
  // Replaces the known counts by the reference's.
  void settle(const RunRow& row, const SearchCounts& counts);

 private:
  using Key = std::tuple<std::string, vertex_t, OptionalCount>;
  static Key key_of(const RunRow& row) { return {row.graph_hash, *row.source, row.depth_limit}; }
  std::map<Key, Known> known_;
};

}  // namespace bfslab
