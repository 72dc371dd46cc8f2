// Disjoint union of generated graphs: their vertices one after another, no edge between them. It
// distinguishes searches that stop at the component from those that do not.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

// COPIES*(KIND:parameters)
struct Part {
  std::uint64_t copies = 1;
  GraphName graph;
};

[[noreturn]] void malformed(std::string_view found) {
  throw InputError(
      fmt::format("found \"{}\", expected generated graphs in parentheses joined by +, such as "
                  "(kronecker:scale=10)+3*(path:vertices=100)",
                  found));
}

// The part that `text` begins with, removed from it together with the + after it.
Part take_part(std::string_view& text) {
  Part part;
  const std::string_view whole = text;
  if (!text.starts_with('(')) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), part.copies);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (error != std::errc() || part.copies == 0 || !text.starts_with("*(")) malformed(whole);
    text.remove_prefix(1);
  }
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) malformed(whole);
  const std::string_view inner = text.substr(1, close - 1);
  if (inner.find('(') != std::string_view::npos) {
    throw InputError(fmt::format("\"{}\" is a union again: list its parts side by side", inner));
  }
  for (const GraphParameter& parameter : build_parameters()) {
    const auto at = inner.find(parameter.name + '=');
    if (at != std::string_view::npos && at > 0 && (inner[at - 1] == ',' || inner[at - 1] == ':')) {
      throw InputError(
          fmt::format("{} is inside a part: write it after the last parenthesis, "
                      "it applies to the whole union",
                      parameter.name));
    }
  }
  part.graph = GraphName::parse(inner);
  if (find_generator(part.graph.kind) == nullptr) {
    throw InputError(
        fmt::format("\"{}\" is read from a file; the parts of a union are generated", inner));
  }
  text.remove_prefix(close + 1);
  if (text.empty()) return part;
  if (!text.starts_with('+') || text.size() == 1) malformed(text);
  text.remove_prefix(1);
  return part;
}

std::vector<Part> parse_parts(std::string_view text) {
  std::vector<Part> parts;
  while (!text.empty()) {
    Part part = take_part(text);
    // Equal neighbours are copies: one graph, one spelling.
    if (!parts.empty() && parts.back().graph.canonical == part.graph.canonical) {
      if (part.copies > ~std::uint64_t{0} - parts.back().copies) malformed(text);
      parts.back().copies += part.copies;
    } else {
      parts.push_back(std::move(part));
    }
  }
  if (parts.empty()) malformed(text);
  return parts;
}

// Canonical names without the build options, which are the union's.
std::string normal_parts(const std::string& text) {
  std::string out;
  for (const Part& part : parse_parts(text)) {
    if (!out.empty()) out += '+';
    if (part.copies > 1) out += fmt::format("{}*", part.copies);
    const std::string& full = part.graph.canonical;
    out += '(' + full.substr(0, full.size() - part.graph.build.canonical().size());
    if (out.ends_with(',')) out.pop_back();
    out += ')';
  }
  return out;
}

struct Block {
  std::shared_ptr<const EdgeSource> source;
  edge_t first_edge;  // of all copies
  vertex_t first_vertex;
};

class UnionSource final : public EdgeSource {
 public:
  UnionSource(std::vector<Block> blocks, vertex_t vertices, edge_t edges)
      : EdgeSource(vertices, edges), blocks_(std::move(blocks)) {}

  void fill(edge_t first, std::span<Edge> out) const override {
    if (out.empty()) return;
    // The last block that begins at or before the position.
    auto block = std::upper_bound(blocks_.begin(), blocks_.end(), first,
                                  [](edge_t at, const Block& b) { return at < b.first_edge; });
    --block;
    while (!out.empty()) {
      const auto next = block + 1;
      const edge_t end = next == blocks_.end() ? size() : next->first_edge;
      if (first >= end) {
        block = next;
        continue;
      }
      const edge_t each = block->source->size();
      const edge_t copy = (first - block->first_edge) / each;
      const edge_t within = (first - block->first_edge) % each;
      const auto part = out.first(std::min<edge_t>(out.size(), each - within));
      block->source->fill(within, part);
      const auto shift =
          static_cast<vertex_t>(block->first_vertex + copy * block->source->vertex_count());
      for (Edge& edge : part) edge = {edge.from + shift, edge.to + shift};
      first += part.size();
      out = out.subspan(part.size());
    }
  }

 private:
  std::vector<Block> blocks_;  // of one edge or more each
};

std::unique_ptr<EdgeSource> make_union(const GraphName& name) {
  std::vector<Block> blocks;
  unsigned __int128 vertices = 0;
  unsigned __int128 edges = 0;
  for (const Part& part : parse_parts(name.path)) {
    std::shared_ptr<const EdgeSource> source = find_generator(part.graph.kind)->make(part.graph);
    const unsigned __int128 more_vertices =
        static_cast<unsigned __int128>(part.copies) * source->vertex_count();
    const unsigned __int128 more_edges =
        static_cast<unsigned __int128>(part.copies) * source->size();
    if (more_edges > 0) {
      blocks.push_back(
          {std::move(source), static_cast<edge_t>(edges), static_cast<vertex_t>(vertices)});
    }
    vertices += more_vertices;
    edges += more_edges;
    if (vertices > static_cast<std::uint64_t>(kMaxVertices) || edges >> 62 != 0) {
      throw InputError(fmt::format("the parts together have more than {} vertices, or 2^62 edges",
                                   static_cast<std::uint64_t>(kMaxVertices)));
    }
  }
  return std::make_unique<UnionSource>(std::move(blocks), static_cast<vertex_t>(vertices),
                                       static_cast<edge_t>(edges));
}

}  // namespace

Generator union_generator() {
  GraphKind kind;
  kind.name = "union";
  kind.doc =
      "generated graphs side by side, no edge between them: "
      "union:(kronecker:scale=10)+3*(path:vertices=100); copies are equal";
  kind.takes_path = true;
  kind.form = "(GRAPH)+(GRAPH)";
  return {kind, make_union, normal_parts};
}

}  // namespace bfslab
