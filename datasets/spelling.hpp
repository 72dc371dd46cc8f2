// The nearest valid spelling, for messages about unknown names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

// `; did you mean "X"?` for the candidate closest to `word` by edit distance (an adjacent swap
// counts once), or an empty string when none is within a third of the word's length.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace bfslab
