// SPDX-License-Identifier: Apache-2.0
// Agreement: what the search of a graph from a source has to find, whichever engine runs it:
// levels, reached vertices, their sum of levels, their edges. Rows of one folder of results, of all
// its experiments, are compared here by (graph's hash, source).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

// What a row tells of its search; a count that it lacks agrees with any.
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
    std::string experiment;  // whose rows; empty: the sequential reference
  };

  // The rows of the other experiments in the folder `root`; what is no such row is passed over.
  void add_others(const std::string& root, const std::string& experiment);
  // Rows of runs.csv, as text.
  void add_rows(const std::string& text);

  // What is known of this row's search, or nullptr.
  [[nodiscard]] const Known* find(const RunRow& row) const;
  // An ok row that agrees with what is known, or is the first.
  void add(const RunRow& row);
  // The reference's counts, which replace what is known.
  void settle(const RunRow& row, const SearchCounts& counts);

 private:
  using Key = std::pair<std::string, vertex_t>;
  std::map<Key, Known> known_;
};

}  // namespace bfslab
