// SPDX-License-Identifier: Apache-2.0
// Graph names as regular expressions, so that an editor marks a misspelt kind or parameter while it
// is typed. GraphName::parse checks ranges, required parameters and repetitions.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "datasets/catalog/catalog.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/name/named_kinds.hpp"
#include "harness/spec/schema.hpp"

namespace bfslab {

namespace {

std::string quote(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string one_of(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(quote(word));
  return fmt::format("({})", fmt::join(quoted, "|"));
}

std::string value_pattern(const GraphParameter& parameter) {
  switch (parameter.kind) {
    case GraphParameter::Kind::integer:
      return "[0-9]+";
    case GraphParameter::Kind::real:
      return R"(-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)";
    case GraphParameter::Kind::choice:
      break;
  }
  return one_of(parameter.choices);
}

// Builds the pattern of "key=value" for any of the keys; keys with values of one form share a
// pattern.
std::string item_pattern(const std::vector<GraphParameter>& parameters) {
  std::vector<std::pair<std::string, std::vector<std::string>>>
      keys;  // pattern of the value -> keys
  for (const GraphParameter& parameter : parameters) {
    const std::string pattern = value_pattern(parameter);
    const auto same = std::find_if(keys.begin(), keys.end(),
                                   [&](const auto& each) { return each.first == pattern; });
    if (same == keys.end()) {
      keys.push_back({pattern, {parameter.name}});
    } else {
      same->second.push_back(parameter.name);
    }
  }
  std::vector<std::string> items;
  for (const auto& [pattern, names] : keys) items.push_back(one_of(names) + '=' + pattern);
  return fmt::format("({})", fmt::join(items, "|"));
}

}  // namespace

std::string bare_name_pattern(const std::vector<std::string>& names) {
  std::vector<GraphParameter> of_stand_in = build_parameters();
  of_stand_in.push_back(seed_parameter());
  std::vector<std::string> stand_ins;
  for (const std::string& name : names) {
    if (name.ends_with(kStandInEnding)) stand_ins.push_back(name);
  }
  return fmt::format("^({}(,{})*|{}(,{})*)$", one_of(names), item_pattern(build_parameters()),
                     one_of(stand_ins), item_pattern(of_stand_in));
}

std::string graph_pattern(const GraphKind& kind) {
  std::vector<GraphParameter> parameters = kind.parameters;
  parameters.insert(parameters.end(), build_parameters().begin(), build_parameters().end());
  const std::string item = item_pattern(parameters);
  if (!kind.takes_path) return fmt::format("^{0}(:({1}(,{1})*)?)?$", kind.name, item);
  // The parser checks the names in a union's parentheses.
  const std::string part = R"(([0-9]+\*)?\([^()]+\))";
  // The path of a file may hold commas: only an option ends it.
  std::vector<std::string> keys;
  for (const GraphParameter& parameter : parameters) keys.push_back(parameter.name);
  std::string path = kind.name == "union" ? fmt::format("{0}(\\+{0})*", part)
                                          : fmt::format("(?=.)[^,]*(,(?!{}=)[^,]*)*", one_of(keys));
  if (const NamedKind* named = find_named_kind(kind.name)) {
    const std::string plain = "[A-Za-z0-9_+@-][A-Za-z0-9._+@-]*";
    path = named->form.find('/') == std::string::npos ? plain : plain + "/" + plain;
  }
  return fmt::format("^{}:{}(,{})*$", kind.name, path, item);
}

}  // namespace bfslab
