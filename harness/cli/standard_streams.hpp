// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error as every command uses them.
#pragma once

#include <string_view>

namespace bfslab {

// Descriptors 0 to 2 that are closed become /dev/null. Otherwise the next file that is opened takes
// the number of a stream, and gets the text that is meant for it.
void open_standard_streams();

// Text for people, on standard error, with control characters other than line ends escaped. Never
// throws: an error stream that cannot be written has no reader.
void write_stderr(std::string_view text);

// Writes what standard output still holds. Throws std::runtime_error if any of its text was lost.
void finish_stdout();

}  // namespace bfslab
