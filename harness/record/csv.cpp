// SPDX-License-Identifier: Apache-2.0
#include "harness/record/csv.hpp"

#include <utility>

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

}  // namespace bfslab
