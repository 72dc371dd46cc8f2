// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error, as every command uses them.
#pragma once

#include <string_view>

namespace bfslab {

// Opens /dev/null for closed descriptors among 0 to 2. Otherwise the next file that is opened would
// take the number of a stream, and get its text.
void open_standard_streams();

// Writes text for people on standard error, with control characters other than line ends escaped.
// Never throws: an error stream that cannot be written has no reader.
void write_stderr(std::string_view text);

// Writes the text that standard output still holds. Throws std::runtime_error if any of its text
// was lost.
void finish_stdout();

}  // namespace bfslab
