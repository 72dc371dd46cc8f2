#include "datasets/read/snap.hpp"

#include <fmt/format.h>

#include <optional>

#include "datasets/read/edge_lines.hpp"

namespace bfslab {

namespace {

struct Header {
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> edges;
  bool undirected = false;
};

std::optional<std::uint64_t> number_after(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::string reason;
  return parse_number(LineWords(line.substr(at + word.size())).next(), "", reason);
}

// The comments before the first edge: "# Nodes: 7115 Edges: 103689", "# Undirected graph: ...".
Header read_header(TextLines& text) {
  Header header;
  std::string_view line;
  while (text.peek_line(line)) {
    LineWords words(line);
    if (!words.done() && !words.next().starts_with('#')) break;
    if (line.find("Undirected graph") != std::string_view::npos) header.undirected = true;
    const auto nodes = number_after(line, "Nodes:");
    const auto edges = number_after(line, "Edges:");
    if (nodes && edges) {
      header.nodes = nodes;
      header.edges = edges;
    }
    text.next_line(line);
  }
  return header;
}

}  // namespace

EdgeList parse_snap(ByteStream& bytes, const std::string& file, int threads) {
  TextLines text(bytes, file);
  const Header header = read_header(text);
  EdgeLineRules rules;
  rules.comments = "#";
  EdgeLines lines = parse_edge_lines(text, rules, threads);
  if (header.edges && *header.edges > lines.edges) {
    refuse_line(
        text, lines.lines,
        fmt::format("the file ends after {} edges, but its header announces {}; fetch it again",
                    lines.edges, *header.edges));
  }

  EdgeList list = std::move(lines.list);
  list.undirected = header.undirected;
  list.provenance.emplace_back("format", "snap");
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

EdgeList read_snap(const std::string& path, int threads) {
  const auto bytes = open_bytes(path);
  return parse_snap(*bytes, path, threads);
}

}  // namespace bfslab
