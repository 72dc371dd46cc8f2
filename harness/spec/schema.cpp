// SPDX-License-Identifier: Apache-2.0
// spec_schema(): the specs that the parser accepts, as JSON Schema, from the same tables.
#include "harness/spec/schema.hpp"

#include <nlohmann/json.hpp>

#include "datasets/catalog/catalog.hpp"
#include "datasets/name/bare_name.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

Json field_schema(const Field& field) {
  Json schema = Json::object();
  if (!field.doc.empty()) schema["description"] = field.doc;
  switch (field.kind) {
    case FieldKind::text:
      schema["type"] = "string";
      if (!field.pattern.empty()) schema["pattern"] = field.pattern;
      break;
    case FieldKind::flag:
      schema["type"] = "boolean";
      break;
    case FieldKind::integer:
      schema["type"] = "integer";
      schema["minimum"] = static_cast<std::int64_t>(field.minimum);
      schema["maximum"] = static_cast<std::int64_t>(field.maximum);
      break;
    case FieldKind::real:
      schema["type"] = "number";
      schema["minimum"] = field.minimum;
      schema["maximum"] = field.maximum;
      break;
    case FieldKind::choice:
      schema["enum"] = field.choices;
      break;
    case FieldKind::other:
      break;
  }
  if (!field.default_json.empty()) schema["default"] = Json::parse(field.default_json);
  return schema;
}

Json object_schema(const Fields& fields, const std::string& description) {
  Json schema = {{"description", description}, {"type", "object"}};
  for (const Field& field : fields) {
    if (field.required) schema["required"].push_back(field.name);
  }
  for (const Field& field : fields) schema["properties"][field.name] = field_schema(field);
  schema["additionalProperties"] = false;
  return schema;
}

namespace {

Json reference(const std::string& definition) { return {{"$ref", "#/$defs/" + definition}}; }

Json list_of(const Json& items) {
  return {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", items}};
}

Json graph_name_schema() {
  Json kinds = Json::array();
  for (const GraphKind& kind : graph_kinds()) {
    std::string description = kind.doc;
    for (const GraphParameter& parameter : kind.parameters) {
      description += "; " + parameter.name + ": " + parameter.doc;
      if (!parameter.default_value.empty()) description += " (" + parameter.default_value + ")";
    }
    kinds.push_back({{"description", description}, {"pattern", graph_pattern(kind)}});
  }
  kinds.push_back({{"description",
                    "a graph of the catalogue (bfslab list graphs), or the stand-in "
                    "that it has"},
                   {"pattern", bare_name_pattern(bare_names())}});
  return {{"description", "a graph's name: KIND:PARAMETER=VALUE,..., or the catalogue's"},
          {"type", "string"},
          {"anyOf", kinds}};
}

Json group_schema() {
  Json groups = Json::array();
  for (const CatalogGroup& group : catalog().groups) {
    groups.push_back({{"description", group.doc}, {"const", group.name}});
  }
  return {{"description", "a group of the catalogue: its members in order"}, {"anyOf", groups}};
}

Json external_schema() {
  Json schema = object_schema(external_fields(), "a program that runs a search in a process");
  Json& properties = schema["properties"];
  properties["arguments"].update(
      {{"type", "array"}, {"maxItems", 256}, {"items", {{"type", "string"}}}});
  properties["environment"].update(
      {{"type", "object"},
       {"propertyNames", {{"pattern", environment_name_field().pattern}}},
       {"additionalProperties", {{"type", "string"}}}});
  properties["time"] = object_schema(time_format_fields(), properties["time"]["description"]);
  properties["passed"] = object_schema(passed_format_fields(), properties["passed"]["description"]);
  properties["levels"] = object_schema(levels_format_fields(), properties["levels"]["description"]);
  return schema;
}

// Writes a value on one line if it fits into 120 columns: dump() alone gives every bracket a
// line.
std::string layout(const Json& value, std::size_t indent) {
  std::string line = value.dump();
  if (indent + line.size() <= 120 || !value.is_structured()) return line;
  const std::string margin(indent + 2, ' ');
  std::string out;
  for (const auto& [key, item] : value.items()) {
    out += out.empty() ? "\n" : ",\n";
    out += margin;
    if (value.is_object()) out += quoted(key) + ": ";
    out += layout(item, indent + 2);
  }
  const std::string closing = '\n' + std::string(indent, ' ');
  return value.is_object() ? '{' + out + closing + '}' : '[' + out + closing + ']';
}

Json source_ids_schema() {
  Json schema = object_schema(source_ids_fields(), "named by ids");
  Json& ids = schema["properties"]["ids"];
  Json list = list_of(field_schema(source_id_field()));
  list["description"] = ids["description"];
  ids = std::move(list);
  return schema;
}

// Keys whose values have a separate reader in the parser have a separate schema here.
void complete(Json& properties) {
  const auto complete_one = [&](const std::string& key, const Json& schema) {
    Json described = {{"description", properties[key]["description"]}};
    described.update(schema);
    properties[key] = std::move(described);
  };
  complete_one(
      "graphs",
      list_of(
          {{"anyOf", {reference("graph"), reference("graph_entry"), reference("graph_group")}}}));
  complete_one("sources", {{"anyOf",
                            {object_schema(source_fields(), "chosen by a rule"),
                             source_ids_schema(), list_of(field_schema(listed_source_field()))}}});
  Json fixed = field_schema(field_named(repeat_fields(), "max"));
  fixed["description"] = "a fixed number";
  complete_one(
      "repeats",
      {{"anyOf",
        {fixed, object_schema(repeat_fields(), "between min and max, by a stopping rule")}},
       {"default", 1}});
  complete_one("external", {{"type", "object"},
                            {"minProperties", 1},
                            {"propertyNames", {{"pattern", external_name_field().pattern}}},
                            {"additionalProperties", external_schema()}});
  complete_one("base", {{"$ref", "#/$defs/settings"}, {"properties", {{"sweep", false}}}});
  complete_one("cases", {{"type", "object"},
                         {"minProperties", 1},
                         {"propertyNames", {{"pattern", case_name_field().pattern}}},
                         {"additionalProperties", reference("settings")}});
  complete_one("sweep", reference("sweep"));
  complete_one("zip", {{"$ref", "#/$defs/lists"}, {"properties", {{"illegal", false}}}});
  complete_one("record", list_of(field_schema(record_field())));
  properties["record"]["default"] = Json::array({"time"});
  complete_one("figure", {{"anyOf", {reference("figure"), list_of(reference("figure"))}}});
  properties["limits"] = object_schema(limit_fields(), properties["limits"]["description"]);
  properties["pollution"] =
      object_schema(pollution_fields(), properties["pollution"]["description"]);
}

}  // namespace

std::string spec_schema() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "bfslab experiment"}};
  schema.update(
      object_schema(spec_fields(), "One experiment: graphs, engines, and what to record"));
  complete(schema["properties"]);
  schema["required"] = {"name"};
  schema["anyOf"] = {{{"required", {"graphs"}}}, {{"required", {"extends"}}}};
  Json definitions = Json::object();
  definitions["graph"] = graph_name_schema();
  Json entry = object_schema(graph_entry_fields(), "a graph, and what it stands in for");
  entry["properties"]["name"] = reference("graph");
  definitions["graph_entry"] = entry;
  definitions["graph_group"] = group_schema();
  definitions["figure"] = field_schema(figure_field());
  add_setting_schemas(definitions);
  schema["$defs"] = definitions;
  return layout(schema, 0) + "\n";
}

}  // namespace bfslab
