// Columns of text for terminals: as wide as their widest cell, the last one wrapped at 100 columns.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace bfslab {

inline constexpr std::size_t kTextWidth = 100;

// Code points, which is what a terminal counts for the text that we print.
inline std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// Lines of at most `width` columns, broken at spaces; a longer word stands alone.
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

// Columns named in `right` are flush right. Every row has as many cells.
inline void print_table(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                        const std::vector<std::size_t>& right = {}) {
  if (rows.empty()) return;
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], text_width(row[i]));
    }
  }
  std::size_t before = indent;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + 2;
  const std::size_t rest = before + 30 < kTextWidth ? kTextWidth - before : 30;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      const std::string padding(widths[i] - text_width(row[i]), ' ');
      const bool flush_right = std::find(right.begin(), right.end(), i) != right.end();
      line += flush_right ? padding + row[i] : row[i] + padding;
      line += "  ";
    }
    const bool last_right = std::find(right.begin(), right.end(), row.size() - 1) != right.end();
    if (last_right) line.append(widths.back() - text_width(row.back()), ' ');
    for (const std::string& part : wrapped(row.back(), rest)) {
      line += part;
      line.erase(line.find_last_not_of(' ') + 1);
      std::fputs((line + '\n').c_str(), stdout);
      line.assign(before, ' ');
    }
  }
}

}  // namespace bfslab
