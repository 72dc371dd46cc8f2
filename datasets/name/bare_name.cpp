// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/bare_name.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/catalog/catalog.hpp"
#include "datasets/name/graph_name.hpp"
#include "datasets/text/spelling.hpp"

namespace bfslab {

namespace {

// "a=1,b=2" without the item of that key; what precedes the first comma or colon is kept.
std::string without_option(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key + '=');
  if (at == std::string::npos || at == 0 || (text[at - 1] != ',' && text[at - 1] != ':')) {
    return text;
  }
  const std::size_t end = text.find(',', at);
  if (end != std::string::npos) return text.substr(0, at) + text.substr(end + 1);
  return text.substr(0, text[at - 1] == ',' ? at - 1 : at);
}

}  // namespace

std::optional<BareName> expand_bare_name(std::string_view text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  std::string name(text.substr(0, comma));
  BareName bare;
  if (const CatalogEntry* entry = catalog().find(name)) {
    bare.text = entry->graph;
  } else if (name.ends_with(kStandInEnding)) {
    name.resize(name.size() - kStandInEnding.size());
    entry = catalog().find(name);
    if (entry == nullptr) return std::nullopt;
    if (entry->stand_in.empty()) {
      throw InputError(fmt::format("the catalogue has no stand-in for {}", name));
    }
    bare = {entry->stand_in, name};
  } else if (const CatalogGroup* group = catalog().find_group(name)) {
    throw InputError(
        fmt::format("{} is a group: a spec's graphs may name it, alone; here one of {}", name,
                    fmt::join(group->members, ", ")));
  } else {
    return std::nullopt;
  }
  if (comma == text.size()) return bare;

  std::vector<std::string> known;
  for (const GraphParameter& option : build_parameters()) known.push_back(option.name);
  if (!bare.stand_in_for.empty()) known.emplace_back("seed");
  std::string_view rest = text.substr(comma + 1);
  std::string given;
  while (true) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string key(rest.substr(0, std::min(rest.find('='), end)));
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw InputError(fmt::format("found \"{}\", expected NAME=VALUE with one of {}{}",
                                   rest.substr(0, end), fmt::join(known, ", "),
                                   did_you_mean(key, known)));
    }
    bare.text = without_option(bare.text, key);
    given += (given.empty() ? "" : ",") + std::string(rest.substr(0, end));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  bare.text += bare.text.ends_with(':') ? "" : ",";
  bare.text += given;
  return bare;
}

std::vector<std::string> bare_names() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog().entries) {
    names.push_back(entry.name);
    if (!entry.stand_in.empty()) names.push_back(entry.name + std::string(kStandInEnding));
  }
  return names;
}

}  // namespace bfslab
