// SPDX-License-Identifier: Apache-2.0
// Rows of files of any version: by the names in the header, a column that is missing being empty.
#pragma once

#include <string>
#include <vector>

#include "harness/record/rows.hpp"
#include "harness/record/tables.hpp"

namespace bfslab {

enum class Damage { refuse, pass_over };

// All whole rows of a file's text; a torn last line is none. What is no row of ours (a missing
// column that may not be empty, a field that makes no sense) is passed over, or refused with
// InputError, which names `path` and the row.
template <typename Row>
std::vector<Row> read_rows(const std::string& text, const std::string& path, Damage damage);
extern template std::vector<RunRow> read_rows(const std::string&, const std::string&, Damage);
extern template std::vector<GraphRow> read_rows(const std::string&, const std::string&, Damage);
extern template std::vector<MeasureRow> read_rows(const std::string&, const std::string&, Damage);

// Without those that later attempts have taken back.
std::vector<RunRow> standing_rows(std::vector<RunRow> rows);

// One row of each trial, the attempt that counts (docs/statistics.md), in the file's order.
std::vector<RunRow> counted_rows(std::vector<RunRow> rows);

}  // namespace bfslab
