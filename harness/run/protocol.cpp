#include "harness/run/protocol.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bfslab {

namespace {

using nlohmann::json;

template <typename T>
json optional(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}
template <typename T>
void read(const json& object, const char* key, std::optional<T>& value) {
  if (!object.at(key).is_null()) value = object.at(key).get<T>();
}

json body(const OpenRequest& r) {
  return {{"is", "open"},
          {"spec", r.spec},
          {"file", r.spec_file},
          {"hash", r.spec_hash},
          {"graph", r.graph},
          {"name", r.graph_text},
          {"configurations", r.configurations},
          {"data", r.data_folders},
          {"cache", r.cache_folder}};
}

json body(const TrialRequest& r) {
  return {{"is", "trial"},
          {"configuration", r.configuration},
          {"source", optional(r.source)},
          {"instrumented", r.instrumented},
          {"check", r.check}};
}

json body(const Notice& r) { return {{"is", "notice"}, {"text", r.text}}; }
json body(const FaultReply& r) { return {{"is", "fault"}, {"reason", r.reason}}; }
json body(const FailedReply& r) {
  return {{"is", "failed"}, {"status", to_text(r.status)}, {"reason", r.reason}};
}

json body(const GraphFactsReply& r) {
  return {{"is", "graph"},
          {"hash", r.hash},
          {"vertices", optional(r.vertices)},
          {"edges", optional(r.edges)},
          {"input_edges", optional(r.input_edges)},
          {"bytes", optional(r.bytes)},
          {"max_degree", optional(r.max_degree)},
          {"isolated", optional(r.isolated_vertices)},
          {"symmetric", r.symmetric},
          {"load_ms", optional(r.load_ms)},
          {"eligible", optional(r.eligible_sources)},
          {"sources", r.sources},
          {"provenance", r.provenance},
          {"profiled", r.profiled}};
}

json body(const LevelRow& r) {
  return json::array({r.level, r.direction, r.technique, r.frontier_vertices, r.frontier_edges,
                      r.edges_checked, r.found_vertices, r.found_early_vertices,
                      r.unvisited_vertices, r.time_ms});
}

LevelRow level_from(const json& a) {
  LevelRow r;
  r.level = a.at(0);
  r.direction = a.at(1);
  r.technique = a.at(2);
  r.frontier_vertices = a.at(3);
  r.frontier_edges = a.at(4);
  r.edges_checked = a.at(5);
  r.found_vertices = a.at(6);
  r.found_early_vertices = a.at(7);
  r.unvisited_vertices = a.at(8);
  r.time_ms = a.at(9);
  return r;
}

json body(const TrialReply& r) {
  json levels = json::array();
  for (const auto& level : r.level_rows) levels.push_back(body(level));
  json measures = json::array();
  for (const auto& m : r.measures) {
    measures.push_back({optional(m.level), m.rank, m.part, m.metric, m.value, m.unit});
  }
  return {{"is", "result"},
          {"status", to_text(r.status)},
          {"reason", r.reason},
          {"checked", r.checked},
          {"time_ms", optional(r.time_ms)},
          {"gpu_ms", optional(r.gpu_ms)},
          {"setup_ms", optional(r.setup_ms)},
          {"levels", optional(r.levels)},
          {"reached", optional(r.reached_vertices)},
          {"component_edges", optional(r.component_edges)},
          {"component_input_edges", optional(r.component_input_edges)},
          {"edges_checked", optional(r.edges_checked)},
          {"graph_bytes", optional(r.graph_bytes)},
          {"queue_bytes", optional(r.queue_bytes)},
          {"peak_bytes", optional(r.peak_bytes)},
          {"foreign_load_pct", optional(r.foreign_load_pct)},
          {"sm_clock_mhz", optional(r.sm_clock_mhz)},
          {"level_rows", levels},
          {"measures", measures}};
}

TrialReply result_from(const json& j) {
  TrialReply r;
  r.status = status_from(j.at("status"));
  r.reason = j.at("reason");
  r.checked = j.at("checked");
  read(j, "time_ms", r.time_ms);
  read(j, "gpu_ms", r.gpu_ms);
  read(j, "setup_ms", r.setup_ms);
  read(j, "levels", r.levels);
  read(j, "reached", r.reached_vertices);
  read(j, "component_edges", r.component_edges);
  read(j, "component_input_edges", r.component_input_edges);
  read(j, "edges_checked", r.edges_checked);
  read(j, "graph_bytes", r.graph_bytes);
  read(j, "queue_bytes", r.queue_bytes);
  read(j, "peak_bytes", r.peak_bytes);
  read(j, "foreign_load_pct", r.foreign_load_pct);
  read(j, "sm_clock_mhz", r.sm_clock_mhz);
  for (const auto& level : j.at("level_rows")) r.level_rows.push_back(level_from(level));
  for (const auto& m : j.at("measures")) {
    MeasureRow row;
    if (!m.at(0).is_null()) row.level = m.at(0).get<level_t>();
    row.rank = m.at(1);
    row.part = m.at(2);
    row.metric = m.at(3);
    row.value = m.at(4);
    row.unit = m.at(5);
    r.measures.push_back(row);
  }
  return r;
}

GraphFactsReply graph_from(const json& j) {
  GraphFactsReply r;
  r.hash = j.at("hash");
  read(j, "vertices", r.vertices);
  read(j, "edges", r.edges);
  read(j, "input_edges", r.input_edges);
  read(j, "bytes", r.bytes);
  read(j, "max_degree", r.max_degree);
  read(j, "isolated", r.isolated_vertices);
  r.symmetric = j.at("symmetric");
  read(j, "load_ms", r.load_ms);
  read(j, "eligible", r.eligible_sources);
  r.sources = j.at("sources").get<std::vector<vertex_t>>();
  r.provenance = j.at("provenance").get<Provenance>();
  r.profiled = j.at("profiled");
  return r;
}

// Text from outside (a file's name, what() of an engine's exception) need not be UTF-8.
std::string dump(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

template <typename Message, typename From>
Message decode(const std::string& line, From from) {
  try {
    const json j = json::parse(line);
    return from(j, j.at("is").get<std::string>());
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("worker protocol: {} in: {}", error.what(), line.substr(0, 200)));
  }
}

}  // namespace

std::string encode(const Request& request) {
  return std::visit([](const auto& r) { return dump(body(r)); }, request);
}

std::string encode(const Reply& reply) {
  return std::visit([](const auto& r) { return dump(body(r)); }, reply);
}

Request decode_request(const std::string& line) {
  return decode<Request>(line, [](const json& j, const std::string& is) -> Request {
    if (is == "open") {
      return OpenRequest{j.at("spec"),
                         j.at("file"),
                         j.at("hash"),
                         j.at("graph"),
                         j.at("name"),
                         j.at("configurations").get<std::vector<std::size_t>>(),
                         j.at("data").get<std::vector<std::string>>(),
                         j.at("cache")};
    }
    if (is == "trial") {
      TrialRequest trial{j.at("configuration"), {}, j.at("instrumented"), j.at("check")};
      read(j, "source", trial.source);
      return trial;
    }
    throw std::runtime_error("unknown request");
  });
}

Reply decode_reply(const std::string& line) {
  return decode<Reply>(line, [](const json& j, const std::string& is) -> Reply {
    if (is == "notice") return Notice{j.at("text")};
    if (is == "graph") return graph_from(j);
    if (is == "result") return result_from(j);
    if (is == "failed") return FailedReply{status_from(j.at("status")), j.at("reason")};
    if (is == "fault") return FaultReply{j.at("reason")};
    throw std::runtime_error("unknown reply");
  });
}

}  // namespace bfslab
