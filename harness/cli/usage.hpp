// SPDX-License-Identifier: Apache-2.0
// Messages about wrong command lines, and help texts.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace bfslab {

// Lets no option of `app` and its commands take an empty text, which `--results "$UNSET"` would
// give: it is no name, and must not pass for the default.
void refuse_empty_values(CLI::App& app);

// Names the first command or option that does not exist, with the nearest one that does and the
// command that lists them all; empty if there is none. `app` has been parsed, or was refused.
std::string unknown_word(const CLI::App& app, int argc, const char* const* argv);

// Returns the first line of CLI11's complaint, after the command that it is about; for a command
// that needs a subcommand, lists the subcommands.
std::string what_is_wrong(const CLI::App& app, int argc, const char* const* argv,
                          const std::string& complaint);

// Returns the text of `--help` of "graph info", or of bfslab if there are no words. Throws
// InputError for a command that does not exist.
std::string help_text(const CLI::App& app, const std::string& words);

}  // namespace bfslab
