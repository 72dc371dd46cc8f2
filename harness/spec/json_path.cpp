// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/json_path.hpp"

#include <charconv>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

bool plain(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != '.' && c != '[' && c != ']' && c != '"' &&
         c != '=' && c != '`' && c != '\\';
}

std::string take_quoted(std::string_view& text) {  // after ["
  std::string key;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      key += text[++i];
    } else if (text[i] == '"') {
      if (i + 1 >= text.size() || text[i + 1] != ']') break;
      text.remove_prefix(i + 2);
      return key;
    } else {
      key += text[i];
    }
  }
  throw InputError("the path's [\" is not closed by \"]");
}

std::size_t take_index(std::string_view& text) {  // after [
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end == text.data() + text.size() || *end != ']') {
    throw InputError("[ in a path is followed by an index and ], or by a key in quotes and ]");
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return index;
}

}  // namespace

std::string child_path(std::string_view parent, std::string_view key) {
  bool quote = key.empty();
  for (const char c : key) quote = quote || !plain(c);
  std::string out(parent);
  if (!quote) {
    if (!out.empty()) out += '.';
    return out += key;
  }
  out += "[\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += "\"]";
}

std::string element_path(std::string_view parent, std::size_t index) {
  return std::string(parent) + '[' + std::to_string(index) + ']';
}

std::vector<PathStep> take_path(std::string_view& text) {
  std::vector<PathStep> steps;
  while (true) {
    if (text.starts_with("[\"")) {
      text.remove_prefix(2);
      steps.emplace_back(take_quoted(text));
    } else if (text.starts_with('[')) {
      text.remove_prefix(1);
      steps.emplace_back(take_index(text));
    } else {
      std::size_t size = 0;
      while (size < text.size() && plain(text[size])) ++size;
      if (size == 0) throw InputError("a key is missing in the path");
      steps.emplace_back(std::string(text.substr(0, size)));
      text.remove_prefix(size);
    }
    if (text.empty() || text.front() == '=') return steps;
    if (text.front() == '.') {
      text.remove_prefix(1);
    } else if (text.front() != '[') {
      throw InputError(std::string("a path does not hold '") + text.front() +
                       "'; quote such a key: [\"a key\"]");
    }
  }
}

std::string path_text(const std::vector<PathStep>& steps) {
  std::string out;
  for (const PathStep& step : steps) {
    out = std::holds_alternative<std::string>(step)
              ? child_path(out, std::get<std::string>(step))
              : element_path(out, std::get<std::size_t>(step));
  }
  return out;
}

bool path_within(std::string_view path, std::string_view ancestor) {
  if (!path.starts_with(ancestor)) return false;
  if (path.size() == ancestor.size() || ancestor.empty()) return true;
  return path[ancestor.size()] == '.' || path[ancestor.size()] == '[';
}

}  // namespace bfslab
