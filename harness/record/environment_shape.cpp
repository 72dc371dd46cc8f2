// SPDX-License-Identifier: Apache-2.0
#include "harness/record/environment_shape.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

using ParsedJson = nlohmann::json;

enum class Kind { text, count, flag, object, list, device };

struct Expected {
  std::string_view path;  // keys joined by dots; * is any element of a list
  Kind kind;
};

// plots/files.py has the same table.
constexpr Expected kShape[] = {
    {"format", Kind::count},
    {"host", Kind::text},
    {"commit", Kind::text},
    {"dirty", Kind::flag},
    {"build_hash", Kind::text},
    {"environment", Kind::text},
    {"utc", Kind::text},
    {"spec_hash", Kind::text},
    {"arguments", Kind::list},
    {"arguments.*", Kind::text},
    {"cpu", Kind::object},
    {"cpu.model", Kind::text},
    {"cpu.signature", Kind::text},
    {"cpu.allowed", Kind::count},
    {"cpu.logical", Kind::count},
    {"cpu.caches", Kind::list},
    {"cpu.caches.*", Kind::object},
    {"cpu.caches.*.level", Kind::text},
    {"cpu.caches.*.size", Kind::text},
    {"cpu.caches.*.type", Kind::text},
    {"gpu", Kind::object},
    {"gpu.devices", Kind::list},
    {"gpu.devices.*", Kind::device},
    {"gpu.devices.*.name", Kind::text},
    {"gpu.devices.*.uuid", Kind::text},
    {"limits", Kind::object},
    {"slurm_job", Kind::text},
    {"modules", Kind::list},
    {"modules.*", Kind::text},
    {"compiled_for", Kind::object},
    {"compiled_for.cpu", Kind::text},
    {"compiled_for.target", Kind::text},
    {"left_out", Kind::list},
    {"left_out.*", Kind::text},
    {"builds", Kind::list},
    {"builds.*", Kind::object},
    {"builds.*.build_hash", Kind::text},
    {"builds.*.commit", Kind::text},
    {"builds.*.dirty", Kind::flag},
    {"builds.*.plugins", Kind::list},
    {"builds.*.plugins.*", Kind::object},
    {"builds.*.plugins.*.file", Kind::text},
    {"builds.*.plugins.*.sha256", Kind::text},
    {"builds.*.plugins.*.engines", Kind::list},
    {"builds.*.plugins.*.engines.*", Kind::text},
    {"resumed", Kind::list},
    {"resumed.*", Kind::object},
    {"resumed.*.environment", Kind::text},
    {"resumed.*.spec_hash", Kind::text},
    {"resumed.*.previous_spec_hash", Kind::text},
    {"resumed.*.repeats_before", Kind::count},
    {"resumed.*.slurm_job", Kind::text},
    {"resumed.*.modules", Kind::list},
    {"resumed.*.modules.*", Kind::text},
};

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {
      "a text",    "a number", "true or false",
      "an object", "a list",   "an object or a text"};  // older devices are lines of text
  return kNames[static_cast<int>(kind)];
}

bool is_of(const ParsedJson& value, Kind kind) {
  switch (kind) {
    case Kind::text:
      return value.is_string();
    case Kind::count:
      return value.is_number();
    case Kind::flag:
      return value.is_boolean();
    case Kind::object:
      return value.is_object();
    case Kind::list:
      return value.is_array();
    case Kind::device:
      return value.is_object() || value.is_string();
  }
  return false;
}

// Calls `look` with each value that `path` names inside `value`, and with its place:
// builds.0.commit.
void each_at(const ParsedJson& value, std::string_view path, const std::string& at,
             const std::function<void(const ParsedJson&, const std::string&)>& look) {
  if (path.empty()) return look(value, at);
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string key(path.substr(0, dot));
  const std::string_view rest = path.substr(std::min(dot + 1, path.size()));
  const auto enter = [&](const ParsedJson& inside, const std::string& name) {
    each_at(inside, rest, at.empty() ? name : fmt::format("{}.{}", at, name), look);
  };
  if (key == "*" && value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) enter(value[i], std::to_string(i));
  } else if (value.is_object() && value.contains(key)) {
    enter(value.at(key), key);
  }
}

}  // namespace

void require_environment_shape(const std::string& environment, const std::string& path) {
  const ParsedJson all = ParsedJson::parse(environment, nullptr, false);
  if (!all.is_object()) return;
  for (const Expected& expected : kShape) {
    each_at(all, expected.path, "", [&](const ParsedJson& value, const std::string& at) {
      if (value.is_null() || is_of(value, expected.kind)) return;
      const std::string shown =
          value.is_structured() ? name_of(value.is_array() ? Kind::list : Kind::object)
                                : value.dump(-1, ' ', true, ParsedJson::error_handler_t::replace);
      throw InputError(
          fmt::format("{}: at `{}`: found {}, expected {}; something else has changed the file",
                      path, at, shown, name_of(expected.kind)));
    });
  }
}

}  // namespace bfslab
