// SPDX-License-Identifier: Apache-2.0
// The passes of the device's check, as the host starts them. All data is in device memory; each
// pass is complete in the stream's order only.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/stream.hpp"

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

// tree_levels.cu. `ancestors` [n] and `changed` [kTreeRounds] are scratch. Writes `levels` [n],
// kUnreached if parents never lead to the source. Judges the source's parent, ranges and the tree.
inline constexpr unsigned kTreeRounds = 32;
void derive_levels(const vertex_t* parents, vertex_t n, vertex_t source, std::uint64_t* ancestors,
                   std::uint32_t* changed, level_t* levels, CheckReport* report,
                   const Stream& stream);

// vertex_rules.cu. Counts, and, if `rules`, judges what one vertex and its parent show.
void judge_vertices(const JudgedGraph& graph, const JudgedVectors& answer, bool rules,
                    CheckReport* report, const Stream& stream);
// Judges that every reached vertex but the source has its bit in `supported` [ceil(n / 32)].
void judge_support(const JudgedVectors& answer, vertex_t n, const std::uint32_t* supported,
                   CheckReport* report, const Stream& stream);

// edge_rules.cu. Looks once at every entry of the reached vertices' rows.
enum class Support {
  unasked,
  by_row,     // the rows are in-neighbours: sets the row's bit
  by_column,  // the rows are out-neighbours: sets the columns' bits
};
// `span`: judges that edges span at most one level. `pieces`: of rows above kPieceEntries.
void judge_edges(const CsrView& rows, const RowPiece* pieces, std::size_t piece_count,
                 const level_t* levels, bool span, Support support, std::uint32_t* supported,
                 CheckReport* report, const Stream& stream);

}  // namespace bfslab::cuda
