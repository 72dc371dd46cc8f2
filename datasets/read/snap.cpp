// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/snap.hpp"

#include <fmt/format.h>

#include "datasets/read/format_parts.hpp"
#include "datasets/read/konect_kind.hpp"

namespace bfslab {

namespace {

std::optional<std::uint64_t> number_after(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::string reason;
  return parse_number(LineWords(line.substr(at + word.size())).next(), "", reason);
}

SnapHeader read_snap_header(TextLines& text) {
  SnapHeader header;
  std::string_view line;
  while (text.peek_line(line)) {
    LineWords words(line);
    if (!words.done() && !words.next().starts_with('#')) break;
    refuse_two_sets(text, text.lines_read() + 1, line);
    header.read(line);
    text.next_line(line);
  }
  return header;
}

}  // namespace

void SnapHeader::read(std::string_view comment) {
  if (comment.find("Undirected graph") != std::string_view::npos) undirected = true;
  const auto nodes_there = number_after(comment, "Nodes:");
  const auto edges_there = number_after(comment, "Edges:");
  if (!nodes_there || !edges_there) return;
  nodes = nodes_there;
  edges = edges_there;
}

EdgeList finish_snap(const SnapHeader& header, const TextLines& text, EdgeLines lines,
                     const std::string& format, char separator) {
  if (header.edges && *header.edges > lines.edges) {
    refuse_line(
        text, lines.lines,
        fmt::format("the file ends after {} edges, but its header announces {}; fetch it again",
                    lines.edges, *header.edges));
  }

  EdgeList list = std::move(lines.list);
  if (header.edges != lines.edges) {  // else the header counts the first line as an edge
    refuse_counts_line(text.file(), lines.first_line, separator, list);
  }
  list.undirected = header.undirected;
  list.provenance.emplace_back("format", format);
  list.provenance.emplace_back("edge_lines", std::to_string(lines.edges));
  const auto warn = [&](const std::string& warning) {
    list.provenance.emplace_back("warning", warning);
  };
  if (header.edges && *header.edges != lines.edges) {
    warn(fmt::format("the header announces {} edges, the file lists {}", *header.edges,
                     lines.edges));
  }
  if (header.nodes && *header.nodes != list.vertex_count) {
    warn(fmt::format("the header announces {} vertices, the edges name {}", *header.nodes,
                     list.vertex_count));
  }
  if (lines.columns > 2) {
    warn(fmt::format("{} column{} beyond the ids ignored", lines.columns - 2,
                     lines.columns == 3 ? "" : "s"));
  }
  if (!lines.ends_with_newline) {
    warn("the last line has no line end: the file may be truncated");
  }
  return list;
}

EdgeList parse_snap(ByteStream& bytes, const std::string& file, int threads) {
  TextLines text(bytes, file);
  const SnapHeader header = read_snap_header(text);
  EdgeLineRules rules;
  rules.comments = "#";
  rules.refuse_bip = true;
  return finish_snap(header, text, parse_edge_lines(text, rules, threads), "snap");
}

EdgeList read_snap(const std::string& path, int threads) {
  const auto bytes = open_bytes(path);
  return parse_snap(*bytes, path, threads);
}

}  // namespace bfslab
