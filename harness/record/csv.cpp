// SPDX-License-Identifier: Apache-2.0
#include "harness/record/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "datasets/graph/types.hpp"

namespace bfslab {

std::string csv_row(const std::vector<std::string>& fields) {
  std::string row;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) row += ',';
    const std::string& field = fields[i];
    if (field.find_first_of(",\"\n\r") == std::string::npos) {
      row += field;
      continue;
    }
    row += '"';
    for (const char c : field) {
      if (c == '"') row += '"';
      row += c;
    }
    row += '"';
  }
  row += '\n';
  return row;
}

std::vector<CsvRecord> parse_csv(std::string_view text) {
  std::vector<CsvRecord> records;
  CsvRecord record;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = true;
    } else if (c == ',') {
      record.fields.push_back(std::exchange(field, {}));
    } else if (c == '\n') {
      record.fields.push_back(std::exchange(field, {}));
      record.end = i + 1;
      records.push_back(std::exchange(record, {}));
      record.begin = i + 1;
    } else {
      field += c;
    }
  }
  return records;
}

std::size_t record_end(std::string_view text, std::size_t begin) {
  bool quoted = false;
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(at, end - at);
    for (std::size_t quote = line.find('"'); quote != std::string_view::npos;
         quote = line.find('"', quote + 1)) {
      quoted = !quoted;
    }
    if (!quoted) return end + 1;
    at = end + 1;
  }
  return std::string_view::npos;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, offset), '\n'));
}

namespace {

// Returns the end of the last complete record of the text.
std::size_t complete_end(std::string_view text) {
  std::size_t tail = 0;
  while (true) {
    const std::size_t end = record_end(text, tail);
    if (end == std::string_view::npos) return tail;
    tail = end;
  }
}

}  // namespace

void require_sound_table(std::string_view text, const std::string& path) {
  const std::size_t tail = complete_end(text);
  const std::size_t header_end = record_end(text, 0);
  const std::string_view first =
      text.substr(0, header_end == std::string_view::npos ? text.find('\n') + 1 : header_end);
  const std::vector<CsvRecord> header = parse_csv(first);
  if (header.empty()) return;
  const std::vector<std::string>& columns = header.front().fields;
  const auto refuse = [&](const std::string& what, const char* mend) {
    throw InputError(
        fmt::format("{}:1: {}; something else has changed the file: {}", path, what, mend));
  };
  if (columns.front().starts_with("\xef\xbb\xbf")) refuse("a byte order mark", "save it without");
  if (columns.back().ends_with('\r')) refuse("line ends of Windows", "save it with those of Unix");
  for (auto each = columns.begin(); each != columns.end(); ++each) {
    if (std::find(columns.begin(), each, *each) == each) continue;
    refuse(fmt::format("the column {} stands twice", *each), "take one out");
  }
  const auto commas = static_cast<std::ptrdiff_t>(columns.size()) - 1;
  std::size_t hidden = 0;
  for (std::size_t at = tail, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    hidden += std::ranges::count(text.substr(at, end - at), ',') >= commas ? 1 : 0;
  }
  if (hidden == 0) return;
  throw InputError(
      fmt::format("{}:{}: a quotation mark is opened and never closed, which hides {} row{}; "
                  "something else has changed the file: mend that line",
                  path, line_of(text, tail), hidden, hidden == 1 ? "" : "s"));
}

}  // namespace bfslab
