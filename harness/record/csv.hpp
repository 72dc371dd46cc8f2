// SPDX-License-Identifier: Apache-2.0
// Writes and reads CSV with the quotes of RFC 4180 and one-character line ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

// Joins fields to a line with its '\n'; quotes those with a comma, a quote or a line end.
std::string csv_row(const std::vector<std::string>& fields);

struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t begin = 0;  // byte offsets of the record in the text, including its line end
  std::size_t end = 0;
};

// Returns every complete record, including the header. A record is complete if it has a line end
// outside quotes. The torn tail after the last complete record is dropped.
std::vector<CsvRecord> parse_csv(std::string_view text);

// Returns the end of the record that begins at `begin`, including its line end; npos if it is torn.
// A record ends at the first line end that follows an even number of quotation marks.
std::size_t record_end(std::string_view text, std::size_t begin);

// Returns the line number of the byte at `offset`, from 1.
std::size_t line_of(std::string_view text, std::size_t offset);

// Throws InputError, which names `path` and the line, where something else has changed the file: it
// begins with a byte order mark, its lines end as on Windows, a column stands twice, or a
// whole row follows the last complete record, hidden by a stray quotation mark. A torn tail is one
// row, which is cut somewhere, so no line of it has as many commas as a row.
void require_sound_table(std::string_view text, const std::string& path);

}  // namespace bfslab
