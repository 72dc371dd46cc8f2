// SPDX-License-Identifier: Apache-2.0
// What an external program told, read from its own words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/types.hpp"
#include "harness/external/external_program.hpp"

namespace bfslab {

// In milliseconds: the number in the one line of `text` that the pattern is found in. Throws
// std::runtime_error where no line or several have it, or where it is no time.
double told_ms(const ToldTime& how, std::string_view text);

// [vertices], kUnreached where there is no path. In the forms of text, lines that do not begin with
// a number are passed over; a list may end early, at vertices without edges. Throws
// MalformedAnswer.
std::vector<level_t> told_levels(const ToldLevels& how, std::string_view text, vertex_t vertices);

}  // namespace bfslab
