// SPDX-License-Identifier: Apache-2.0
// The nearest valid spelling, for messages about unknown names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

// The closest of `candidates` to `word`, or empty when none is close: by edits (an adjacent swap
// counts once), upper and lower case alike, within a third of the letters; a word of three letters
// and more is also close to what it begins.
std::string nearest_spelling(std::string_view word, const std::vector<std::string>& candidates);

// `; did you mean "X"?`, or an empty string when none is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace bfslab
