// SPDX-License-Identifier: Apache-2.0
// LineWords: the words of a line of text, their numbers, and messages about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "datasets/read/text_lines.hpp"

namespace bfslab {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Quotes and brackets around a column that may hold blanks and separators.
inline constexpr std::string_view kOpening = "\"'{[(";

// The words of a line, between blanks or, without the blanks around them, between separators.
// Blanks are spaces and tabs; a '\r' at the end counts as one.
class LineWords {
 public:
  explicit LineWords(std::string_view line, char separator = '\0');
  [[nodiscard]] bool done() const { return at_ == end_ && !separated_; }
  std::string_view next();  // empty at the end
  // As next(), for a column beyond the ids: in quotes or brackets it may hold blanks and
  // separators.
  std::string_view next_text();
  // The first character of the next word; '\0' at the end.
  [[nodiscard]] char front() const { return at_ == end_ ? '\0' : *at_; }

 private:
  std::string_view take(const char* from);
  void skip();
  const char* at_;
  const char* end_;
  char separator_;
  bool separated_ = false;  // a separator stands before at_: a word follows, though it be empty
};

// nullopt and a reason unless the word is a whole number below 2^64.
std::optional<std::uint64_t> parse_number(std::string_view word, std::string_view expected,
                                          std::string& reason);

// True if an ignored word, such as a weight or a time, is text of any kind: it holds no control
// character, which only a damaged file has.
bool is_text(std::string_view word);

// A word as messages show it: short and printable.
std::string shown(std::string_view word);

// Throws InputError "FILE:LINE: reason".
[[noreturn]] void refuse_line(const TextLines& text, std::uint64_t line, const std::string& reason);

}  // namespace bfslab
