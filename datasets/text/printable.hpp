// Text from files as messages show it.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

// Control characters become \x1b and the like, so that what a message quotes stays on its line and
// cannot affect a terminal; everything else, including UTF-8, is unchanged.
std::string printable(std::string_view text);

}  // namespace bfslab
