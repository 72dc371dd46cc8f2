// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "datasets/text/sha256.hpp"
#include "harness/spec/fields.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

// Turns doubles that are whole numbers into integers, and sorts objects unless their order matters.
Json normal(const Json& value, bool sort) {
  if (value.is_number_float() && is_integer(value)) return as_integer(value);
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(normal(item, true));
    return out;
  }
  if (!value.is_object()) return value;
  using Member = Json::object_t::value_type;
  std::vector<const Member*> members;
  for (const Member& each : value.get_ref<const Json::object_t&>()) members.push_back(&each);
  if (sort) std::ranges::sort(members, {}, [](const Member* each) { return each->first; });
  Json out = Json::object();
  // Appended, since [] would compare with every earlier key.
  auto& kept = out.get_ref<Json::object_t&>();
  for (const Member* each : members) {
    kept.emplace_back(each->first, normal(each->second, each->first != "sweep"));
  }
  return out;
}

// Returns the text of the fields for which `kept` holds.
template <typename Kept>
std::string text_of(const Json& json, const Kept& kept) {
  Json out = Json::object();
  for (const Field& field : spec_fields()) {
    const Json* value = member(json, field.name);
    if (value == nullptr || !kept(field)) continue;
    const bool ordered = field.name == "cases" || field.name == "sweep" || field.name == "zip";
    out[field.name] = normal(*value, !ordered);
  }
  return out.dump(2) + "\n";
}

}  // namespace

std::string canonical_text(const Json& json) {
  return text_of(json, [](const Field& field) { return field.name != "$schema"; });
}

std::string measured_text(const Json& json) {
  return text_of(json, [](const Field& field) { return field.role != FieldRole::drawing; });
}

std::string short_hash(const std::string& text) { return Sha256().add(text).hex().substr(0, 16); }

}  // namespace bfslab
