// SPDX-License-Identifier: Apache-2.0
// What the catalogue says about a graph that was read from a file, and whether the file agrees.
#pragma once

#include <string>

#include "datasets/catalog/catalog.hpp"
#include "datasets/graph/edge_list.hpp"

namespace bfslab {

// "75879 vertices, 508837 edge lines"; empty when nothing is published.
std::string published_counts(const CatalogEntry& entry);

// What the entry's edges_are counts in the list.
std::uint64_t counted_edges(const EdgeList& list, const std::string& edges_are);

// Puts the entry's name, title, edition, terms and published counts in front of the list's
// provenance, and a "warning" at its end for each count that is not the published one: a reader
// cannot notice another edition, or a file truncated at the end of a line.
void add_catalog_facts(const CatalogEntry& entry, EdgeList& list);

}  // namespace bfslab
