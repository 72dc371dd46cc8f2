// SPDX-License-Identifier: Apache-2.0
// CSV as RFC 4180 quotes it, with one-character line ends: writing a row and reading a file back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

// Fields joined, and quoted where necessary (comma, quote, line end), including the '\n'.
std::string csv_row(const std::vector<std::string>& fields);

struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t begin = 0;  // byte offsets of the record in the text, its line end included
  std::size_t end = 0;
};

// Every complete record, including the header. A record is complete when its line end, outside
// quotes, was written: what follows the last one is a torn tail and is dropped.
std::vector<CsvRecord> parse_csv(std::string_view text);

// The end of the record that begins at `begin`, its line end included; npos if it is torn. A record
// is complete at the first line end that an even number of quotation marks precedes.
std::size_t record_end(std::string_view text, std::size_t begin);

// The line of the byte at `offset`, from 1.
std::size_t line_of(std::string_view text, std::size_t offset);

// Throws InputError, which names `path` and the line, where something else has changed the file: it
// begins with a byte order mark, its lines end as those of Windows do, a column stands twice, or a
// whole row follows the last complete record, hidden by a stray quotation mark. A torn tail is one
// row, which is cut somewhere, so no line of it has as many commas as a row.
void require_sound_table(std::string_view text, const std::string& path);

}  // namespace bfslab
