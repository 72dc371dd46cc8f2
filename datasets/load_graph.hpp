// SPDX-License-Identifier: Apache-2.0
// A graph's name becomes a CsrGraph: from the cache, a file or a generator.
#pragma once

#include <string>
#include <vector>

#include "datasets/build/build.hpp"
#include "datasets/cache/cache.hpp"
#include "datasets/graph/csr_graph.hpp"
#include "datasets/name/graph_name.hpp"

namespace bfslab {

struct LoadOptions : CacheOptions {
  std::vector<std::string> data_folders;  // searched in order for named files
  bool transpose = false;                 // also build the transpose of a directed graph
  BuildElsewhere build_elsewhere = {};    // asked for generated graphs not in the cache
};

// Returns what a graph of this name would be made from now: its generator's version, or its file's
// contents, wherever the file is. While that stays the same, so does the graph. Reads the file, but
// does not build the graph. Throws InputError when a file is missing.
std::string graph_stamp(const GraphName& name, const LoadOptions& options);

// From the cache when it holds the graph, else read or generated, built, and cached.
// Throws InputError when a file is missing or malformed.
CsrGraph load_graph(const GraphName& name, const LoadOptions& options);

}  // namespace bfslab
