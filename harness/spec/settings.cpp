// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/spec/json_path.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kListedKeys = 16;  // keys of an engine in a message

template <typename Named>
const Named* named(const std::vector<Named>& table, const std::string& name) {
  for (const Named& item : table) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

std::string json_text(const ToggleValue& value) {
  return std::holds_alternative<std::string>(value) ? quoted(to_text(value)) : to_text(value);
}

bool takes(const EngineInfo& engine, const std::string& key) {
  const std::vector<std::string> keys = setting_keys(engine);
  return std::find(keys.begin(), keys.end(), key) != keys.end() ||
         process_field(engine, key) != nullptr;
}

void check_one(const EngineInfo& engine, const std::string& key, const Json& value,
               const std::string& path, Diagnostics& diagnostics) {
  if (key == "engine") return;
  if (const Toggle* toggle = named(engine.toggles, key)) {
    check_value(field_of(*toggle), value, path, diagnostics);
    return;
  }
  if (const Field* field = process_field(engine, key)) {
    check_value(*field, value, path, diagnostics);
    return;
  }
  std::vector<std::string> words;
  std::vector<std::string> names;
  if (key == "preset") {
    for (const Preset& preset : engine.presets) {
      if (value == preset.name) return;
      words.push_back(quoted(preset.name));
      names.push_back(preset.name);
    }
    words.back() += " (presets of " + engine.name + ")";
  } else if (const ToggleGroup* group = named(engine.groups, key)) {
    for (const auto& [expansion, settings] : group->expansions) {
      if (same_value(expansion, value)) return;
      words.push_back(json_text(expansion));
      names.push_back(to_text(expansion));
    }
  }
  const std::string nearest =
      value.is_string() ? nearest_spelling(value.get<std::string>(), names) : std::string();
  diagnostics.add(path, describe(value), alternatives(words), nearest);
}

// `once`: no value may repeat. A product over a value given twice would give every configuration
// twice; values taken in step may repeat.
void check_list(const Json& value, const std::string& path, bool once, Diagnostics& diagnostics) {
  if (!value.is_array() || value.empty()) {
    diagnostics.add(path, describe(value), "a list of values: [1, 2, 4]");
    return;
  }
  if (once) check_once(value, path, "each value once", diagnostics);
}

void report_unknown(const std::string& key, const std::string& path,
                    const std::vector<EngineUse>& uses, Diagnostics& diagnostics) {
  std::vector<const EngineInfo*> refusing;
  std::vector<std::string> common;
  for (const EngineUse& use : uses) {
    if (!takes(*use.engine, key) &&
        std::find(refusing.begin(), refusing.end(), use.engine) == refusing.end()) {
      refusing.push_back(use.engine);
    }
  }
  if (refusing.empty()) return;
  for (const std::string& candidate : setting_keys(*uses.front().engine)) {
    if (std::all_of(uses.begin(), uses.end(),
                    [&](const EngineUse& use) { return takes(*use.engine, candidate); })) {
      common.push_back(candidate);
    }
  }
  const bool one = std::all_of(uses.begin(), uses.end(), [&](const EngineUse& use) {
    return use.engine == uses.front().engine;
  });
  const std::string whose =
      one ? "a key of " + uses.front().engine->name : "a key that the engine of every case takes";
  std::string list;
  for (std::size_t i = 0; i < std::min(common.size(), kListedKeys); ++i) {
    list += (i == 0 ? ": " : ", ") + common[i];
  }
  if (common.size() > kListedKeys) {
    list += fmt::format(", ... (bfslab list engines {})", uses.front().engine->name);
  }
  if (std::all_of(uses.begin(), uses.end(),
                  [&](const EngineUse& use) { return !takes(*use.engine, key); })) {
    diagnostics.add(path, "unknown key " + quoted(key), whose + list, nearest_spelling(key, common),
                    Anchor::key);
    return;
  }
  for (const EngineUse& use : uses) {  // name the first case of each engine that refuses
    const auto found = std::find(refusing.begin(), refusing.end(), use.engine);
    if (found == refusing.end()) continue;
    refusing.erase(found);
    diagnostics.add(path,
                    fmt::format("{}, which {} (case \"{}\") does not take", quoted(key),
                                use.engine->name, use.case_name),
                    whose + list, {}, Anchor::key);
  }
}

}  // namespace

Field field_of(const Toggle& toggle) {
  Field field;
  field.name = toggle.name;
  field.doc = toggle.doc;
  field.minimum = toggle.minimum;
  field.maximum = toggle.maximum;
  field.choices = toggle.choices;
  field.default_json = json_text(toggle.default_value);
  switch (toggle.kind) {
    case ToggleKind::flag:
      field.kind = FieldKind::flag;
      break;
    case ToggleKind::integer:
      field.kind = FieldKind::integer;
      break;
    case ToggleKind::real:
      field.kind = FieldKind::real;
      break;
    case ToggleKind::choice:
      field.kind = FieldKind::choice;
      break;
  }
  return field;
}

ToggleValue toggle_value(const Toggle& toggle, const Json& value) {
  switch (toggle.kind) {
    case ToggleKind::flag:
      return value.get<bool>();
    case ToggleKind::integer:
      return as_integer(value);
    case ToggleKind::real:
      return value.get<double>();
    case ToggleKind::choice:
      break;
  }
  return value.get<std::string>();
}

bool same_value(const ToggleValue& expected, const Json& value) {
  if (const auto* flag = std::get_if<bool>(&expected)) {
    return value.is_boolean() && value.get<bool>() == *flag;
  }
  if (const auto* text = std::get_if<std::string>(&expected)) {
    return value.is_string() && value.get_ref<const std::string&>() == *text;
  }
  if (!value.is_number()) return false;
  const auto* integer = std::get_if<std::int64_t>(&expected);
  return value.get<double>() ==
         (integer != nullptr ? static_cast<double>(*integer) : std::get<double>(expected));
}

std::vector<std::string> setting_keys(const EngineInfo& engine) {
  std::vector<std::string> keys{"engine"};
  if (!engine.presets.empty()) keys.emplace_back("preset");
  for (const ToggleGroup& group : engine.groups) keys.push_back(group.name);
  for (const Toggle& toggle : engine.toggles) keys.push_back(toggle.name);
  for (const Field& field : process_fields()) {
    if (engine.can.distributed && named(engine.toggles, field.name) == nullptr) {
      keys.push_back(field.name);
    }
  }
  return keys;
}

const Field* process_field(const EngineInfo& engine, const std::string& key) {
  return named(engine.toggles, key) == nullptr ? named(process_fields(), key) : nullptr;
}

void check_settings(const Json& object, const std::string& path, const std::vector<EngineUse>& uses,
                    Form form, Diagnostics& diagnostics) {
  if (!object.is_object()) return;  // reported where it was read
  const bool lists = form != Form::values;
  std::vector<Setting> settings;
  for (const auto& [key, value] : object.items()) {
    const std::string here = child_path(path, key);
    if (lists) check_list(value, here, form == Form::product, diagnostics);
    if (!lists) settings.push_back({key, &value, here, Layer::base});
    if (uses.empty()) continue;
    report_unknown(key, here, uses, diagnostics);
    for (const EngineUse& use : uses) {
      if (!takes(*use.engine, key)) continue;
      if (!lists) {
        check_one(*use.engine, key, value, here, diagnostics);
      } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
          check_one(*use.engine, key, value[i], element_path(here, i), diagnostics);
        }
      }
    }
  }
  for (const EngineUse& use : uses) check_groups(*use.engine, settings, diagnostics);
}

}  // namespace bfslab
