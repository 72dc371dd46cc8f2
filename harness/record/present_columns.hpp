// SPDX-License-Identifier: Apache-2.0
// Tables of older versions: checks whether a file has the present columns, and converts its rows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/record/rows.hpp"
#include "harness/record/tables.hpp"

namespace bfslab {

// The end of messages about rows that cannot be continued.
inline constexpr const char* kAside =
    "use --fresh to move the old rows aside, or name another folder with --results";

// Returns the present names of the columns of a header. Throws InputError, which names `path`,
// where two of them are the same.
template <typename Row>
std::vector<std::string> present_names(std::vector<std::string> header, const std::string& path);

// Returns whether a file's text is a sealed table of the present columns, or empty. Throws
// InputError if it has a column that this version does not know, or lacks one that every version
// has.
template <typename Row>
bool has_present_columns(const std::string& path, const std::string& text);

// Returns the rows of an older version's text with the present columns, as csv_row() writes them.
// Missing columns are empty, except that the commit is taken from `commits`, by the build's hash.
template <typename Row>
std::vector<std::string> with_present_columns(const std::string& path, const std::string& text,
                                              const std::map<std::string, std::string>& commits);

extern template std::vector<std::string> present_names<RunRow>(std::vector<std::string>,
                                                               const std::string&);
extern template std::vector<std::string> present_names<LevelRow>(std::vector<std::string>,
                                                                 const std::string&);
extern template std::vector<std::string> present_names<MeasureRow>(std::vector<std::string>,
                                                                   const std::string&);
extern template std::vector<std::string> present_names<GraphRow>(std::vector<std::string>,
                                                                 const std::string&);
extern template bool has_present_columns<RunRow>(const std::string&, const std::string&);
extern template bool has_present_columns<LevelRow>(const std::string&, const std::string&);
extern template bool has_present_columns<MeasureRow>(const std::string&, const std::string&);
extern template bool has_present_columns<GraphRow>(const std::string&, const std::string&);

}  // namespace bfslab
