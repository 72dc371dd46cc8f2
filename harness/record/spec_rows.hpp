// SPDX-License-Identifier: Apache-2.0
// Rows and the spec that asks for them. A spec may grow, and may not shrink: each row that exists
// has to keep its place in it.
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

// Counts the rows that have no place in the spec. `graphs` are those of the same folder: a rule for
// sources has drawn the vertices that they name.
LostRows lost_rows(const Spec& spec, std::span<const RunRow> rows,
                   std::span<const GraphRow> graphs);

}  // namespace bfslab
