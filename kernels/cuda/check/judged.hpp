// SPDX-License-Identifier: Apache-2.0
// The graph and the answer that the device's check judges, in device memory, and its report.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/device_graph.hpp"

namespace bfslab::cuda {

inline constexpr unsigned long long kNothingBroken = ~0ULL;

// The report to the host: five words of 64 bits, as atomics take them.
struct CheckReport {
  unsigned long long first_broken;  // rule << 32 | vertex; kNothingBroken if valid
  unsigned long long deepest;       // level
  unsigned long long reached;       // vertices
  unsigned long long level_sum;     // of reached vertices
  unsigned long long edges;         // out-entries of reached vertices
  unsigned long long input_edges;   // input tuples of reached vertices
};

struct JudgedGraph {
  CsrView out;
  CsrView in;                                  // without offsets if there is no transpose
  const std::uint32_t* input_edges = nullptr;  // [n] or null
};

struct JudgedVectors {
  vertex_t source = 0;
  const level_t* levels = nullptr;    // [n], derived if only parents were given
  const vertex_t* parents = nullptr;  // [n] or null
  bool levels_given = true;
};

// Rows longer than this are cut into pieces of this many entries.
inline constexpr unsigned kPieceEntries = 1024;
struct RowPiece {
  vertex_t row;
  std::uint32_t number;  // within the row
};

enum class Support {
  unasked,
  by_row,     // the rows are in-neighbours: sets the row's bit
  by_column,  // the rows are out-neighbours: sets the columns' bits
};

}  // namespace bfslab::cuda
