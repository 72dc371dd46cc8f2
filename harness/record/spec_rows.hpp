// SPDX-License-Identifier: Apache-2.0
// Rows and the spec that asks for them: what a spec decides of a row, and whether a grown spec
// still asks for the rows that exist.
#pragma once

#include <span>
#include <string>

#include "harness/record/rows.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// A row with the columns that the spec decides for this graph and configuration: experiment, case,
// graph, stand-in, engine, toggles, ranks, GPUs and answer.
RunRow planned_row(const Spec& spec, const GraphEntry& graph, const Configuration& configuration);

// Rows that a spec does not ask for.
struct LostRows {
  std::size_t count = 0;
  std::string first;  // what one measured: case "b" on path:vertices=9 (hybrid, threads=2)
};

// None where every row has its place: a spec may grow, and may not shrink. `graphs` are the
// folder's: their sources are those that a rule has drawn.
LostRows lost_rows(const Spec& spec, std::span<const RunRow> rows,
                   std::span<const GraphRow> graphs);

}  // namespace bfslab
