// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/growth.hpp"

#include <nlohmann/json.hpp>

#include "datasets/graph/types.hpp"
#include "harness/spec/fields.hpp"
#include "harness/spec/json_path.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

using Change = std::optional<ProtocolChange>;

Json parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json();
}

Json value_of(const Json& object, const Field& field) {
  const Json* value = member(object, field.name);
  if (value != nullptr) return *value;
  return field.default_json.empty() ? Json() : Json::parse(field.default_json);
}

Change change(const std::string& key, const Json& recorded, const Json& wanted) {
  if (recorded == wanted) return std::nullopt;
  const auto text = [](const Json& value) { return value.is_null() ? "nothing" : value.dump(); };
  return ProtocolChange{key, text(recorded), text(wanted)};
}

// Compares the fields that are protocol of two objects.
Change compare_fields(const Fields& fields, const std::string& path, const Json& recorded,
                      const Json& wanted) {
  for (const Field& field : fields) {
    if (field.role != FieldRole::protocol) continue;
    Change found =
        change(child_path(path, field.name), value_of(recorded, field), value_of(wanted, field));
    if (found) return found;
  }
  return std::nullopt;
}

Json object_at(const Json& spec, const char* key) {
  const Json* value = member(spec, key);
  return value == nullptr ? Json::object() : *value;
}

// A list of ids grows and shrinks at its end, so that the recorded vertices are those of the ids.
Change compare_ids(const Json& recorded, const Json& wanted) {
  const std::size_t common = std::min(recorded.size(), wanted.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (recorded[i] != wanted[i]) return change("sources.ids", recorded, wanted);
  }
  return std::nullopt;
}

Change compare_sources(const Json& recorded, const Json& wanted) {
  if (recorded.is_array() != wanted.is_array() ||
      recorded.contains("ids") != wanted.contains("ids")) {
    return change("sources", recorded, wanted);
  }
  if (recorded.is_array()) return std::nullopt;
  if (recorded.contains("ids")) return compare_ids(recorded["ids"], wanted["ids"]);
  return compare_fields(source_fields(), "sources", recorded, wanted);
}

// Returns the rule of "repeats". A number is the number of repeats, without a stopping rule.
Json repeats_of(const Json& spec) {
  const Json* value = member(spec, "repeats");
  if (value != nullptr && value->is_object()) return *value;
  return {{"max", value == nullptr ? Json(1) : *value}};
}

unsigned number_of(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_number_unsigned() ? value->get<unsigned>() : 1U;
}

// Repeats 0 to n-1 belong to the first process, and so on: another n would move rows from one
// process to another. With one invocation, the added repeats still belong to another process
// (`repeats_before` in environment.json).
Change compare_invocations(const Json& recorded, const Json& wanted) {
  const unsigned before = number_of(recorded, "invocations");
  const unsigned now = number_of(wanted, "invocations");
  if (before == 1 && now == 1) return std::nullopt;
  const auto share = [](const Json& spec, unsigned invocations) {
    return number_of(repeats_of(spec), "max") / invocations;
  };
  return change("repeats / invocations", share(recorded, before), share(wanted, now));
}

// A program keeps its definition as long as it has rows; another one may join it.
Change compare_external(const Json& recorded, const Json& wanted) {
  for (const auto& [name, program] : recorded.items()) {
    const Json* now = member(wanted, name);
    if (now == nullptr) continue;  // if it has rows, they are refused elsewhere
    for (const Field& field : external_fields()) {
      Change found = change(child_path(child_path("external", name), field.name),
                            value_of(program, field), value_of(*now, field));
      if (found) return found;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProtocolChange> protocol_change(const std::string& recorded,
                                              const std::string& wanted) {
  const Json before = parse(recorded);
  const Json now = parse(wanted);
  if (before.is_null()) throw InputError("the recorded spec is no JSON object");
  const auto nested = [&](const char* key, const Fields& fields) {
    return compare_fields(fields, key, object_at(before, key), object_at(now, key));
  };
  for (const Field& field : spec_fields()) {
    Change found;
    if (field.name == "sources") {
      found = compare_sources(object_at(before, "sources"), object_at(now, "sources"));
    } else if (field.name == "repeats") {
      found = compare_fields(repeat_fields(), "repeats", repeats_of(before), repeats_of(now));
    } else if (field.name == "invocations") {
      found = compare_invocations(before, now);
    } else if (field.name == "external") {
      found = compare_external(object_at(before, "external"), object_at(now, "external"));
    } else if (field.name == "limits") {
      found = nested("limits", limit_fields());
    } else if (field.name == "pollution") {
      found = nested("pollution", pollution_fields());
    } else if (field.role == FieldRole::protocol) {
      found = change(field.name, value_of(before, field), value_of(now, field));
    }
    if (found) return found;
  }
  return std::nullopt;
}

std::string spec_hash_of(const std::string& canonical) {
  const Json json = parse(canonical);
  return json.is_null() ? std::string() : short_hash(measured_text(json));
}

unsigned max_repeats(const std::string& canonical) {
  return number_of(repeats_of(parse(canonical)), "max");
}

}  // namespace bfslab
