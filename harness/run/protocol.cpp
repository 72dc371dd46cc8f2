// SPDX-License-Identifier: Apache-2.0
#include "harness/run/protocol.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>

#include "harness/record/tables.hpp"

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

json calibration(const std::optional<Calibration>& found) {
  return found ? json::array({found->memory_ms, found->compute_ms, found->gpu_ms}) : json(nullptr);
}
std::optional<Calibration> calibration_from(const json& j) {
  if (j.is_null()) return std::nullopt;
  return Calibration{j.at(0), j.at(1), j.at(2)};
}

json body(const OpenRequest& r) {
  return {{"is", "open"},
          {"work", r.work},
          {"file", r.spec_file},
          {"traverses", r.traverses},
          {"whole", r.whole},
          {"graph_alone", r.graph_alone},
          {"data", r.data_folders},
          {"cache", r.cache_folder},
          {"drawn_from", r.drawn_from},
          {"drawn", r.drawn}};
}

json body(const TrialRequest& r) {
  return {{"is", "trial"},
          {"configuration", r.configuration},
          {"source", optional(r.source)},
          {"instrumented", r.instrumented},
          {"check", r.check},
          {"reference", r.reference},
          {"energy", r.energy},
          {"depth_limit", r.depth_limit}};
}

json body(const Acknowledged& /*r*/) { return {{"is", "acknowledged"}}; }
json body(const CloseRequest& /*r*/) { return {{"is", "close"}}; }
json body(const ClosedReply& r) {
  return {{"is", "closed"}, {"fault", r.fault}, {"calibration", calibration(r.calibration)}};
}
json body(const StepReply& r) { return {{"is", "step"}, {"step", r.step}}; }
json body(const Notice& r) { return {{"is", "notice"}, {"text", r.text}}; }
json body(const FaultReply& r) { return {{"is", "fault"}, {"reason", r.reason}}; }
json body(const FailedReply& r) {
  return {{"is", "failed"}, {"status", to_text(r.status)}, {"reason", r.reason}};
}

// Writes the columns of a row that a worker reports; it may know only half of them.
template <typename Row, typename Facts>
std::vector<std::string> fields_of(const Facts& facts) {
  Row row;
  static_cast<Facts&>(row) = facts;
  return worker_fields(row);
}

template <typename Row>
json rows_json(const std::vector<Row>& rows) {
  json all = json::array();
  for (const Row& row : rows) all.push_back(worker_fields(row));
  return all;
}

template <typename Row>
Row row_of(const json& fields) {
  return row_from<Row>(fields.get<std::vector<std::string>>(), true);
}

template <typename Row>
std::vector<Row> rows_of(const json& rows) {
  std::vector<Row> all;
  for (const json& fields : rows) all.push_back(row_of<Row>(fields));
  return all;
}

json body(const GraphFactsReply& r) {
  return {{"is", "graph"},
          {"row", fields_of<GraphRow, GraphFactsRow>(r)},
          {"profiled", r.profiled},
          {"calibration", calibration(r.calibration)}};
}

json body(const TrialReply& r) {
  return {{"is", "result"},
          {"row", fields_of<RunRow, TrialFacts>(r)},
          {"disturbance", r.disturbance},
          {"levels", rows_json(r.level_rows)},
          {"measures", rows_json(r.measures)}};
}

TrialReply result_from(const json& j) {
  return {{row_of<RunRow>(j.at("row"))},
          j.at("disturbance"),
          rows_of<LevelRow>(j.at("levels")),
          rows_of<MeasureRow>(j.at("measures"))};
}

GraphFactsReply graph_from(const json& j) {
  return {{row_of<GraphRow>(j.at("row"))}, j.at("profiled"), calibration_from(j.at("calibration"))};
}

// Replaces bytes that are not UTF-8, as text from outside (a file's name, what() of an engine's
// exception) may have.
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

constexpr const char* kFaultMark = "bfslab rank fault: ";

}  // namespace

std::string encode(const RankFault& fault) {
  return kFaultMark +
         dump({{"rank", fault.rank}, {"status", to_text(fault.status)}, {"reason", fault.reason}});
}

std::optional<RankFault> find_rank_fault(const std::string& log) {
  const std::size_t mark = log.find(kFaultMark);
  const std::size_t end = log.find('\n', mark);
  if (mark == std::string::npos || end == std::string::npos) return std::nullopt;
  const std::size_t begin = mark + std::string_view(kFaultMark).size();
  const json j = json::parse(log.substr(begin, end - begin), nullptr, false);
  if (j.is_discarded()) return std::nullopt;
  return RankFault{j.value("rank", 0U), status_from(j.value("status", "crash")),
                   j.value("reason", "")};
}

std::string rank_signal_line(unsigned rank, int signal) {
  return fmt::format("bfslab rank {} was ended by signal {} of another process\n", rank, signal);
}

std::vector<int> find_rank_signals(const std::string& log) {
  static const std::regex form(R"(bfslab rank \d+ was ended by signal (\d+) of another process)");
  std::vector<int> found;
  for (std::sregex_iterator each(log.begin(), log.end(), form), end; each != end; ++each) {
    found.push_back(std::stoi((*each)[1]));
  }
  return found;
}

std::string encode(const Request& request) {
  return std::visit([](const auto& r) { return dump(body(r)); }, request);
}

std::string encode(const Reply& reply) {
  return std::visit([](const auto& r) { return dump(body(r)); }, reply);
}

Request decode_request(const std::string& line) {
  return decode<Request>(line, [](const json& j, const std::string& is) -> Request {
    if (is == "open") {
      return OpenRequest{.work = j.at("work"),
                         .spec_file = j.at("file"),
                         .traverses = j.at("traverses"),
                         .whole = j.at("whole"),
                         .graph_alone = j.at("graph_alone"),
                         .data_folders = j.at("data").get<std::vector<std::string>>(),
                         .cache_folder = j.at("cache"),
                         .drawn_from = j.at("drawn_from"),
                         .drawn = j.at("drawn").get<std::vector<vertex_t>>()};
    }
    if (is == "trial") {
      TrialRequest trial{j.at("configuration"), {},
                         j.at("instrumented"),  j.at("check"),
                         j.at("reference"),     j.at("energy"),
                         j.at("depth_limit")};
      read(j, "source", trial.source);
      return trial;
    }
    if (is == "acknowledged") return Acknowledged{};
    if (is == "close") return CloseRequest{};
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
    if (is == "closed") return ClosedReply{j.at("fault"), calibration_from(j.at("calibration"))};
    if (is == "step") return StepReply{j.at("step").get<Step>()};
    throw std::runtime_error("unknown reply");
  });
}

}  // namespace bfslab
