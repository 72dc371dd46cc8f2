// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/extends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "datasets/graph/types.hpp"
#include "datasets/name/file_path.hpp"
#include "datasets/text/printable.hpp"
#include "harness/spec/position_map.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

Json parse(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
  PositionMap positions = PositionMap::scan(text);
  const bool well_formed = positions.well_formed();
  diagnostics.add_file(file, std::move(positions));
  if (!well_formed) diagnostics.throw_if_any();
  return Json::parse(text);
}

// Returns the path of the spec that the file that was read last extends.
std::string extended_file(const Json& extends, const std::vector<std::string>& chain,
                          Diagnostics& diagnostics) {
  const auto refuse = [&](const std::string& text) {
    diagnostics.add_to_last_file("extends", text);
    diagnostics.throw_if_any();
  };
  if (!extends.is_string() || extends.get_ref<const std::string&>().empty()) {
    refuse(fmt::format("found {}, expected a spec's file, relative to this one: \"fig11.json\"",
                       describe(extends)));
  }
  std::string file =
      (fs::path(chain.back()).parent_path() / extends.get<std::string>()).lexically_normal();
  std::error_code ignored;
  const auto again = std::find_if(chain.begin(), chain.end(), [&](const std::string& each) {
    return fs::weakly_canonical(each, ignored) == fs::weakly_canonical(file, ignored);
  });
  if (again != chain.end()) {
    refuse(fmt::format("found {}, which extends itself: {} -> {}, expected a chain that ends",
                       describe(extends), fmt::join(again, chain.end(), " -> "), *again));
  }
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    refuse(fmt::format("found {}, which is no file, expected a spec (a JSON file)", file));
  }
  return file;
}

// Rewrites the paths of `file:PATH` and of external programs, which `file` has relative to itself:
// relative to `outer`, which extends it.
void move_paths(Json& spec, const std::string& file, const std::string& outer) {
  constexpr std::string_view kKind = "file:";
  const fs::path from = fs::path(file).parent_path();
  const fs::path to = fs::absolute(fs::path(outer).parent_path() / ".").lexically_normal();
  if (!spec.is_object()) return;
  const auto moved = [&](const fs::path& path) {
    return fs::absolute(from / path).lexically_normal().lexically_relative(to).string();
  };
  if (spec.contains("external") && spec["external"].is_object()) {
    for (Json& program : spec["external"]) {
      if (!program.is_object() || !program.contains("program")) continue;
      Json& path = program["program"];
      if (path.is_string() && !path.empty()) path = moved(path.get<std::string>());
    }
  }
  if (!spec.contains("graphs") || !spec["graphs"].is_array()) return;
  for (Json& entry : spec["graphs"]) {
    Json* const name = entry.is_object() && entry.contains("name") ? &entry["name"] : &entry;
    if (!name->is_string()) continue;
    const std::string text = name->get<std::string>();
    if (!text.starts_with(kKind)) continue;
    std::size_t end = text.size();
    try {
      end = kKind.size() + path_length(text.substr(kKind.size()), from.string());
    } catch (const InputError&) {
      continue;  // refused where graphs are read
    }
    const fs::path path = text.substr(kKind.size(), end - kKind.size());
    if (path.empty() || path.is_absolute()) continue;
    *name = fmt::format("{}{}{}", kKind, moved(path), text.substr(end));
  }
}

void merge(Json& into, const Json& changes) {
  into.erase("name");
  into.erase("$schema");
  for (const auto& [key, value] : changes.items()) {
    Json& old = into[key];
    if ((key == "base" || key == "cases") && old.is_object() && value.is_object()) {
      old.update(value);
    } else {
      old = value;
    }
  }
}

}  // namespace

std::string read_spec_file(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw InputError(printable(path) + ": found a folder, expected a spec (a JSON file)");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (file) {
    // A device may have no end: a text that is too long is refused after its first bytes.
    std::string text(PositionMap::kMaxBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (!file.bad()) return text;
  }
  std::string message =
      printable(path) + ": cannot be read: " + (errno != 0 ? std::strerror(errno) : "input error");
  std::vector<std::string> neighbours;
  const fs::path wanted(path);
  const auto folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") neighbours.push_back(entry.path().filename());
  }
  const std::string nearest = nearest_spelling(wanted.filename().string(), neighbours);
  if (!nearest.empty()) {
    message += "; did you mean \"" + (wanted.parent_path() / nearest).string() + "\"?";
  }
  throw InputError(message);
}

Json resolve_extends(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
  std::vector<std::string> files{file};
  std::vector<Json> specs{parse(text, file, diagnostics)};
  while (const Json* extends = member(specs.back(), "extends")) {
    const std::string next = extended_file(*extends, files, diagnostics);
    std::string contents;
    try {
      contents = read_spec_file(next);
    } catch (const InputError& error) {
      diagnostics.add_to_last_file("extends", error.what());
      diagnostics.throw_if_any();
    }
    specs.push_back(parse(contents, next, diagnostics));
    files.push_back(next);
    if (specs.back().is_object()) continue;
    diagnostics.add_to_last_file("", fmt::format("found {}, expected an object: a spec that {} "
                                                 "extends",
                                                 describe(specs.back()), *(files.end() - 2)));
    diagnostics.throw_if_any();
  }
  for (std::size_t i = 1; i < specs.size(); ++i) move_paths(specs[i], files[i], file);
  Json merged = std::move(specs.back());
  for (std::size_t i = specs.size() - 1; i-- > 0;) merge(merged, specs[i]);
  if (merged.is_object()) merged.erase("extends");
  return merged;
}

}  // namespace bfslab
