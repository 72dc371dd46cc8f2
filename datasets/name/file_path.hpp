// SPDX-License-Identifier: Apache-2.0
// The path of a file in a graph's name. It may hold commas and colons.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bfslab {

// Returns the length of the path that `text`, PATH[,NAME=VALUE]..., begins with; a relative one
// starts at `folder`. Options end it: "a,b.txt,symmetrize=false" has the path "a,b.txt". Where
// there is no such file, the longest path that is there counts, and where nothing is there, the
// first comma before a word with '=' ends it. Throws InputError where two files could be meant.
std::size_t path_length(std::string_view text, const std::string& folder);

// Why nothing can be read from that path: "no such file", "is a folder, not a file".
std::string why_no_file(const std::string& path);

}  // namespace bfslab
