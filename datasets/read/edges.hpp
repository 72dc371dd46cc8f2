// SPDX-License-Identifier: Apache-2.0
// Edge lists as they are found: one edge per line, two ids and perhaps more columns, separated by
// blanks, commas, semicolons or bars; `#` or `%` before comments; perhaps a row of names first.
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"
#include "datasets/read/file_head.hpp"

namespace bfslab {

// As parse_snap, whose header comments count here too. How the lines were understood is the fact
// "assumed". Throws InputError, with both readings, where a row of names does not say which columns
// are the ids.
EdgeList parse_edges(ByteStream& bytes, const std::string& file, int threads);

Reading read_as_edges(const FileHead& head);

}  // namespace bfslab
