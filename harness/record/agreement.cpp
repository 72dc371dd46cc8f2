// SPDX-License-Identifier: Apache-2.0
#include "harness/record/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/record/environment.hpp"
#include "harness/record/packed_tables.hpp"
#include "harness/record/row_reader.hpp"
#include "harness/record/seal.hpp"
#include "harness/record/table_file.hpp"

namespace bfslab {

namespace {

bool has_counts(const RunRow& row) {
  return row.status == Status::ok && row.source && row.reached_vertices && !row.graph_hash.empty();
}

}  // namespace

SearchCounts::SearchCounts(const TrialFacts& facts)
    : levels(facts.levels),
      reached_vertices(facts.reached_vertices),
      level_sum(facts.level_sum),
      component_edges(facts.component_edges) {}

bool SearchCounts::agrees(const SearchCounts& other) const {
  const auto same = [](const OptionalCount& a, const OptionalCount& b) {
    return !a || !b || *a == *b;
  };
  return same(levels, other.levels) && same(reached_vertices, other.reached_vertices) &&
         same(level_sum, other.level_sum) && same(component_edges, other.component_edges);
}

std::string SearchCounts::text() const {
  const auto word = [](const OptionalCount& count) {
    return count ? std::to_string(*count) : std::string("unknown");
  };
  return fmt::format("levels {}, reached vertices {}, sum of their levels {}, edges {}",
                     word(levels), word(reached_vertices), word(level_sum), word(component_edges));
}

void Agreement::add_others(const std::string& root, const std::string& experiment) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> folders;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != experiment && !name.starts_with('.')) folders.push_back(entry->path());
  }
  std::ranges::sort(folders);
  for (const std::string& folder : folders) {
    try {
      const std::string environment = read_file(folder + "/environment.json");
      require_known_format(environment, folder);
      const std::string path = table_path(folder, "runs");
      const std::string text = read_table(path);
      require_seals(text, path, environment);
      add_rows(text);
    } catch (const InputError&) {  // not ours, or not readable here, which its own run reports
    } catch (const StorageError&) {
    }
  }
}

void Agreement::add_rows(const std::string& text) {
  for (const RunRow& row : standing_rows(read_rows<RunRow>(text, {}, Damage::pass_over))) add(row);
}

const Agreement::Known* Agreement::find(const RunRow& row) const {
  if (!row.source) return nullptr;
  const auto found = known_.find(key_of(row));
  return found == known_.end() ? nullptr : &found->second;
}

void Agreement::add(const RunRow& row) {
  if (!has_counts(row)) return;
  const auto [known, fresh] = known_.try_emplace(key_of(row));
  SearchCounts& counts = known->second.counts;
  const SearchCounts own(row);
  if (fresh) {
    known->second = {own, fmt::format("trial {} of {}", row.trial, row.experiment), row.experiment};
    return;
  }
  if (!counts.agrees(own)) return;
  // Adds the counts that the first of them lacked.
  if (!counts.level_sum) counts.level_sum = own.level_sum;
  if (!counts.component_edges) counts.component_edges = own.component_edges;
}

void Agreement::settle(const RunRow& row, const SearchCounts& counts) {
  if (row.source) known_[key_of(row)] = {counts, "the sequential reference", ""};
}

}  // namespace bfslab
