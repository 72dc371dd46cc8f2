// SPDX-License-Identifier: Apache-2.0
// bfslab list parts: the table of GPU parts, for the terminal, for programs and as docs/parts.md.
#pragma once

#include <string>

namespace bfslab {

// Each prints all parts, or those of one kind: expansion, frontier or balance. Throws InputError if
// `kind` is another word.
void print_parts(const std::string& kind);
void print_parts_json(const std::string& kind);
void print_parts_markdown(const std::string& kind);

}  // namespace bfslab
