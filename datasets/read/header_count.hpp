// What the readers say alike about a header's counts.
#pragma once

#include <cstdint>

#include "datasets/read/edge_lines.hpp"

namespace bfslab {

// The next word as a whole number; refuses the line where it is none.
std::uint64_t next_number(const TextLines& text, LineWords& words, std::string_view expected);

// Refuses a file that lists another number of `things` ("arcs") than its header promises.
void check_count(const TextLines& text, const EdgeLines& lines, std::uint64_t promised,
                 std::string_view things);

// "2 columns beyond the ids ignored", and that the last line lacks its end.
void note_columns(const EdgeLines& lines, std::string_view what, EdgeList& list);

}  // namespace bfslab
