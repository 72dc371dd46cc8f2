// SPDX-License-Identifier: Apache-2.0
// Compares a graph that was read from a file with what the catalogue says about it.
#pragma once

#include <string>

#include "datasets/catalog/catalog.hpp"
#include "datasets/graph/edge_list.hpp"

namespace bfslab {

// "75879 vertices, 508837 edge lines"; empty when nothing is published.
std::string published_counts(const CatalogEntry& entry);

// Returns the number of edges in the list, counted in the way that the entry's edges_are names.
std::uint64_t counted_edges(const EdgeList& list, const std::string& edges_are);

// Puts the entry's name, title, edition, terms and published counts in front of the list's
// provenance, and a "warning" at its end for each count that is not the published one: a reader
// cannot notice another edition, or a file truncated at the end of a line.
void add_catalog_facts(const CatalogEntry& entry, EdgeList& list);

}  // namespace bfslab
