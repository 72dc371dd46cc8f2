// SPDX-License-Identifier: Apache-2.0
// What `bfslab graph info` says about a graph.
#pragma once

#include <string>

#include "datasets/graph/csr_graph.hpp"
#include "datasets/summary/summary.hpp"

namespace bfslab {

struct GraphDescription {
  const CsrGraph& graph;
  const GraphSummary& summary;
  SummaryPart part;          // what of the summary was made
  std::string stand_in_for;  // the catalogue's entry, or empty
};

// To standard output.
void print_graph_text(const GraphDescription& facts);
void print_graph_json(const GraphDescription& facts);

// Bars of the log-binned degrees, one line each: blocks where the locale is UTF-8, else '#'. They
// grow with the logarithm of the number of vertices, so that the few hubs are seen beside the many.
std::string degree_plot(const DegreeCounts& degrees, bool utf8);
// As LC_ALL, LC_CTYPE and LANG say, in this order.
bool terminal_is_utf8();

// "degree,count" and a line for each degree that occurs. Throws InputError if the file exists or
// cannot be written.
void write_degrees(const DegreeCounts& degrees, const std::string& path);

}  // namespace bfslab
