// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bfslab {

// Returns the text in single quotes, as bash, zsh and fish read it.
std::string shell_quoted(const std::string& text);

// Returns a word of a command line that a reader may paste: quoted only if the shell would split or
// expand it.
std::string shell_word(const std::string& text);

}  // namespace bfslab
