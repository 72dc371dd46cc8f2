// SPDX-License-Identifier: Apache-2.0
// base, cases, sweep and zip in the schema: every key that some engine takes, with all the values
// that any engine takes for it. The parser checks the combinations.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/spec/schema.hpp"
#include "harness/spec/settings.hpp"

namespace bfslab {

namespace {

Json constant(const ToggleValue& value) {
  return std::visit([](const auto& each) { return Json(each); }, value);
}

// A key, as described by the engines that have it.
class Offers {
 public:
  // `schema`: description, default, and either an enum or a type with its range.
  void add(const std::string& engine, Json schema) {
    std::string doc = schema.value("description", std::string());
    Json preset = schema.value("default", Json());
    schema.erase("description");
    schema.erase("default");
    if (schema.contains("enum")) {
      for (const Json& value : schema["enum"]) put(values_, value);
    } else {
      put(ranges_, schema);
    }
    put(defaults_, preset);
    const auto same = std::find_if(docs_.begin(), docs_.end(),
                                   [&](const auto& each) { return each.first == doc; });
    if (same == docs_.end()) {
      docs_.emplace_back(std::move(doc), engine);
    } else if (!engine.empty()) {
      same->second += ", " + engine;
    }
  }

  [[nodiscard]] Json schema() const {
    std::string text;
    for (const auto& [doc, engines] : docs_) {
      if (!text.empty()) text += "; ";
      text += engines.empty() ? doc : engines + ": " + doc;
    }
    Json out = {{"description", text}};
    Json alternatives = ranges_;
    if (!values_.empty()) alternatives.push_back({{"enum", values_}});
    if (alternatives.size() == 1) {
      out.update(alternatives.front());
    } else {
      out["anyOf"] = alternatives;
    }
    if (defaults_.size() == 1 && !defaults_.front().is_null()) out["default"] = defaults_.front();
    return out;
  }

 private:
  static void put(Json& list, const Json& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  }

  Json values_ = Json::array();
  Json ranges_ = Json::array();
  Json defaults_ = Json::array();
  std::vector<std::pair<std::string, std::string>> docs_;  // sentence, engines
};

Json presets_schema(const EngineInfo& engine) {
  Json schema = {{"description", "where toggles start:"}, {"enum", Json::array()}};
  std::string doc;
  for (const Preset& preset : engine.presets) {
    doc += (doc.empty() ? "where toggles start: " : ", ") + preset.name;
    if (!preset.doc.empty()) doc += " (" + preset.doc + ")";
    schema["enum"].push_back(preset.name);
  }
  schema["description"] = doc;
  return schema;
}

Json group_schema(const ToggleGroup& group) {
  Json schema = {{"description", group.doc}, {"enum", Json::array()}};
  for (const auto& [value, settings] : group.expansions) schema["enum"].push_back(constant(value));
  return schema;
}

}  // namespace

void add_setting_schemas(Json& definitions) {
  std::map<std::string, Offers> offers;
  Json names = Json::array();
  for (const EngineInfo* engine : engines()) {
    names.push_back({{"const", engine->name}, {"description", engine->summary}});
    if (!engine->presets.empty()) offers["preset"].add(engine->name, presets_schema(*engine));
    for (const ToggleGroup& group : engine->groups) {
      offers[group.name].add(engine->name, group_schema(group));
    }
    for (const Toggle& toggle : engine->toggles) {
      Field field = field_of(toggle);
      if (!toggle.paper.empty()) field.doc += " (" + toggle.paper + ")";
      offers[toggle.name].add(engine->name, field_schema(field));
    }
  }
  for (const Field& field : process_fields()) offers[field.name].add("", field_schema(field));

  names.push_back({{"type", "string"},
                   {"pattern", "^external:[a-z0-9][a-z0-9._-]{0,39}$"},
                   {"description", "a program that the spec's key \"external\" describes"}});
  Json values = {{"engine", {{"$ref", "#/$defs/engine"}}}};
  Json lists = {{"engine", {{"$ref", "#/$defs/list"}, {"items", values["engine"]}}}};
  definitions["engine"] = {{"description", "who traverses, or counts (bfslab list engines)"},
                           {"anyOf", names}};
  for (const auto& [key, each] : offers) {
    const Json reference = {{"$ref", "#/$defs/setting." + key}};
    definitions["setting." + key] = each.schema();
    values[key] = reference;
    lists[key] = {{"$ref", "#/$defs/list"}, {"items", reference}};
  }
  values["sweep"] = {{"$ref", "#/$defs/sweep"}};
  lists["illegal"] = field_schema(illegal_field());
  definitions["list"] = {{"type", "array"}, {"minItems", 1}};
  definitions["settings"] = {
      {"type", "object"}, {"properties", values}, {"additionalProperties", false}};
  definitions["lists"] = {{"type", "object"},
                          {"minProperties", 1},
                          {"properties", lists},
                          {"additionalProperties", false}};
  definitions["sweep"] = {{"description", "lists of values: their product; each value once"},
                          {"$ref", "#/$defs/lists"},
                          {"additionalProperties", {{"uniqueItems", true}}}};
}

}  // namespace bfslab
