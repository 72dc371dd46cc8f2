// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bfslab {

// In single quotes, as bash, zsh and fish read it.
std::string shell_quoted(const std::string& text);

// A word of a command line that a reader may paste: quoted only where the shell would take it
// apart.
std::string shell_word(const std::string& text);

}  // namespace bfslab
