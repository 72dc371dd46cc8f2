// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/fields.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/json_path.hpp"
#include "harness/spec/spec.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kListedKeys = 8;  // a longer list would hide a good suggestion

// Matches code points, not bytes of UTF-8, since the pattern counts characters, as JSON Schema
// does.
bool matches(const std::string& pattern, const std::string& text) {
  std::wstring wide;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80U) wide += static_cast<wchar_t>(byte < 0x80U ? byte : 0xFFFDU);
  }
  return std::regex_match(wide, std::wregex(pattern.begin(), pattern.end()));
}

bool is_engine_key(const std::string& key) {
  for (const EngineInfo* engine : engines()) {
    for (const Toggle& toggle : engine->toggles) {
      if (toggle.name == key) return true;
    }
    for (const ToggleGroup& group : engine->groups) {
      if (group.name == key) return true;
    }
  }
  return key == "engine" || key == "preset";
}

void report_unknown(const Fields& fields, const std::string& key, const std::string& path,
                    Diagnostics& diagnostics) {
  const std::vector<std::string> names = names_of(fields);
  const std::string nearest = nearest_spelling(key, names);
  std::string expected = names.size() > kListedKeys && !nearest.empty()
                             ? fmt::format("one of the {} keys that go here", names.size())
                             : alternatives(names);
  if (path.empty() && nearest.empty() && is_engine_key(key)) {
    expected = "it inside \"base\" or a case: it is a setting of engines";
  }
  diagnostics.add(child_path(path, key), "unknown key " + quoted(key), expected, nearest,
                  Anchor::key);
}

}  // namespace

std::vector<std::string> names_of(const Fields& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

const Field& field_named(const Fields& fields, std::string_view name) {
  for (const Field& field : fields) {
    if (field.name == name) return field;
  }
  throw std::logic_error("no field " + std::string(name));
}

std::string expected_words(const Field& field) {
  switch (field.kind) {
    case FieldKind::text:
      return field.pattern_words.empty() ? "text" : field.pattern_words;
    case FieldKind::flag:
      return "true or false";
    case FieldKind::integer:
      return fmt::format("an integer from {} to {}", number_text(field.minimum),
                         number_text(field.maximum));
    case FieldKind::real:
      return fmt::format("a number from {} to {}", number_text(field.minimum),
                         number_text(field.maximum));
    case FieldKind::choice: {
      if (!field.pattern_words.empty()) return field.pattern_words;
      std::vector<std::string> words;
      for (const std::string& choice : field.choices) words.push_back(quoted(choice));
      return alternatives(words);
    }
    case FieldKind::other:
      break;
  }
  return {};
}

bool fits(const Field& field, const Json& value) {
  switch (field.kind) {
    case FieldKind::text: {
      if (!value.is_string()) return false;
      if (field.pattern.empty()) return true;
      return matches(field.pattern, value.get_ref<const std::string&>());
    }
    case FieldKind::flag:
      return value.is_boolean();
    case FieldKind::integer:
      if (!is_integer(value)) return false;
      break;
    case FieldKind::real:
      if (!value.is_number()) return false;
      break;
    case FieldKind::choice: {
      if (!value.is_string()) return false;
      for (const std::string& choice : field.choices) {
        if (value == choice) return true;
      }
      return false;
    }
    case FieldKind::other:
      return true;
  }
  const auto number = value.get<double>();
  return number >= field.minimum && number <= field.maximum;
}

const Json* good_member(const Json& object, const Fields& fields, const std::string& key) {
  const Json* value = member(object, key);
  return value != nullptr && fits(field_named(fields, key), *value) ? value : nullptr;
}

bool check_value(const Field& field, const Json& value, const std::string& path,
                 Diagnostics& diagnostics) {
  if (fits(field, value)) return true;
  const std::string nearest = field.kind == FieldKind::choice && value.is_string()
                                  ? nearest_spelling(value.get<std::string>(), field.choices)
                                  : std::string();
  diagnostics.add(path, describe(value), expected_words(field), nearest);
  return false;
}

bool check_once(const Json& list, const std::string& path, const std::string& expected,
                Diagnostics& diagnostics) {
  const Repetitions repeated = find_repetitions(list);
  if (repeated.count == 0) return true;
  std::string found = describe(list[repeated.first]) + " a second time";
  if (repeated.count > 1) found += fmt::format(", the first of {} repetitions", repeated.count);
  diagnostics.add(element_path(path, repeated.first), found, expected);
  return false;
}

bool check_object(const Fields& fields, const Json& value, const std::string& path,
                  Diagnostics& diagnostics) {
  if (!value.is_object()) {
    diagnostics.add(path, describe(value),
                    path.empty() ? "an object: {\"name\": ..., \"graphs\": [...], ...}"
                                 : "an object with the keys " + alternatives(names_of(fields)));
    return false;
  }
  for (const auto& [key, item] : value.items()) {
    bool known = false;
    for (const Field& field : fields) {
      if (field.name != key) continue;
      known = true;
      check_value(field, item, child_path(path, key), diagnostics);
    }
    if (!known) report_unknown(fields, key, path, diagnostics);
  }
  for (const Field& field : fields) {
    if (field.required && member(value, field.name) == nullptr) {
      diagnostics.add(path, "no key " + quoted(field.name), quoted(field.name) + ": " + field.doc);
    }
  }
  return true;
}

}  // namespace bfslab
