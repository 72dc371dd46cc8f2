// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/konect_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "datasets/read/line_words.hpp"

namespace bfslab {

std::optional<KonectKind> konect_kind(std::string_view line) {
  LineWords words(line);
  std::string_view word = words.next();
  const std::size_t marks = std::min(word.find_first_not_of("%#"), word.size());
  if (marks == 0) return std::nullopt;
  const bool hash = word.front() == '#';
  word.remove_prefix(marks);
  std::string kind(word.empty() ? words.next() : word);
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array kKinds = {"sym", "asym", "bip"};
  if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) return std::nullopt;
  if (hash && kind != "bip") return std::nullopt;  // words of a comment
  return KonectKind{std::move(kind), std::string(words.next())};
}

bool opens_konect(std::string_view line) { return konect_kind(line).has_value(); }

std::string two_sets_fault(std::string_view line) {
  return fmt::format(
      "\"{}\" means two sets of vertices, each with ids of its own, which only format=konect keeps "
      "apart; there, this line stands before the first edge",
      shown(line));
}

void refuse_two_sets(const TextLines& text, std::uint64_t line_number, std::string_view line) {
  const auto found = konect_kind(line);
  if (found && found->kind == "bip") refuse_line(text, line_number, two_sets_fault(line));
}

}  // namespace bfslab
