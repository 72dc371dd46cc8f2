// SPDX-License-Identifier: Apache-2.0
// Seals: the last column of each table. A row's seal is a checksum of the row and of the seal
// before it, so that a row that was changed, taken out, put in, doubled or moved no longer follows
// from the one before it. They guard against accidents and careless hands, not against a forger
// who has this file.
//
//   trial,case,...,seal          the header follows from "runs 2026-03-01T12:00:00.123Z": the
//                                table's name and `utc` of environment.json
//   0,a,...,91bd0c2a5f3e7704     the seal of "0,a,..." and of the header's
//   1,a,...,0f6e3d1b2c4a5968     the seal of "1,a,..." and of 91bd0c2a5f3e7704
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bfslab {

inline constexpr std::string_view kSealColumn = "seal";

// Bytes at the end of a sealed row: a comma, 16 digits, a line end.
inline constexpr std::size_t kSealTail = 18;

// The first format of results whose rows are sealed.
inline constexpr unsigned kSealedFormat = 3;

// Returns the first 16 hex digits of SHA-256 over `before`, a line end, and `record` without its
// own seal, its last comma and its line end.
std::string seal_of(std::string_view before, std::string_view record);

// Returns whether environment.json says that all rows of its folder are sealed.
bool says_sealed(const std::string& environment);

// Returns `utc` of environment.json, which the seals of the folder begin with; empty if it has
// none.
std::string begun_at(const std::string& environment);

// Writes the seals of one table, record by record.
class Sealer {
 public:
  // Begins the table of the file `path`, runs.csv or runs.csv.gz, in a folder that began at
  // `begun`.
  Sealer(const std::string& path, const std::string& begun);
  // Continues after a row that has the seal `last`.
  explicit Sealer(std::string last) : last_(std::move(last)) {}

  // Returns the header with the column `seal`, as a line.
  std::string header(const std::vector<std::string>& columns);
  // Returns `row`, which csv_row() has written, with its seal.
  std::string row(std::string_view row);
  // Returns whether `record`, with its seal and line end, follows from the one before it. The next
  // one follows from it.
  bool follows(std::string_view record);
  // Skips a header that ends with the column `seal` and a line end.
  void pass_header(std::string_view header);

 private:
  std::string last_;
};

// Returns a whole table of `rows`, which csv_row() has written.
std::string sealed_table(const std::string& path, const std::string& begun,
                         const std::vector<std::string>& columns,
                         std::span<const std::string> rows);

// Returns a record of a sealed table without its seal, as csv_row() wrote it.
std::string without_seal(std::string_view record);

// Throws InputError, which names `path` and the line, where the text of a table is not sound
// (require_sound_table), where a row does not follow from the one before it, and where
// `environment` says that rows are sealed and these are not. Ignores a torn tail. Returns false
// for a table without seals, which an older version wrote.
bool require_seals(std::string_view text, const std::string& path, const std::string& environment);

}  // namespace bfslab
