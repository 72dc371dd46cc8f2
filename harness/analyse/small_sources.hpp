// SPDX-License-Identifier: Apache-2.0
// Sources whose searches are too small to be measurements of the graph (docs/statistics.md,
// "Sources that are left out"). plots/load.py has the same rule.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

// Maps a graph ("NAME\x1fHASH") to the sources that reach fewer than half as many vertices as
// another one.
using SmallSources = std::map<std::string, std::set<vertex_t>>;

SmallSources small_sources(const std::vector<RunRow>& rows);
bool is_small(const RunRow& row, const SmallSources& small);

// "3 sources of ca-HepPh reach fewer than half ..."; one line for each graph.
std::vector<std::string> small_sources_lines(const SmallSources& small);

}  // namespace bfslab
