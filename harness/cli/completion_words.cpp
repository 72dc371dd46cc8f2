// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/completion_words.hpp"

#include "datasets/catalog/catalog.hpp"
#include "datasets/name/bare_name.hpp"
#include "datasets/name/graph_name.hpp"
#include "harness/spec/fields.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

namespace {

std::vector<std::string> settings_of(const EngineInfo& engine) {
  std::vector<std::string> words;
  for (const Preset& preset : engine.presets) words.push_back("preset=" + preset.name);
  for (const ToggleGroup& group : engine.groups) {
    for (const auto& each : group.expansions) {
      words.push_back(group.name + "=" + to_text(each.first));
    }
  }
  for (const Toggle& toggle : engine.toggles) {
    if (toggle.kind == ToggleKind::flag) {
      words.push_back(toggle.name + "=true");
      words.push_back(toggle.name + "=false");
    } else if (toggle.kind == ToggleKind::choice) {
      for (const std::string& choice : toggle.choices) words.push_back(toggle.name + "=" + choice);
    } else {
      words.push_back(toggle.name + "=");
    }
  }
  return words;
}

}  // namespace

std::vector<std::string> graph_words() {
  std::vector<std::string> words = bare_names();
  for (const CatalogGroup& group : catalog().groups) words.push_back(group.name);
  for (const GraphKind& kind : graph_kinds()) words.push_back(kind.name + ":");
  return words;
}

std::vector<EngineWords> setting_words() {
  std::vector<EngineWords> words;
  for (const EngineInfo* engine : engines()) {
    if (!engine->counts()) words.push_back({engine->name, settings_of(*engine)});
  }
  return words;
}

std::vector<std::string> key_words() {
  std::vector<std::string> words;
  for (const Field& field : spec_fields()) {
    if (field.name != "$schema") words.push_back(field.name + "=");
  }
  return words;
}

}  // namespace bfslab
