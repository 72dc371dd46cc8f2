// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/overrides.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "datasets/graph/types.hpp"
#include "datasets/text/printable.hpp"
#include "harness/spec/json_path.hpp"
#include "harness/spec/position_map.hpp"

namespace bfslab {

namespace {

// Returns the JSON value of the text if it is JSON, else the text itself. A text that begins like
// JSON must be JSON.
Json read_value(std::string_view text) {
  if (!is_utf8(text)) throw InputError("the value is not UTF-8");
  const PositionMap map = PositionMap::scan(text);
  if (map.well_formed() && map.errors().empty()) return Json::parse(text);
  if (text.find_first_of("[{\"") != 0) return Json(std::string(text));
  const TextError& error = map.errors().front();
  throw InputError(fmt::format("the value is not JSON: at character {}: found {}, expected {}",
                               error.where.column, error.found, error.expected));
}

// Returns the place that `steps` lead to. Throws InputError if there is none.
Json& walk(Json& spec, const std::vector<PathStep>& steps) {
  Json* here = &spec;
  std::string path;
  for (const PathStep& step : steps) {
    if (const auto* index = std::get_if<std::size_t>(&step)) {
      if (!here->is_array() || *index >= here->size()) {
        throw InputError(fmt::format("`{}` is {}: it has no element [{}]",
                                     path.empty() ? "the spec" : path, describe(*here), *index));
      }
      path = element_path(path, *index);
      here = &(*here)[*index];
      continue;
    }
    const auto& key = std::get<std::string>(step);
    if (here->is_null()) *here = Json::object();  // created on the way
    if (!here->is_object()) {
      throw InputError(fmt::format("`{}` is {}: it has no key \"{}\"",
                                   path.empty() ? "the spec" : path, describe(*here), key));
    }
    path = child_path(path, key);
    here = &(*here)[key];
  }
  return *here;
}

void apply(const std::string& text, Json& spec, Diagnostics& diagnostics) {
  std::string_view rest = text;
  const std::vector<PathStep> steps = take_path(rest);
  if (rest.empty()) throw InputError("'=' and a value are missing: --set key=value");
  rest.remove_prefix(1);
  Json value = read_value(rest);
  Json changed = spec;  // a path that leads nowhere changes nothing
  walk(changed, steps) = std::move(value);
  spec = std::move(changed);
  diagnostics.overridden(path_text(steps), "--set " + text);
}

}  // namespace

void apply_overrides(const std::vector<std::string>& overrides, Json& spec,
                     Diagnostics& diagnostics) {
  for (const std::string& text : overrides) {
    try {
      apply(text, spec, diagnostics);
    } catch (const InputError& error) {
      diagnostics.add_option("--set " + text, error.what());
    }
  }
}

}  // namespace bfslab
