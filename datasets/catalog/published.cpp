// SPDX-License-Identifier: Apache-2.0
#include "datasets/catalog/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace bfslab {

std::string published_counts(const CatalogEntry& entry) {
  std::string text;
  if (entry.vertices != 0) text = fmt::format("{} vertices", entry.vertices);
  if (entry.edges != 0) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", entry.edges, entry.edges_are);
  }
  return text;
}

namespace {

// The distinct pairs of different vertices, without their directions.
std::uint64_t simple_edges(const EdgeList& list) {
  std::vector<std::uint64_t> pairs;
  pairs.reserve(list.edges.size());
  for (const Edge edge : list.edges.span()) {
    const auto [first, second] = std::minmax(edge.from, edge.to);
    if (first != second) pairs.push_back(std::uint64_t{first} << 32 | second);
  }
  std::sort(pairs.begin(), pairs.end());
  return static_cast<std::uint64_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
}

}  // namespace

std::uint64_t counted_edges(const EdgeList& list, const std::string& edges_are) {
  const std::uint64_t lines = list.edges.size();
  if (edges_are == "undirected edges") return list.undirected ? lines : lines / 2;
  if (edges_are == "doubled edges") return 2 * lines;
  if (edges_are == "simple edges") return simple_edges(list);
  return lines;
}

void add_catalog_facts(const CatalogEntry& entry, EdgeList& list) {
  Provenance facts = {{"catalogue", entry.name}, {"title", entry.title}};
  if (!entry.edition.empty()) facts.emplace_back("edition", entry.edition);
  if (!entry.terms.empty()) facts.emplace_back("terms", entry.terms);
  const std::string published = published_counts(entry);
  if (!published.empty()) facts.emplace_back("published", published);
  list.provenance.insert(list.provenance.begin(), facts.begin(), facts.end());
  const auto compare = [&](std::uint64_t found, std::uint64_t expected, const std::string& what) {
    if (expected == 0 || found == expected) return;
    list.provenance.emplace_back(
        "warning", fmt::format("the file has {} {}, published are {}", found, what, expected));
  };
  compare(list.vertex_count, entry.vertices, "vertices");
  compare(counted_edges(list, entry.edges_are), entry.edges, entry.edges_are);
}

}  // namespace bfslab
