// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/union_parts.hpp"

#include <fmt/format.h>

#include <charconv>

#include "datasets/generate/generator.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

[[noreturn]] void malformed(std::string_view found) {
  throw InputError(
      fmt::format("found \"{}\", expected generated graphs in parentheses joined by +, such as "
                  "(kronecker:scale=10)+3*(path:vertices=100)",
                  found));
}

// The part that `text` begins with, removed from it together with the + after it.
GraphName take_part(std::string_view& text) {
  std::uint64_t copies = 1;
  const std::string_view whole = text;
  if (!text.starts_with('(')) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), copies);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (error != std::errc() || copies == 0 || !text.starts_with("*(")) malformed(whole);
    text.remove_prefix(1);
  }
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) malformed(whole);
  const std::string_view inner = text.substr(1, close - 1);
  if (inner.find('(') != std::string_view::npos) {
    throw InputError(fmt::format("\"{}\" is a union again: list its parts directly", inner));
  }
  for (const GraphParameter& parameter : build_parameters()) {
    const auto at = inner.find(parameter.name + '=');
    if (at != std::string_view::npos && at > 0 && (inner[at - 1] == ',' || inner[at - 1] == ':')) {
      throw InputError(
          fmt::format("{} is inside a part: write it after the last parenthesis, "
                      "it applies to the whole union",
                      parameter.name));
    }
  }
  GraphName part = GraphName::parse(inner);
  part.copies = copies;
  if (find_generator(part.kind) == nullptr) {
    throw InputError(
        fmt::format("\"{}\" is read from a file; the parts of a union are generated", inner));
  }
  text.remove_prefix(close + 1);
  if (text.empty()) return part;
  if (!text.starts_with('+') || text.size() == 1) malformed(text);
  text.remove_prefix(1);
  return part;
}

}  // namespace

std::vector<GraphName> parse_union(std::string_view text) {
  std::vector<GraphName> parts;
  while (!text.empty()) {
    GraphName part = take_part(text);
    // Equal neighbours are copies: one graph, one spelling.
    if (!parts.empty() && parts.back().canonical == part.canonical) {
      if (part.copies > ~std::uint64_t{0} - parts.back().copies) malformed(text);
      parts.back().copies += part.copies;
    } else {
      parts.push_back(std::move(part));
    }
  }
  if (parts.empty()) malformed(text);
  return parts;
}

std::string union_spelling(const std::vector<GraphName>& parts) {
  std::string out;
  for (const GraphName& part : parts) {
    if (!out.empty()) out += '+';
    if (part.copies > 1) out += fmt::format("{}*", part.copies);
    out += fmt::format("({})", part.without_build());
  }
  return out;
}

}  // namespace bfslab
