// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/line_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One past the bracket or quote that closes the one at `begin`; `begin` where there is none.
const char* past_group(const char* begin, const char* end) {
  if (begin == end || kOpening.find(*begin) == std::string_view::npos) return begin;
  if (*begin == '"' || *begin == '\'') {
    const char* const close = std::find(begin + 1, end, *begin);
    return close == end ? begin : close + 1;  // a doubled quote opens the next group
  }
  std::size_t depth = 0;
  for (const char* p = begin; p != end; ++p) {
    if (*p == '{' || *p == '[' || *p == '(') ++depth;
    if ((*p == '}' || *p == ']' || *p == ')') && --depth == 0) return p + 1;
  }
  return begin;
}

}  // namespace

LineWords::LineWords(std::string_view line, char separator)
    : at_(line.data()), end_(at_ + line.size()), separator_(separator) {
  while (end_ != at_ && (is_blank(end_[-1]) || end_[-1] == '\r')) --end_;
  skip();
}

std::string_view LineWords::next() { return take(at_); }
std::string_view LineWords::next_text() {
  const char* from = at_;
  for (const char* past = nullptr; (past = past_group(from, end_)) != from;) from = past;
  return take(from);
}

std::string_view LineWords::take(const char* from) {
  const char* const begin = std::exchange(at_, from);
  if (separator_ == '\0') {
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    const std::string_view word(begin, static_cast<std::size_t>(at_ - begin));
    skip();
    return word;
  }
  at_ = std::find(at_, end_, separator_);
  separated_ = at_ != end_;
  std::string_view word(begin, static_cast<std::size_t>(at_ - begin));
  while (!word.empty() && is_blank(word.back())) word.remove_suffix(1);
  if (separated_) ++at_;
  skip();
  return word;
}

void LineWords::skip() {
  while (at_ != end_ && is_blank(*at_)) ++at_;
}

std::optional<std::uint64_t> parse_number(std::string_view word, std::string_view expected,
                                          std::string& reason) {
  std::uint64_t number = 0;
  for (const char c : word) {
    if (!is_digit(c)) {
      const bool negative = word.size() > 1 && word[0] == '-' && is_digit(word[1]);
      reason = fmt::format("found \"{}\", expected {}{}", shown(word), expected,
                           negative ? ", which is never negative" : "");
      return std::nullopt;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
      reason = fmt::format("found {}, expected {} of at most 64 bits", shown(word), expected);
      return std::nullopt;
    }
    number = number * 10 + digit;
  }
  if (word.empty()) {
    reason = fmt::format("found nothing, expected {}", expected);
    return std::nullopt;
  }
  return number;
}

bool is_text(std::string_view word) {
  return std::none_of(word.begin(), word.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

std::string shown(std::string_view word) {
  std::string out;
  for (const char c : word.substr(0, 24)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return out + (word.size() > 24 ? "..." : "");
}

void refuse_line(const TextLines& text, std::uint64_t line, const std::string& reason) {
  throw InputError(fmt::format("{}:{}: {}", text.file(), line, reason));
}

}  // namespace bfslab
