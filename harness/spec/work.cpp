// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <variant>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

// Keys whose meaning is already in the graph and the configurations.
constexpr const char* kResolved[] = {"base", "cases", "sweep", "zip", "baseline"};

Json json_of(const Configuration& configuration) {
  Json toggles = Json::object();
  for (const auto& setting : configuration.toggles.values()) {
    std::visit([&](const auto& value) { toggles[setting.first] = value; }, setting.second);
  }
  return {{"case", configuration.case_name},
          {"engine", configuration.engine->name},
          {"toggles", toggles},
          {"ranks", configuration.ranks},
          {"gpus_per_rank", configuration.gpus_per_rank}};
}

ToggleValue value_of(const Toggle& toggle, const Json& json) {
  switch (toggle.kind) {
    case ToggleKind::flag:
      return json.get<bool>();
    case ToggleKind::integer:
      return json.get<std::int64_t>();
    case ToggleKind::real:
      return json.get<double>();
    default:
      return json.get<std::string>();
  }
}

const EngineInfo& engine_named(const Spec& spec, const std::string& name) {
  const auto external =
      std::ranges::find_if(spec.external, [&](const auto& each) { return each->name == name; });
  const EngineInfo* const found =
      external == spec.external.end() ? find_engine(name) : external->get();
  if (found == nullptr) throw std::runtime_error(fmt::format("work: no engine {}", name));
  return *found;
}

Configuration configuration_from(const Spec& spec, const Json& json) {
  Configuration made;
  made.case_name = json.at("case");
  made.engine = &engine_named(spec, json.at("engine"));
  made.toggles = Toggles(made.engine->toggles);
  for (const Toggle& toggle : made.engine->toggles) {
    made.toggles.set(toggle.name, value_of(toggle, json.at("toggles").at(toggle.name)));
  }
  made.ranks = json.at("ranks");
  made.gpus_per_rank = json.at("gpus_per_rank");
  return made;
}

}  // namespace

std::string work_text(const Spec& spec, std::size_t graph,
                      std::span<const std::size_t> configurations) {
  Json plain = Json::parse(spec.canonical);
  for (const char* key : kResolved) plain.erase(key);
  const GraphEntry& entry = spec.graphs.at(graph);
  plain["graphs"] = {entry.text};
  Json list = Json::array();
  for (const std::size_t c : configurations) list.push_back(json_of(spec.configurations.at(c)));
  const Json out = {{"plain", plain},
                    {"hash", spec.hash},
                    {"stand_in_for", entry.stand_in_for},
                    {"max_sources", entry.max_sources},
                    {"configurations", list}};
  return out.dump();
}

Spec read_work(const std::string& text, const std::string& file) {
  const Json json = Json::parse(text);
  Spec spec;
  spec.file = file;
  spec.hash = json.at("hash");
  Diagnostics none;  // the driver has refused specs with errors
  read_plain_keys(json.at("plain"), spec, none);
  read_external(json.at("plain"), spec, none);
  GraphEntry graph;
  graph.text = json.at("plain").at("graphs").at(0);
  graph.name = GraphName::parse(graph.text, folder_of(file));
  graph.stand_in_for = json.at("stand_in_for");
  graph.max_sources = json.at("max_sources");
  spec.graphs.push_back(graph);
  for (const Json& each : json.at("configurations")) {
    spec.configurations.push_back(configuration_from(spec, each));
  }
  return spec;
}

}  // namespace bfslab
