// SPDX-License-Identifier: Apache-2.0
// SNAP's edge lists: one edge per line, two ids separated by blanks or tabs, `#` before comments
// (https://snap.stanford.edu/data). Later columns (weights, times) are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"
#include "datasets/read/edge_lines.hpp"

namespace bfslab {

// Ids are renumbered densely in their order. A header that announces more edges than there are is
// an error (the file was truncated), other differences are warnings in the provenance; "Undirected
// graph" in the header makes the list undirected. Throws InputError "FILE:LINE: reason", also where
// the first line may hold counts (refuse_counts_line), and for a comment "% bip" (konect_kind.hpp).
EdgeList parse_snap(ByteStream& bytes, const std::string& file, int threads);

EdgeList read_snap(const std::string& path, int threads);

// Facts from the comments before the first edge: "# Nodes: 7115 Edges: 103689", "# Undirected
// graph: x".
struct SnapHeader {
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> edges;
  bool undirected = false;

  void read(std::string_view comment);
};

// The list of lines that follow such a header, with the facts and refusals of parse_snap.
EdgeList finish_snap(const SnapHeader& header, const TextLines& text, EdgeLines lines,
                     const std::string& format, char separator = '\0');

}  // namespace bfslab
