// SPDX-License-Identifier: Apache-2.0
// Parses the time and the levels in the output of an external program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/types.hpp"
#include "harness/external/external_program.hpp"

namespace bfslab {

// Returns the time in milliseconds: the number in the line of `text` that matches the pattern, or,
// as `format.take` says, the last one's, the mean or the minimum of all that match. Throws
// std::runtime_error if no line matches, if several do where one is due, or if a match is no time.
double parse_ms(const TimeFormat& format, std::string_view text);

// Throws MalformedAnswer, which quotes the last lines, unless a line of `text` matches the pattern.
void require_passed(const PassedFormat& format, std::string_view text);

// Returns the level of each vertex, kUnreached where there is no path. In the text formats, lines
// that do not begin with a number are skipped, and a list may end early, at vertices without edges.
// Throws MalformedAnswer.
std::vector<level_t> parse_levels(const LevelsFormat& format, std::string_view text,
                                  vertex_t vertices);

}  // namespace bfslab
