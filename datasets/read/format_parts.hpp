// SPDX-License-Identifier: Apache-2.0
// Functions that the readers of several formats share.
#pragma once

#include <cstdint>
#include <string_view>

#include "datasets/read/edge_lines.hpp"
#include "datasets/read/line_words.hpp"

namespace bfslab {

// The next word as a whole number; refuses the line if it is not one.
std::uint64_t next_number(const TextLines& text, LineWords& words, std::string_view expected);

// Refuses a file that lists a number of `things` ("arcs") other than its header announces.
void check_count(const TextLines& text, const EdgeLines& lines, std::uint64_t promised,
                 std::string_view things);

inline constexpr std::string_view kPairsAlone =
    "put only its pairs of ids into a .txt file, which renumbers the ids that occur";

// Refuses far more vertices than the edges can name, before any memory is taken for them: more than
// 2^22 plus 256 for each edge line. Isolated vertices are legal, and graphs with many of them
// (Kronecker's, web crawls) still have more edges than vertices. `way_out` says what to do with a
// file that is correct.
void check_vertices(const TextLines& text, std::uint64_t vertices, std::uint64_t edge_lines,
                    std::string_view way_out = kPairsAlone);

// Refuses a list whose first line, such as "34 78", "78 34" or "34 34 78", may be the counts of
// vertices and of the 78 edges after it, which other programs write there. `line` is that line,
// with `separator` between its columns.
void refuse_counts_line(const std::string& file, std::string_view line, char separator,
                        const EdgeList& list);

// Labels of two sets that are numbered from 1 each, the second beginning with vertex `second`.
void label_two_sets(EdgeList& list, vertex_t second);

// Records what was ignored if there are columns beyond the ids, and a last line without its end.
void note_columns(const EdgeLines& lines, std::string_view what, EdgeList& list);

}  // namespace bfslab
