// What the catalogue says of a graph that was read from a file, and whether the file agrees.
#pragma once

#include <string>

#include "datasets/catalog/catalog.hpp"
#include "datasets/graph/edge_list.hpp"

namespace bfslab {

// "75879 vertices, 508837 edge lines"; empty when nothing is published.
std::string published_counts(const CatalogEntry& entry);

// What of the list the entry's edges_are counts.
std::uint64_t counted_edges(const EdgeList& list, const std::string& edges_are);

// Puts the entry's name, title, edition, terms and published counts in front of the list's
// provenance, and a "warning" behind it for each count that is not the published one: another
// edition, or a file cut at the end of a line, is nothing that a reader could notice.
void add_catalog_facts(const CatalogEntry& entry, EdgeList& list);

}  // namespace bfslab
