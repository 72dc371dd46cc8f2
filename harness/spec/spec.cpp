// Text -> positions -> JSON -> --set -> validation -> configurations. Each pass needs the previous
// one: a text that is not JSON has no keys to check.
#include "harness/spec/spec.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/json_value.hpp"
#include "harness/spec/overrides.hpp"
#include "harness/spec/position_map.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError(path + ": found a folder, expected a spec (a JSON file)");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) {
    std::string message =
        path + ": cannot be read: " + (errno != 0 ? std::strerror(errno) : "input error");
    std::vector<std::string> neighbours;
    const std::filesystem::path wanted(path);
    const auto folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".json") neighbours.push_back(entry.path().filename());
    }
    const std::string nearest = nearest_spelling(wanted.filename().string(), neighbours);
    if (!nearest.empty()) {
      message += "; did you mean \"" + (wanted.parent_path() / nearest).string() + "\"?";
    }
    throw InputError(message);
  }
  return std::move(text).str();
}

}  // namespace

bool Spec::traverses() const {
  return std::ranges::any_of(configurations,
                             [](const Configuration& each) { return !each.engine->counts(); });
}

bool Spec::needs_graphs() const {
  return std::ranges::any_of(configurations, [](const Configuration& each) {
    return !each.engine->counts() || !each.engine->can.recipe;
  });
}

Spec parse_spec(const std::string& text, const std::string& file,
                const std::vector<std::string>& overrides) {
  const PositionMap positions = PositionMap::scan(text);
  Diagnostics diagnostics(file, positions);
  for (const TextError& error : positions.errors()) diagnostics.add_syntax(error);
  if (!positions.well_formed()) diagnostics.throw_if_any();
  Json json = Json::parse(text);
  if (json.is_object()) apply_overrides(overrides, json, diagnostics);
  Spec spec;
  spec.file = file;
  read_plain_keys(json, spec, diagnostics);
  read_graphs(json, spec, diagnostics);
  read_configurations(json, spec, diagnostics);
  diagnostics.throw_if_any();
  spec.canonical = canonical_text(json);
  spec.hash = short_hash(spec.canonical);
  return spec;
}

Spec load_spec(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_spec(read_file(path), path, overrides);
}

}  // namespace bfslab
