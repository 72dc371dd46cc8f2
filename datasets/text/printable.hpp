// SPDX-License-Identifier: Apache-2.0
// Text from files and users as messages show it.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

// Control characters (C0, DEL, C1), invisible ones (U+200B), blanks other than the space, and bytes
// that are no UTF-8 become \x1b and the like, so that what a message quotes is seen, stays on its
// line and cannot affect a terminal; everything else is unchanged.
std::string printable(std::string_view text);

// The same, with line ends kept: for messages of several lines.
std::string printable_lines(std::string_view text);

// Returns whether all of it is well-formed UTF-8 (Unicode 15.0, table 3-7).
bool is_utf8(std::string_view text);

}  // namespace bfslab
