// SPDX-License-Identifier: Apache-2.0
// Writes the binary graph of the GAP benchmark suite (.sg; docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

inline constexpr std::string_view kGapbsEnding = ".sg";

// Offsets and neighbours by the ids of the loaded graph, rows in its order; of a directed graph
// those of its transpose, too, which is built by `threads` threads (0: all) unless it has one.
// Replaces `path` completely or not at all. Throws InputError if the graph has no vertex or over
// 2^31 - 1 of them, which the format cannot express, and if `path` cannot be written.
void write_gapbs(const CsrGraph& graph, const std::string& path, int threads);

}  // namespace bfslab
