// SPDX-License-Identifier: Apache-2.0
// Tables of older versions: whether a file has the present columns, and its rows with them.
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

// The names that the columns of a header have now. Throws InputError, which names `path`, where two
// of them have one name.
std::vector<std::string> present_names(std::vector<std::string> header, const std::string& path);

// Returns whether a file's text is a sealed table of the present columns, or empty. Throws
// InputError where it has a column that this version does not know, or lacks one that no version
// was without.
template <typename Row>
bool has_present_columns(const std::string& path, const std::string& text);

// The rows of an older version's text with the present columns, as csv_row() writes them. A column
// that it lacks is empty, except that `commits` has the commits of builds by their hashes.
template <typename Row>
std::vector<std::string> with_present_columns(const std::string& path, const std::string& text,
                                              const std::map<std::string, std::string>& commits);

extern template bool has_present_columns<RunRow>(const std::string&, const std::string&);
extern template bool has_present_columns<LevelRow>(const std::string&, const std::string&);
extern template bool has_present_columns<MeasureRow>(const std::string&, const std::string&);
extern template bool has_present_columns<GraphRow>(const std::string&, const std::string&);

}  // namespace bfslab
