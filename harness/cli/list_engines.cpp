// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/list_engines.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "datasets/text/spelling.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/spec/read.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string source_of(const EngineInfo& engine) {
  if (!engine.plugin.empty()) return "plugin " + engine.plugin;
  if (engine.paper.empty()) return "ours";
  return engine.paper + (engine.section.empty() ? "" : " " + engine.section) +
         (engine.reimplemented ? " (reimplemented)" : "");
}

// Breaks choices into lines that leave space for their meaning.
std::string choices_text(const std::vector<std::string>& choices) {
  constexpr std::size_t kWidth = 30;
  std::string text;
  std::size_t width = 0;
  for (const std::string& choice : choices) {
    if (width > 0 && width + 1 + choice.size() > kWidth) {
      text += "|\n";
      width = 0;
    } else if (width > 0) {
      text += '|';
      ++width;
    }
    text += choice;
    width += choice.size();
  }
  return text;
}

std::string values_of(const Toggle& toggle) {
  switch (toggle.kind) {
    case ToggleKind::flag:
      return "true|false";
    case ToggleKind::choice:
      return choices_text(toggle.choices);
    case ToggleKind::integer:
      return fmt::format("integer {:.0f}..{:.0f}", toggle.minimum, toggle.maximum);
    case ToggleKind::real:
      break;
  }
  return fmt::format("number {:g}..{:g}", toggle.minimum, toggle.maximum);
}

std::string either_of(const std::vector<ToggleValue>& values) {
  std::vector<std::string> words;
  for (const ToggleValue& value : values) words.push_back(to_text(value));
  return fmt::format("{}", fmt::join(words, " or "));
}

std::string settings_text(const ToggleSettings& settings) {
  std::string text;
  for (const auto& [toggle, value] : settings) {
    text += (text.empty() ? "" : ", ") + toggle + " = " + to_text(value);
  }
  return text;
}

std::string abilities(const EngineInfo& engine) {
  std::vector<std::string> words;
  if (engine.counts()) {
    words.emplace_back("facts of a graph, once; it traverses nothing");
    words.emplace_back(engine.can.directed ? "directed graphs too" : "symmetric graphs only");
    if (engine.can.recipe) words.emplace_back("graphs that are never built, from their recipe");
    return fmt::format("{}", fmt::join(words, ", "));
  }
  if (engine.can.levels) words.emplace_back("levels");
  if (engine.can.parents) words.emplace_back("parents");
  words.emplace_back(engine.can.directed ? "directed graphs too" : "symmetric graphs only");
  if (engine.can.needs_transpose) words.emplace_back("reads a directed graph's transpose");
  if (engine.can.gpu) words.emplace_back("GPU");
  if (engine.can.distributed) words.emplace_back("ranks");
  return fmt::format("{}", fmt::join(words, ", "));
}

void print_engine(const EngineInfo& engine) {
  fmt::print("{}  [{}]\n", engine.name, source_of(engine));
  print_table({{engine.summary}, {(engine.counts() ? "Counts: " : "Can: ") + abilities(engine)}},
              2);
  Rows rows;
  for (const Toggle& toggle : engine.toggles) {
    std::string doc = toggle.doc;
    if (!toggle.paper.empty()) doc += " [" + toggle.paper + "]";
    for (const LegalWith& legal : toggle.legal_with) {
      doc += fmt::format("; {}with {} = {} only",
                         legal.for_values.empty() ? "" : either_of(legal.for_values) + ' ',
                         legal.toggle, either_of(legal.values));
    }
    rows.push_back({toggle.name, values_of(toggle), to_text(toggle.default_value), doc});
  }
  if (!rows.empty()) rows.insert(rows.begin(), {"toggle", "values", "default", "meaning"});
  print_table(rows, 2);
  rows.clear();
  for (const ToggleGroup& group : engine.groups) {
    rows.push_back({"group " + group.name, "", group.doc});
    for (const auto& [value, settings] : group.expansions) {
      rows.push_back({"", to_text(value), settings_text(settings)});
    }
  }
  for (const Preset& preset : engine.presets) {
    rows.push_back({"preset " + preset.name, "", preset.doc});
    rows.push_back({"", "", settings_text(preset.settings)});
  }
  print_table(rows, 2);
  fmt::print("\n");
}

Json value_json(const ToggleValue& value) {
  return std::visit([](const auto& each) { return Json(each); }, value);
}

Json values_json(const std::vector<ToggleValue>& values) {
  Json json = Json::array();
  for (const ToggleValue& value : values) json.push_back(value_json(value));
  return json;
}

Json settings_json(const ToggleSettings& settings) {
  Json json = Json::object();
  for (const auto& [toggle, value] : settings) json[toggle] = value_json(value);
  return json;
}

Json toggle_json(const Toggle& toggle) {
  static constexpr const char* kKinds[] = {"flag", "integer", "real", "choice"};
  Json json = {{"name", toggle.name}, {"kind", kKinds[static_cast<int>(toggle.kind)]}};
  if (toggle.kind == ToggleKind::choice) json["choices"] = toggle.choices;
  if (toggle.kind == ToggleKind::integer || toggle.kind == ToggleKind::real) {
    json["minimum"] = toggle.minimum;
    json["maximum"] = toggle.maximum;
  }
  json["default"] = value_json(toggle.default_value);
  json["doc"] = toggle.doc;
  json["paper"] = toggle.paper;
  json["legal_with"] = Json::array();
  for (const LegalWith& legal : toggle.legal_with) {
    json["legal_with"].push_back({{"toggle", legal.toggle},
                                  {"values", values_json(legal.values)},
                                  {"for_values", values_json(legal.for_values)},
                                  {"reason", legal.reason}});
  }
  return json;
}

Json engine_json(const EngineInfo& engine) {
  Json json = {{"name", engine.name},
               {"paper", engine.paper},
               {"section", engine.section},
               {"summary", engine.summary},
               {"reimplemented", engine.reimplemented}};
  json["counts"] = engine.counts();
  json["can"] = {{"levels", !engine.counts() && engine.can.levels},
                 {"parents", !engine.counts() && engine.can.parents},
                 {"directed", engine.can.directed},
                 {"needs_transpose", engine.can.needs_transpose},
                 {"streamed_frontier", engine.can.streamed_frontier},
                 {"gpu", engine.can.gpu},
                 {"recipe", engine.can.recipe},
                 {"distributed", engine.can.distributed}};
  for (const char* key : {"toggles", "groups", "presets"}) json[key] = Json::array();
  for (const Toggle& toggle : engine.toggles) json["toggles"].push_back(toggle_json(toggle));
  for (const ToggleGroup& group : engine.groups) {
    Json expansions = Json::array();
    for (const auto& [value, settings] : group.expansions) {
      expansions.push_back({{"value", value_json(value)}, {"sets", settings_json(settings)}});
    }
    json["groups"].push_back(
        {{"name", group.name}, {"doc", group.doc}, {"expansions", expansions}});
  }
  for (const Preset& preset : engine.presets) {
    json["presets"].push_back(
        {{"name", preset.name}, {"doc", preset.doc}, {"sets", settings_json(preset.settings)}});
  }
  return json;
}

}  // namespace

[[noreturn]] void no_such(const std::string& what, const std::string& name,
                          const std::vector<std::string>& names) {
  const std::string nearest = nearest_spelling(name, names);
  throw InputError(fmt::format("no {} is called \"{}\"; there are {}{}", what, name,
                               fmt::join(names, ", "),
                               nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
}

void print_engines(const std::string& name, bool json) {
  std::vector<const EngineInfo*> chosen;
  std::vector<std::string> names;
  for (const EngineInfo* engine : engines()) {
    names.push_back(engine->name);
    if (name.empty() || name == engine->name) chosen.push_back(engine);
  }
  if (chosen.empty() && !name.empty()) no_such("engine", name, names);
  if (!json) {
    for (const EngineInfo* engine : chosen) print_engine(*engine);
    return;
  }
  Json list = Json::array();
  for (const EngineInfo* engine : chosen) list.push_back(engine_json(*engine));
  print_json(list);
}

}  // namespace bfslab
