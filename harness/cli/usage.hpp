// SPDX-License-Identifier: Apache-2.0
// What is said to a command line with a word that is none of ours.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace bfslab {

// Lets no option of `app` and its commands take an empty text, which `--results "$UNSET"` would
// give: it is no name, and must not pass for the default.
void refuse_empty_values(CLI::App& app);

// The first command or option that does not exist, with the nearest that does and the command that
// lists them all; empty where there is none. `app` has been parsed, or was refused.
std::string unknown_word(const CLI::App& app, int argc, const char* const* argv);

// The first line of what CLI11 complains about, after the command that it is about; of a command
// that needs another one behind it, which there are.
std::string what_is_wrong(const CLI::App& app, int argc, const char* const* argv,
                          const std::string& complaint);

// What `--help` of "graph info" prints; of no words, that of bfslab. Throws InputError for a
// command that does not exist.
std::string help_text(const CLI::App& app, const std::string& words);

}  // namespace bfslab
