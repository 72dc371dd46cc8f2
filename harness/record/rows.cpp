#include "harness/record/rows.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <stdexcept>

namespace bfslab {

namespace {

constexpr const char* kStatusNames[] = {"ok",    "oom",         "timeout", "crash",
                                        "wrong", "unsupported", "skipped"};

}  // namespace

const char* to_text(Status status) { return kStatusNames[static_cast<int>(status)]; }

Status status_from(const std::string& text) {
  for (int i = 0; i < static_cast<int>(std::size(kStatusNames)); ++i) {
    if (text == kStatusNames[i]) return static_cast<Status>(i);
  }
  throw std::invalid_argument(fmt::format("found status \"{}\"", text));
}

const std::vector<std::string>& run_columns() {
  static const std::vector<std::string> columns = {"trial",
                                                   "experiment",
                                                   "case",
                                                   "graph",
                                                   "graph_hash",
                                                   "stand_in_for",
                                                   "engine",
                                                   "toggles",
                                                   "answer",
                                                   "source",
                                                   "repeat",
                                                   "attempt",
                                                   "order",
                                                   "ranks",
                                                   "gpus_per_rank",
                                                   "status",
                                                   "reason",
                                                   "checked",
                                                   "time_ms",
                                                   "gpu_ms",
                                                   "setup_ms",
                                                   "levels",
                                                   "reached_vertices",
                                                   "component_edges",
                                                   "component_input_edges",
                                                   "graph_input_edges",
                                                   "edges_checked",
                                                   "graph_bytes",
                                                   "queue_bytes",
                                                   "peak_bytes",
                                                   "foreign_load_pct",
                                                   "sm_clock_mhz",
                                                   "polluted",
                                                   "instrumented",
                                                   "build_hash",
                                                   "utc"};
  return columns;
}

const std::vector<std::string>& level_columns() {
  static const std::vector<std::string> columns = {"trial",
                                                   "rank",
                                                   "gpu",
                                                   "part",
                                                   "level",
                                                   "direction",
                                                   "technique",
                                                   "frontier_vertices",
                                                   "frontier_edges",
                                                   "edges_checked",
                                                   "found_vertices",
                                                   "found_early_vertices",
                                                   "unvisited_vertices",
                                                   "bytes_sent",
                                                   "time_ms",
                                                   "clock"};
  return columns;
}

const std::vector<std::string>& measure_columns() {
  static const std::vector<std::string> columns = {"trial",  "level", "rank", "part",
                                                   "metric", "value", "unit"};
  return columns;
}

const std::vector<std::string>& graph_columns() {
  static const std::vector<std::string> columns = {
      "graph",       "name",        "graph_hash",  "stand_in_for",     "vertices",
      "edges",       "input_edges", "symmetric",   "max_degree",       "isolated_vertices",
      "graph_bytes", "load_ms",     "source_rule", "eligible_sources", "sources",
      "provenance"};
  return columns;
}

std::vector<std::string> fields(const RunRow& r) {
  return {text(r.trial),
          r.experiment,
          r.case_name,
          r.graph,
          r.graph_hash,
          r.stand_in_for,
          r.engine,
          r.toggles,
          r.answer,
          text(r.source),
          text(r.repeat),
          text(r.attempt),
          text(r.order),
          text(r.ranks),
          text(r.gpus_per_rank),
          to_text(r.status),
          r.reason,
          text(r.checked),
          r.status == Status::ok ? text(r.time_ms) : std::string(),
          r.status == Status::ok ? text(r.gpu_ms) : std::string(),
          text(r.setup_ms),
          text(r.levels),
          text(r.reached_vertices),
          text(r.component_edges),
          text(r.component_input_edges),
          text(r.graph_input_edges),
          text(r.edges_checked),
          text(r.graph_bytes),
          text(r.queue_bytes),
          text(r.peak_bytes),
          r.foreign_load_pct ? fmt::format("{:.2f}", *r.foreign_load_pct) : std::string(),
          text(r.sm_clock_mhz),
          text(r.polluted),
          text(r.instrumented),
          r.build_hash,
          r.utc};
}

std::vector<std::string> fields(const LevelRow& r) {
  return {text(r.trial),
          text(r.rank),
          text(r.gpu),
          r.part,
          text(r.level),
          r.direction,
          r.technique,
          text(r.frontier_vertices),
          text(r.frontier_edges),
          text(r.edges_checked),
          text(r.found_vertices),
          text(r.found_early_vertices),
          text(r.unvisited_vertices),
          text(r.bytes_sent),
          text(r.time_ms),
          r.clock};
}

std::vector<std::string> fields(const MeasureRow& r) {
  return {text(r.trial), text(r.level), text(r.rank), r.part, r.metric, text(r.value), r.unit};
}

std::vector<std::string> fields(const GraphRow& r) {
  return {r.graph,
          r.name,
          r.graph_hash,
          r.stand_in_for,
          text(r.vertices),
          text(r.edges),
          text(r.input_edges),
          text(r.symmetric),
          text(r.max_degree),
          text(r.isolated_vertices),
          text(r.graph_bytes),
          text(r.load_ms),
          r.source_rule,
          text(r.eligible_sources),
          fmt::format("{}", fmt::join(r.sources, ";")),
          r.provenance};
}

RunRow run_row_from(const std::vector<std::string>& f) {
  expect_columns(f, run_columns());
  RunRow row;
  row.trial = number<std::uint64_t>(f[0]);
  row.experiment = f[1];
  row.case_name = f[2];
  row.graph = f[3];
  row.graph_hash = f[4];
  row.stand_in_for = f[5];
  row.engine = f[6];
  row.toggles = f[7];
  row.answer = f[8];
  row.source = optional_number<vertex_t>(f[9]);
  row.repeat = number<unsigned>(f[10]);
  row.attempt = number<unsigned>(f[11]);
  row.order = number<std::size_t>(f[12]);
  row.ranks = number<unsigned>(f[13]);
  row.gpus_per_rank = number<unsigned>(f[14]);
  row.status = status_from(f[15]);
  row.reason = f[16];
  row.checked = f[17] == "1";
  row.time_ms = optional_number<double>(f[18]);
  row.foreign_load_pct = optional_number<double>(f[30]);
  row.polluted = f[32] == "1";
  row.instrumented = f[33] == "1";
  row.build_hash = f[34];
  row.utc = f[35];
  return row;
}

GraphRow graph_row_from(const std::vector<std::string>& f) {
  expect_columns(f, graph_columns());
  GraphRow row;
  row.graph = f[0];
  row.name = f[1];
  row.graph_hash = f[2];
  row.stand_in_for = f[3];
  row.vertices = optional_number<std::uint64_t>(f[4]);
  row.edges = optional_number<std::uint64_t>(f[5]);
  row.input_edges = optional_number<std::uint64_t>(f[6]);
  row.symmetric = f[7] == "1";
  row.graph_bytes = optional_number<std::uint64_t>(f[10]);
  row.source_rule = f[12];
  const std::string& list = f[14];
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(';', begin), list.size());
    row.sources.push_back(number<vertex_t>(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  row.provenance = f[15];
  return row;
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     ms.count() % 1000);
}

}  // namespace bfslab
