// Text from files as messages show it.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

// Control characters become \x1b and the like, so that what a message quotes stays on its line and
// does nothing to a terminal; all else, UTF-8 too, stays as it is.
std::string printable(std::string_view text);

}  // namespace bfslab
