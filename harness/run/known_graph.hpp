// SPDX-License-Identifier: Apache-2.0
// Earlier rows of a graph: they stand only while the graph is the same, and their sources may grow
// or shrink with the spec.
#pragma once

#include <string>

#include "harness/run/sweep_context.hpp"

namespace bfslab {

// Throws InputError if the name, the file or the generator of the graph is not that of the earlier
// row `known`. Looks once per run, also if no trial is missing.
void require_same_graph(SweepContext& context, const GraphEntry& graph, const GraphRow& known);

// Throws InputError if a worker has loaded contents of another hash than earlier rows have.
void require_same_contents(const SweepContext& context, const GraphEntry& graph,
                           const std::string& known_hash, const std::string& loaded_hash);

// Returns whether the sources of the earlier row are those that the spec asks for.
bool has_sources(const Spec& spec, const GraphEntry& graph, const GraphRow& known);

// Replaces the sources of the earlier row `known` by those of the row `drawn`, whose number
// differs. Throws InputError if the contents differ, or if the common sources do: a rule draws the
// earlier ones first.
void change_sources(SweepContext& context, const GraphEntry& graph, GraphRow known,
                    const GraphRow& drawn);

}  // namespace bfslab
