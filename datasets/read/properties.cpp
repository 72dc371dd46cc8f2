// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/properties.hpp"

#include <algorithm>
#include <charconv>

namespace bfslab {

namespace {

constexpr std::string_view kBlanks = " \t\f";

// The next line of `text`, removed from it; a line ends with \n, \r or both.
std::string_view take_natural_line(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  const bool both = text.substr(end, 2) == "\r\n";
  text.remove_prefix(std::min(end + (both ? 2 : 1), text.size()));
  return line;
}

std::string_view without_blanks_before(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

// Returns whether an odd number of backslashes ends the line, so that the next line continues it.
bool goes_on(std::string_view line) {
  const std::size_t last = line.find_last_not_of('\\');
  const std::size_t slashes = line.size() - (last == std::string_view::npos ? 0 : last + 1);
  return slashes % 2 == 1;
}

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Appends what the escape at the beginning of `text` means, and removes it.
void take_escape(std::string_view& text, std::string& out) {
  text.remove_prefix(1);
  if (text.empty()) return;
  const char c = text.front();
  if (c == 'u' && text.size() >= 5) {
    unsigned code = 0;
    const char* const end = text.data() + 5;
    if (std::from_chars(text.data() + 1, end, code, 16).ptr == end) {
      append_utf8(out, code);
      text.remove_prefix(5);
      return;
    }
  }
  constexpr std::string_view kLetters = "tnrf";
  constexpr std::string_view kMeanings = "\t\n\r\f";
  const std::size_t letter = kLetters.find(c);
  out += letter == std::string_view::npos ? c : kMeanings[letter];
  text.remove_prefix(1);
}

Property split_line(std::string_view line) {
  Property property;
  while (!line.empty() && line.front() != '=' && line.front() != ':' &&
         kBlanks.find(line.front()) == std::string_view::npos) {
    if (line.front() == '\\') {
      take_escape(line, property.key);
    } else {
      property.key += line.front();
      line.remove_prefix(1);
    }
  }
  line = without_blanks_before(line);
  if (line.starts_with('=') || line.starts_with(':')) {
    line = without_blanks_before(line.substr(1));
  }
  line = line.substr(0, line.find_last_not_of(kBlanks) + 1);  // npos + 1 is 0
  while (!line.empty()) {
    if (line.front() == '\\') {
      take_escape(line, property.value);
    } else {
      property.value += line.front();
      line.remove_prefix(1);
    }
  }
  return property;
}

}  // namespace

std::vector<Property> parse_properties(std::string_view text) {
  std::vector<Property> properties;
  std::uint64_t number = 0;
  while (!text.empty()) {
    const std::uint64_t begin = ++number;
    const std::string_view first = without_blanks_before(take_natural_line(text));
    if (first.empty() || first.front() == '#' || first.front() == '!') continue;
    std::string line(first);
    while (goes_on(line)) {
      line.pop_back();
      if (text.empty()) break;
      ++number;
      line += without_blanks_before(take_natural_line(text));
    }
    if (line.empty()) continue;
    properties.push_back(split_line(line));
    properties.back().line = begin;
  }
  return properties;
}

}  // namespace bfslab
