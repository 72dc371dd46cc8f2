// SPDX-License-Identifier: Apache-2.0
// Disjoint union of generated graphs: their vertices one after another, no edge between them. It
// distinguishes searches that stop at the component from those that do not.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "datasets/generate/generator.hpp"

namespace bfslab {

namespace {

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

std::unique_ptr<EdgeSource> make_union(const Recipe& graph) {
  std::vector<Block> blocks;
  unsigned __int128 vertices = 0;
  unsigned __int128 edges = 0;
  for (const Recipe& part : graph.parts) {
    std::shared_ptr<const EdgeSource> source = find_generator(part.kind)->make(part);
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
      "the disjoint union of generated graphs: "
      "union:(kronecker:scale=10)+3*(path:vertices=100); copies are equal";
  kind.takes_path = true;
  kind.form = "(GRAPH)+(GRAPH)";
  return {kind, make_union};
}

}  // namespace bfslab
