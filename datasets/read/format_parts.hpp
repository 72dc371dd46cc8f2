// What the readers of several formats share.
#pragma once

#include <cstdint>

#include "datasets/read/edge_lines.hpp"

namespace bfslab {

// The next word as a whole number; refuses the line where it is none.
std::uint64_t next_number(const TextLines& text, LineWords& words, std::string_view expected);

// Refuses a file that lists another number of `things` ("arcs") than its header promises.
void check_count(const TextLines& text, const EdgeLines& lines, std::uint64_t promised,
                 std::string_view things);

// Labels of a file whose ids are from 1: v + 1, and from vertex `second` on, where another set
// begins, v - second + 1. 0: one set.
void label_from_one(EdgeList& list, vertex_t second = 0);

// Records what was ignored where there are columns beyond the ids, and a last line without its end.
void note_columns(const EdgeLines& lines, std::string_view what, EdgeList& list);

}  // namespace bfslab
