// SPDX-License-Identifier: Apache-2.0
// Reads rows of files of any version by the names in the header. A missing column is empty.
#pragma once

#include <string>
#include <vector>

#include "harness/record/rows.hpp"
#include "harness/record/tables.hpp"

namespace bfslab {

enum class Damage { refuse, pass_over };

// Returns all whole rows of a file's text, without a torn last line. A row that is not ours (a
// missing column that may not be empty, a field that makes no sense) is skipped, or refused with an
// InputError that names `path` and the row.
template <typename Row>
std::vector<Row> read_rows(const std::string& text, const std::string& path, Damage damage);
extern template std::vector<RunRow> read_rows(const std::string&, const std::string&, Damage);
extern template std::vector<GraphRow> read_rows(const std::string&, const std::string&, Damage);
extern template std::vector<MeasureRow> read_rows(const std::string&, const std::string&, Damage);

// Removes the rows that later attempts have taken back.
std::vector<RunRow> standing_rows(std::vector<RunRow> rows);

// Returns one row per trial, the attempt that counts (docs/statistics.md), in the file's order.
std::vector<RunRow> counted_rows(std::vector<RunRow> rows);

}  // namespace bfslab
