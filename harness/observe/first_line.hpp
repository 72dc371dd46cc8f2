// SPDX-License-Identifier: Apache-2.0
// Reads files of one value, as /proc and /sys have them.
#pragma once

#include <string>

namespace bfslab {

// Returns the first line of a file without its '\n'; empty if there is none, or if the file cannot
// be read. Throws nothing.
std::string first_line(const std::string& path);

}  // namespace bfslab
