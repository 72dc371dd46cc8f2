// SPDX-License-Identifier: Apache-2.0
// The report of `bfslab graph info` about a graph.
#pragma once

#include <string>

#include "datasets/graph/csr_graph.hpp"
#include "datasets/summary/summary.hpp"

namespace bfslab {

struct GraphDescription {
  const CsrGraph& graph;
  const GraphSummary& summary;
  SummaryPart part;          // the parts of the summary that were made
  std::string stand_in_for;  // the catalogue's entry, or empty
};

// Prints to standard output.
void print_graph_text(const GraphDescription& facts);
void print_graph_json(const GraphDescription& facts);

// Returns bars of the log-binned degrees, one line each: blocks if the locale is UTF-8, else '#'.
// Bars grow with the logarithm of the number of vertices, so that the few hubs are visible.
std::string degree_plot(const DegreeCounts& degrees, bool utf8);
// Returns whether the locale is UTF-8, by LC_ALL, LC_CTYPE and LANG, in this order.
bool terminal_is_utf8();

// Writes "degree,count" and a line for each degree that occurs. Throws InputError if the file
// exists or cannot be written.
void write_degrees(const DegreeCounts& degrees, const std::string& path);

}  // namespace bfslab
