// SPDX-License-Identifier: Apache-2.0
// Compares rows with the spec that asks for them. A spec may grow but not shrink: it must still ask
// for each existing row.
#pragma once

#include <span>
#include <string>

#include "harness/record/rows.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// Returns a row with the columns that the spec decides for this graph and configuration:
// experiment, case, graph, stand-in, engine, toggles, ranks, GPUs and answer.
RunRow planned_row(const Spec& spec, const GraphEntry& graph, const Configuration& configuration);

// Rows that a spec does not ask for.
struct LostRows {
  std::size_t count = 0;
  std::string
      first;  // describes the first of them: case "b" on path:vertices=9 (hybrid, threads=2)
};

// Counts the rows that the spec does not ask for. `graphs` are the rows of graphs.csv of the same
// folder, which name the drawn sources.
LostRows lost_rows(const Spec& spec, std::span<const RunRow> rows,
                   std::span<const GraphRow> graphs);

}  // namespace bfslab
