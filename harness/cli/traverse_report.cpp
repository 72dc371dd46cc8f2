// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/traverse_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analyse/statistics.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/record/tables.hpp"

namespace bfslab {

namespace {

using Json = nlohmann::ordered_json;

Json level_json(level_t level) { return level == kUnreached ? Json() : Json(level); }

// Returns a row of levels.csv without its trial: empty fields are null, and numbers are numbers.
Json row_json(const LevelRow& row) {
  const std::vector<std::string> names = column_names<LevelRow>();
  const std::vector<std::string> values = fields(row);
  Json out = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "trial") continue;
    const Json value = Json::parse(values[i], nullptr, false);
    out[names[i]] = values[i].empty() ? Json() : value.is_number() ? value : Json(values[i]);
  }
  return out;
}

// Edges of the searched component per second, in billions.
double gteps(const TraverseReport& report) {
  return static_cast<double>(report.check.component_edges) / (quantile(report.times_ms, 0.5) * 1e6);
}

std::string level_text(level_t level) {
  return level == kUnreached ? std::string("no level") : fmt::format("level {}", level);
}

std::string count_text(const OptionalCount& count) { return count ? grouped(*count) : ""; }

}  // namespace

Json traverse_json(const TraverseReport& report, const CsrGraph& graph) {
  const CheckResult& check = report.check;
  const auto counted = [&](std::uint64_t count) { return check.ok ? Json(count) : Json(); };
  Json difference;
  if (report.difference) {
    difference = {{"vertex", report.difference->vertex},
                  {"id", graph.label(report.difference->vertex)},
                  {"expected", level_json(report.difference->expected)},
                  {"found", level_json(report.difference->found)},
                  {"vertices", report.difference->vertices}};
  }
  Json out = {{"graph", report.graph},
              {"engine", report.engine},
              {"toggles", report.toggles},
              {"source", report.source},
              {"id", graph.label(report.source)},
              {"vertices", graph.vertex_count()},
              {"edges", graph.edge_count()},
              {"correct", check.ok},
              {"fault", check.ok ? Json() : Json(check.reason)},
              {"first_difference", difference},
              {"levels", counted(check.levels)},
              {"reached_vertices", counted(check.reached_vertices)},
              {"component_edges", counted(check.component_edges)}};
  if (!report.times_ms.empty()) {
    out["times_ms"] = report.times_ms;
    out["median_ms"] = quantile(report.times_ms, 0.5);
    out["gpu_ms"] = report.gpu_ms ? Json(*report.gpu_ms) : Json();
    out["gteps"] = check.ok ? Json(gteps(report)) : Json();
  }
  if (!report.levels.empty()) {
    out["by_level"] = Json::array();
    for (const LevelRow& row : report.levels) out["by_level"].push_back(row_json(row));
  }
  return out;
}

std::string difference_text(const LevelDifference& difference, const CsrGraph& graph) {
  const std::uint64_t id = graph.label(difference.vertex);
  return fmt::format("vertex {}{}: {} expected, {} found; {} of {} vertices differ",
                     difference.vertex,
                     id == difference.vertex ? "" : fmt::format(" (id {} in the file)", id),
                     level_text(difference.expected), level_text(difference.found),
                     difference.vertices, graph.vertex_count());
}

void print_times(const TraverseReport& report) {
  if (report.times_ms.empty()) return;
  const auto [least, most] = std::ranges::minmax(report.times_ms);
  std::vector<std::vector<std::string>> rows{
      {"time", fmt::format("{:.4g} ms: the median of {} searches after one that warms up ({:.4g} "
                           "to {:.4g})",
                           quantile(report.times_ms, 0.5), report.times_ms.size(), least, most)}};
  if (report.gpu_ms) {
    rows.push_back({"on the GPU", fmt::format("{:.4g} ms in the last of them", *report.gpu_ms)});
  }
  if (report.check.ok) rows.push_back({"rate", fmt::format("{:.3g} GTEPS", gteps(report))});
  print_table(rows, 0);
}

void print_levels(const TraverseReport& report) {
  if (report.levels.empty()) return;
  const bool parts = std::ranges::any_of(report.levels, [](const LevelRow& row) {
    return row.rank != 0 || row.gpu != 0 || row.part != "all";
  });
  std::vector<std::vector<std::string>> rows{
      {"level", "direction", "technique", "frontier", "its edges", "edges checked", "found", "ms"}};
  if (parts) rows.front().emplace_back("part");
  for (const LevelRow& row : report.levels) {
    rows.push_back({std::to_string(row.level), row.direction, row.technique,
                    grouped(row.frontier_vertices), count_text(row.frontier_edges),
                    count_text(row.edges_checked), count_text(row.found_vertices),
                    row.time_ms ? fmt::format("{:.4g}", *row.time_ms) : ""});
    if (parts) {
      rows.back().push_back(fmt::format("rank {}, GPU {}, {}", row.rank, row.gpu, row.part));
    }
  }
  print_table(rows, 0, {0, 3, 4, 5, 6, 7});
}

std::vector<LevelRow> levels_of_answer(const CsrGraph& graph, const WholeAnswer& answer) {
  std::vector<LevelRow> rows;
  if (answer.levels == nullptr) return rows;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    const level_t level = answer.levels[v];
    if (level >= graph.vertex_count()) continue;
    while (rows.size() <= level) {
      LevelRow& row = rows.emplace_back();
      row.part = "all";
      row.level = static_cast<level_t>(rows.size() - 1);
    }
    ++rows[level].frontier_vertices;
  }
  return rows;
}

}  // namespace bfslab
