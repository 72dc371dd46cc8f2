// SPDX-License-Identifier: Apache-2.0
// Columns of text for terminals: as wide as their widest cell, the last one wrapped at 100 columns.
// The others break only at the ends of line in their text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "datasets/text/printable.hpp"

namespace bfslab {

inline constexpr std::size_t kTextWidth = 100;

inline std::string grouped(std::uint64_t count) {  // 1,048,576
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

// Returns the number of code points, which is the width on a terminal of the texts that we print.
inline std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// Breaks a text at spaces into lines of at most `width` columns; a longer word gets its own line.
inline std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    std::string& line = lines.back();
    if (!line.empty() && text_width(line) + 1 + text_width(word) > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    start = end + 1;
  }
  return lines;
}

// Returns the lines of a cell, as its text breaks them.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

// Formats rows with equal numbers of cells. Columns named in `right` are flush right.
inline std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                              const std::vector<std::size_t>& right = {}) {
  std::string text;
  if (rows.empty()) return text;
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (const std::string& part : lines_of(row[i])) {
        widths[i] = std::max(widths[i], text_width(part));
      }
    }
  }
  std::size_t before = indent;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + 2;
  const std::size_t rest = before + 30 < kTextWidth ? kTextWidth - before : 30;
  for (const auto& row : rows) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(i + 1 < row.size() ? lines_of(row[i]) : wrapped(row[i], rest));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t at = 0; at < height; ++at) {
      std::string line(indent, ' ');
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string part = at < cells[i].size() ? cells[i][at] : "";
        const std::string padding(widths[i] - std::min(widths[i], text_width(part)), ' ');
        const bool flush_right = std::find(right.begin(), right.end(), i) != right.end();
        line += flush_right ? padding + part : part + padding;
        line += "  ";
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += printable(line) + '\n';
    }
  }
  return text;
}

inline void print_table(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                        const std::vector<std::size_t>& right = {}) {
  std::fputs(table_text(rows, indent, right).c_str(), stdout);
}

// Prints rows, of which the first is the heading.
inline std::string markdown_table(const std::vector<std::vector<std::string>>& rows,
                                  const std::vector<std::size_t>& right = {}) {
  std::string text;
  for (const auto& row : rows) {
    for (const std::string& cell : row) {
      text += "| ";
      for (const char c : printable(cell)) {
        text += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
      }
      text += ' ';
    }
    text += "|\n";
    if (&row != &rows.front()) continue;
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += std::find(right.begin(), right.end(), i) != right.end() ? "| ---: " : "| --- ";
    }
    text += "|\n";
  }
  return text;
}

}  // namespace bfslab
