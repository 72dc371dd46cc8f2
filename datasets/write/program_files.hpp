// SPDX-License-Identifier: Apache-2.0
// Writes graphs in forms that programs of others read, and bfslab does not.
//
//   .dfq       text: a line "V E 0", V lines "FIRST DEGREE" (the row's first entry, from 0, and its
//              number of entries), E lines "TO 1"
//   .arrays32  two files of integers alone: PATH.offsets (V + 1 row offsets of 64 bits) and
//              PATH.columns (E entries of 32 bits); Enterprise and XBFS call them beg_pos and csr
//   .arrays64  the same with entries of 64 bits
//
// Ids are those of the loaded graph, from 0; integers have the byte order of the machine.
#pragma once

#include <string>
#include <vector>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

// Returns whether the ending names such a form: ".dfq".
bool is_program_form(const std::string& ending);

// Returns the files that the form of `path`, by its ending, has.
std::vector<std::string> program_files(const std::string& path);

// Writes them. Throws InputError if they cannot be written, or if the graph has 2^31 vertices or
// more.
void write_program_files(const CsrGraph& graph, const std::string& path);

}  // namespace bfslab
