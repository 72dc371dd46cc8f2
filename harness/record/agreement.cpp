#include "harness/record/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <tuple>

#include "harness/record/csv.hpp"
#include "harness/record/table_file.hpp"
#include "harness/record/tables.hpp"

namespace bfslab {

namespace {

// Rows of any version of runs.csv: by the names in its header, what it lacks being empty.
std::vector<RunRow> rows_of(const std::string& text) {
  const std::vector<CsvRecord> records = parse_csv(text);
  std::vector<RunRow> rows;
  if (records.empty()) return rows;
  const std::vector<std::string>& header = records.front().fields;
  std::vector<std::pair<const Column<RunRow>*, std::size_t>> places;
  for (const Column<RunRow>& column : table<RunRow>().columns) {
    const auto found = std::ranges::find(header, column.name);
    if (found != header.end()) places.emplace_back(&column, found - header.begin());
  }
  for (std::size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string>& fields = records[i].fields;
    if (fields.size() != header.size()) continue;
    RunRow row;
    try {
      for (const auto& [column, place] : places) column->read(row, fields[place]);
    } catch (const std::invalid_argument&) {
      continue;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

bool tells(const RunRow& row) {
  return row.status == Status::ok && row.source && row.reached_vertices && !row.graph_hash.empty();
}

}  // namespace

std::vector<RunRow> standing_rows(const std::string& text) {
  std::vector<RunRow> rows = rows_of(text);
  const auto trial = [](const RunRow& row) {
    return std::tuple(row.case_name, row.graph, row.graph_hash, row.engine, row.toggles, row.ranks,
                      row.gpus_per_rank, row.source, row.repeat, row.instrumented);
  };
  std::map<decltype(trial(RunRow())), std::uint64_t> failed;
  for (const RunRow& row : rows) {
    if (row.status != Status::ok) failed[trial(row)] = row.trial;
  }
  std::erase_if(rows, [&](const RunRow& row) {
    const auto failure = failed.find(trial(row));
    return failure != failed.end() && row.trial < failure->second;
  });
  return rows;
}

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
  std::vector<std::string> files;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != experiment && !name.starts_with('.')) files.push_back(entry->path() / "runs.csv");
  }
  std::ranges::sort(files);
  for (const std::string& file : files) {
    try {
      add_rows(read_file(file));
    } catch (const InputError&) {  // not ours, or not readable: its own run says so
    } catch (const StorageError&) {
    }
  }
}

void Agreement::add_rows(const std::string& text) {
  for (const RunRow& row : standing_rows(text)) add(row);
}

const Agreement::Known* Agreement::find(const RunRow& row) const {
  if (!row.source) return nullptr;
  const auto found = known_.find({row.graph_hash, *row.source});
  return found == known_.end() ? nullptr : &found->second;
}

void Agreement::add(const RunRow& row) {
  if (!tells(row)) return;
  const auto [known, fresh] = known_.try_emplace({row.graph_hash, *row.source});
  SearchCounts& counts = known->second.counts;
  const SearchCounts own(row);
  if (fresh) {
    known->second = {own, fmt::format("trial {} of {}", row.trial, row.experiment), row.experiment};
    return;
  }
  if (!counts.agrees(own)) return;
  // What the first of them lacked.
  if (!counts.level_sum) counts.level_sum = own.level_sum;
  if (!counts.component_edges) counts.component_edges = own.component_edges;
}

void Agreement::settle(const RunRow& row, const SearchCounts& counts) {
  if (row.source) known_[{row.graph_hash, *row.source}] = {counts, "the sequential reference", ""};
}

}  // namespace bfslab
