// SPDX-License-Identifier: Apache-2.0
// Files of one value, as /proc and /sys have them.
#pragma once

#include <string>

namespace bfslab {

// The first line of a file without its end; empty where there is none, or the file cannot be read.
// Throws nothing.
std::string first_line(const std::string& path);

}  // namespace bfslab
