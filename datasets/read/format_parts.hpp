// What the readers of several formats share.
#pragma once

#include <cstdint>
#include <string_view>

#include "datasets/read/edge_lines.hpp"

namespace bfslab {

// The next word as a whole number; refuses the line where it is none.
std::uint64_t next_number(const TextLines& text, LineWords& words, std::string_view expected);

// Refuses a file that lists another number of `things` ("arcs") than its header promises.
void check_count(const TextLines& text, const EdgeLines& lines, std::uint64_t promised,
                 std::string_view things);

inline constexpr std::string_view kPairsAlone =
    "put its pairs of ids alone into a .txt file, which numbers the ids that occur anew";

// Refuses far more vertices than the edges can name, before any memory is taken for them: more than
// 2^22 and 256 for each edge line. Isolated vertices are rightful, and graphs with many of them
// (Kronecker's, web crawls) still have more edges than vertices. `way_out` says what to do with a
// file that is right.
void check_vertices(const TextLines& text, std::uint64_t vertices, std::uint64_t edge_lines,
                    std::string_view way_out = kPairsAlone);

// Labels of two sets that are numbered from 1 each, the second beginning with vertex `second`.
void label_two_sets(EdgeList& list, vertex_t second);

// Records what was ignored where there are columns beyond the ids, and a last line without its end.
void note_columns(const EdgeLines& lines, std::string_view what, EdgeList& list);

}  // namespace bfslab
