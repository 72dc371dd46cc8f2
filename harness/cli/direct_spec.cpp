// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/direct_spec.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include "datasets/graph/types.hpp"
#include "datasets/name/graph_name.hpp"
#include "datasets/text/sha256.hpp"
#include "datasets/text/spelling.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/plugin/plugins.hpp"
#include "harness/record/table_file.hpp"
#include "harness/spec/runnable.hpp"

namespace bfslab {

namespace {

constexpr unsigned kMaxProcesses = 4;  // as many as an interval over processes needs

// Makes the path of a graph's file absolute; other names, and wrong ones, stay as they are.
std::string with_absolute_path(const std::string& graph) {
  constexpr std::string_view kFile = "file:";
  GraphName name;
  try {
    name = GraphName::parse(graph);
  } catch (const InputError&) {
    return graph;  // a group of the catalogue, or refused with the spec
  }
  if (name.kind != "file") return graph;
  const std::string given = graph.starts_with(kFile) ? graph.substr(kFile.size()) : graph;
  for (std::size_t length = given.size(); length > 0; --length) {
    const std::filesystem::path path = std::filesystem::absolute(given.substr(0, length));
    if (path.lexically_normal() == name.path) {
      return fmt::format("{}{}{}", kFile, name.path, given.substr(length));
    }
  }
  return graph;
}

}  // namespace

void add_direct_options(CLI::App& command, DirectArguments& arguments) {
  command
      .add_option("GRAPH", arguments.graphs,
                  "Graphs: kronecker:scale=16, soc-Epinions1, a file (bfslab list graphs)")
      ->required();
  command
      .add_option("--set", arguments.set,
                  "A setting of every engine, or of one: threads=2, hybrid.rule=beamer, "
                  "preset=tuned (bfslab list engines)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--sources", arguments.sources, "Sources of each graph")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--repeats", arguments.repeats,
                  "Timed searches from each source, shared among up to four processes")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--name", arguments.name,
                  "Name of the folder of rows, which can then grow (default: the command, and a "
                  "hash of what is measured)")
      ->type_name("NAME");
  command
      .add_option("--spec", arguments.spec_file,
                  "Also write the spec with which `bfslab run` does the same")
      ->type_name("FILE");
}

const EngineInfo& traversing_engine(const std::string& name) {
  const EngineInfo* found = find_engine(name);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const EngineInfo* each : engines()) {
      if (!each->counts()) names.push_back(each->name);
    }
    throw InputError(fmt::format(
        "--engine: no engine is called \"{}\"{} (bfslab list engines shows them; one of a "
        "plugin needs --plugin FILE)",
        name, did_you_mean(name, names)));
  }
  if (found->counts()) {
    throw InputError(fmt::format(
        "--engine {}: it counts facts of a graph and traverses nothing; name it in a spec for "
        "`bfslab run`",
        name));
  }
  return *found;
}

DirectSetting parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError(fmt::format("--set {}: expected KEY=VALUE, as in threads=2", text));
  }
  DirectSetting setting;
  setting.key = text.substr(0, equals);
  if (const std::size_t dot = setting.key.find('.'); dot != std::string::npos) {
    setting.engine = setting.key.substr(0, dot);
    setting.key.erase(0, dot + 1);
  }
  const std::string value = text.substr(equals + 1);
  setting.value = Json::parse(value, nullptr, false);
  if (setting.value.is_discarded()) setting.value = value;
  return setting;
}

Json begun_spec(const DirectArguments& arguments, bool allow_stand_ins) {
  Json spec = Json::object();
  spec["name"] = arguments.name.empty() ? "unnamed" : arguments.name;
  spec["graphs"] = Json::array();
  for (const std::string& graph : arguments.graphs) {
    spec["graphs"].push_back(with_absolute_path(graph));
  }
  spec["sources"] = {{"count", arguments.sources}};
  set_repeats(spec, arguments.repeats);
  if (allow_stand_ins) spec["allow_stand_ins"] = true;
  return spec;
}

void set_repeats(Json& spec, unsigned repeats) {
  unsigned processes = std::min(repeats, kMaxProcesses);
  while (repeats % processes != 0) --processes;
  spec["repeats"] = repeats;
  spec["invocations"] = processes;
}

Spec direct_spec(const Json& json, const std::string& command) {
  try {
    return parse_spec(json_text(json), command);
  } catch (const InputError& error) {
    // Positions in a text that the user did not write would not help.
    static const std::regex kLine("(^|\n)[^\n:]*:[0-9]+:[0-9]+: at ");
    static const std::regex kGraph("`graphs\\[[0-9]+\\](\\.name)?`: ");
    static const std::regex kSetting(
        "`(?:base|sweep|cases(?:\\.[^`.]+|\\[[^`]+\\])(?:\\.sweep)?)"
        "\\.([a-z0-9_]+)(?:\\[[0-9]+\\])?`: ");
    static const std::regex kKey("`([a-z_.]+)`: ");
    std::string text = std::regex_replace(error.what(), kLine, "$1" + command + ": ");
    text = std::regex_replace(text, kGraph, "GRAPH: ");
    text = std::regex_replace(text, kSetting, "--set $1: ");
    throw InputError(std::regex_replace(text, kKey, "--$1: "));
  }
}

std::string name_by_contents(const Json& json, const std::string& command) {
  constexpr std::size_t kDigits = 8;
  const Spec spec = direct_spec(json, command);
  std::set<std::string> files;  // hashes of plugins: another file is another measurement
  for (const Configuration& configuration : spec.configurations) {
    const Plugin* const plugin = plugin_of(configuration.engine->name);
    if (plugin != nullptr) files.insert(plugin->sha256);
  }
  std::string hash = spec.hash;
  if (!files.empty()) hash = Sha256().add(fmt::format("{} {}", hash, fmt::join(files, " "))).hex();
  return fmt::format("{}-{}", command, hash.substr(0, kDigits));
}

void write_spec(const std::string& file, const Json& json) {
  const std::string text = json_text(json);
  if (std::filesystem::exists(file)) {
    if (read_file(file) == text) return;
    throw InputError(fmt::format(
        "--spec {}: the file exists and has another text; remove it, or name another file", file));
  }
  write_file_atomically(file, text);
}

void require_engines_here(const Spec& spec, const std::string& command) {
  std::map<std::string, std::string> reasons;  // by engine
  for (const Configuration& each : spec.configurations) {
    if (reasons.contains(each.engine->name)) continue;
    std::string reason = cannot_make(each, spec.answer);
    if (!reason.empty()) reasons.emplace(each.engine->name, std::move(reason));
  }
  if (reasons.empty()) return;
  std::string text;
  for (const auto& [engine, reason] : reasons) {
    text += fmt::format("{}{}: {} cannot run here: {}", text.empty() ? "" : "\n", command, engine,
                        reason);
  }
  throw InputError(text);
}

}  // namespace bfslab
