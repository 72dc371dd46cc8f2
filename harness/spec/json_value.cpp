// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/json_value.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/toggle.hpp"

namespace bfslab {

namespace {
constexpr double kExact = 9007199254740992.0;  // 2^53
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string describe(const Json& value) {
  if (value.is_string()) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 80) {
      std::size_t end = 76;  // not inside a UTF-8 sequence
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
      text = text.substr(0, end) + "...\"";
    }
    return text;
  }
  if (value.is_object()) return value.empty() ? "an empty object" : "an object";
  if (value.is_array()) {
    return value.empty() ? "an empty array" : fmt::format("an array of {}", value.size());
  }
  if (value.is_number_float()) return number_text(value.get<double>());
  return value.dump();
}

bool is_integer(const Json& value) {
  if (!value.is_number()) return false;
  const auto number = value.get<double>();
  return std::fabs(number) <= kExact && number == std::floor(number);
}

std::int64_t as_integer(const Json& value) {
  return value.is_number_float() ? static_cast<std::int64_t>(value.get<double>())
                                 : value.get<std::int64_t>();
}

std::string number_text(double value) {
  if (std::fabs(value) <= kExact && value == std::floor(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return to_text(ToggleValue(value));
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

Repetitions find_repetitions(const Json& list) {
  const auto less = [](const Json* a, const Json* b) { return *a < *b; };
  std::set<const Json*, decltype(less)> seen(less);
  Repetitions found;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!seen.insert(&list[i]).second && found.count++ == 0) found.first = i;
  }
  return found;
}

const Json* member(const Json& object, const std::string& key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace bfslab
