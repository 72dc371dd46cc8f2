// SPDX-License-Identifier: Apache-2.0
// Text formats with one edge per line, parsed by all threads as the bytes arrive. A format reads
// its header lines one by one, then gives the rules of the lines that follow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/text_lines.hpp"

namespace bfslab {

struct EdgeLineRules {
  std::string_view comments;   // characters that begin a comment line: "#", "%"
  char separator = '\0';       // between columns, blanks beside it allowed; 0: blanks alone
  bool refuse_bip = false;     // a comment "% bip" is refused: it is of a file of two sets
  std::string_view lead;       // word that begins every edge's line ("a" of DIMACS); empty: none
  std::string_view skipped;    // a word whose lines are skipped ("c" of DIMACS); empty: none
  std::uint64_t first_id = 0;  // lowest legal id; it is subtracted
  std::uint64_t id_count = 0;  // ids run from first_id to first_id + id_count - 1; 0: any id
  std::size_t columns = 0;     // columns of every line, lead not counted; 0: as in the first one
  // The number that the header announces. Reading ends soon after more lines than that. Empty:
  // unknown.
  std::optional<std::uint64_t> max_edges;
  // The second column names vertices of another set (of second_count, 0: any id below 2^32), which
  // follow all those of the first: a bipartite graph.
  bool two_sets = false;
  std::uint64_t second_count = 0;

  // Added to a second id of two sets once first_id is subtracted.
  [[nodiscard]] std::uint64_t second_shift() const {
    if (!two_sets) return 0;
    return id_count > 0 ? id_count : std::uint64_t{1} << 32;
  }
};

struct EdgeLines {
  EdgeList list;              // edges, vertex_count, labels; provenance still empty
  std::uint64_t lines = 0;    // of the whole file
  std::uint64_t edges = 0;    // edge lines
  std::uint64_t largest = 0;  // largest id found, less first_id
  std::size_t columns = 0;    // of the edges' lines, lead not counted
  std::string first_line;     // the first edge's
  bool ends_with_newline = true;
  bool stopped = false;  // at more than max_edges: the counts are of what was read until then
};

// Reads the rest of `text`. With id_count the list has that many vertices (and second_count
// more of two sets), ids as given; without it ids are renumbered densely in their order, and labels
// give the ids of the file, less first_id and plus the shift of a second set, where they differ.
// Holds 8 bytes per edge (16 while ids beyond 2^32 are renumbered). Throws InputError "FILE:LINE:
// reason" for the first faulty line, and where there is no edge at all and `may_be_empty` is not
// set.
EdgeLines parse_edge_lines(TextLines& text, const EdgeLineRules& rules, int threads,
                           bool may_be_empty = false);

}  // namespace bfslab
