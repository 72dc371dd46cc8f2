// SPDX-License-Identifier: Apache-2.0
// The rules that edges show: no edge leads more than one level down, and every reached vertex has
// an in-neighbour one level up.
//
// A warp takes 32 consecutive rows and shares their entries evenly among its lanes, whatever the
// lengths. A lane finds the row of its entry by a binary search over the 32 summed lengths, which
// the lanes hold in registers. Rows longer than kPieceEntries are left out and come as pieces, one
// warp per piece, so that no warp has more than 32 * kPieceEntries entries. One bit per row stores
// whether it breaks a rule or is supported.
//
// Cost: 8 bytes of offset and 4 of level per vertex; 4 bytes and one random level per entry.
#pragma once

#include "kernels/cuda/check/judged.hpp"

namespace bfslab::cuda {

__device__ inline std::uint32_t or_over_warp(std::uint32_t bits) {
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    bits |= __shfl_xor_sync(kAllLanes, bits, distance);
  }
  return bits;
}

// Many edges enter a vertex: most find its bit set, and need no atomic.
__device__ inline void mark(std::uint32_t* supported, vertex_t v) {
  const std::uint32_t bit = 1U << (v % kWarp);
  if ((load_fresh(supported[v / kWarp]) & bit) == 0) atomicOr(&supported[v / kWarp], bit);
}

struct EdgeJudge {
  const level_t* levels;
  std::uint32_t* supported;
  bool span;  // judges that edges span at most one level
  Support support;

  struct Seen {
    bool too_long = false;  // the edge leads more than one level down
    bool supports = false;  // and this one up
  };
  // `level` is that of the row, which is reached; kUnreached is the deepest of all.
  __device__ Seen look(level_t level, vertex_t column) const {
    const level_t there = levels[column];
    if (support == Support::by_column && there == level + 1) mark(supported, column);
    return {span && there > level + 1, support == Support::by_row && there + 1 == level};
  }
};

__global__ void __launch_bounds__(kBlockThreads)
    edges_of_rows(CsrView rows, EdgeJudge judge, CheckReport* report) {
  const unsigned lane = threadIdx.x % kWarp;
  const std::uint64_t group = grid_thread() / kWarp;
  if (group * kWarp >= rows.vertices) return;  // the whole warp
  const std::uint64_t row = group * kWarp + lane;
  level_t level = kUnreached;
  edge_t begin = 0;
  std::uint32_t length = 0;
  if (row < rows.vertices) level = judge.levels[row];
  if (level != kUnreached) {
    begin = rows.row_offsets[row];
    const edge_t whole = rows.row_offsets[row + 1] - begin;
    if (whole <= kPieceEntries) length = static_cast<std::uint32_t>(whole);
  }
  __syncwarp();
  std::uint32_t before_next = length;  // entries of this row and the ones before it
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    const std::uint32_t left = __shfl_up_sync(kAllLanes, before_next, distance);
    if (lane >= distance) before_next += left;
  }
  const std::uint32_t total = __shfl_sync(kAllLanes, before_next, kWarp - 1);
  const edge_t shifted = begin - (before_next - length);  // wraps: entry k of all is at shifted + k
  std::uint32_t too_long = 0;
  std::uint32_t supported = 0;
  for (std::uint32_t base = 0; base < total; base += kWarp) {
    const std::uint32_t entry = base + lane;
    unsigned owner = 0;  // how many rows end at or before the entry; 31 beyond the last one
    for (unsigned step = kWarp / 2; step > 0; step /= 2) {
      const std::uint32_t end = __shfl_sync(kAllLanes, before_next, owner + step - 1);
      if (end <= entry) owner += step;
    }
    const edge_t offset = __shfl_sync(kAllLanes, shifted, owner);
    const level_t owner_level = __shfl_sync(kAllLanes, level, owner);
    if (entry < total) {
      // Read once, past the cache, which is left to the levels.
      const auto seen = judge.look(owner_level, __ldcs(rows.columns + (offset + entry)));
      too_long |= std::uint32_t{seen.too_long} << owner;
      supported |= std::uint32_t{seen.supports} << owner;
    }
    __syncwarp();
  }
  too_long = or_over_warp(too_long);
  supported = or_over_warp(supported);
  if (lane != 0) return;
  if (too_long != 0) {
    const auto first = static_cast<vertex_t>(group * kWarp + (__ffs(too_long) - 1));
    report_broken(report, broken_key(Rule::edges_span_one_level, first));
  }
  if (supported != 0) atomicOr(&judge.supported[group], supported);
}

__global__ void __launch_bounds__(kBlockThreads)
    edges_of_pieces(CsrView rows, const RowPiece* pieces, std::size_t piece_count, EdgeJudge judge,
                    CheckReport* report) {
  const unsigned lane = threadIdx.x % kWarp;
  const std::uint64_t index = grid_thread() / kWarp;
  if (index >= piece_count) return;  // the whole warp
  const RowPiece piece = pieces[index];
  const level_t level = judge.levels[piece.row];
  if (level == kUnreached) return;  // the whole warp
  const edge_t begin = rows.row_offsets[piece.row] + edge_t{piece.number} * kPieceEntries;
  const edge_t row_end = rows.row_offsets[piece.row + std::uint64_t{1}];
  const edge_t end = min(begin + kPieceEntries, row_end);
  bool too_long = false;
  bool supports = false;
#pragma unroll 4
  for (edge_t entry = begin + lane; entry < end; entry += kWarp) {
    const auto seen = judge.look(level, __ldcs(rows.columns + entry));
    too_long |= seen.too_long;
    supports |= seen.supports;
  }
  __syncwarp();
  too_long = __any_sync(kAllLanes, too_long) != 0;
  supports = __any_sync(kAllLanes, supports) != 0;
  if (lane != 0) return;
  if (too_long) report_broken(report, broken_key(Rule::edges_span_one_level, piece.row));
  if (supports) mark(judge.supported, piece.row);
}

// One warp per item.
inline unsigned blocks_of_warps(std::uint64_t items) {
  constexpr unsigned kWarps = kBlockThreads / kWarp;
  return static_cast<unsigned>((items + kWarps - 1) / kWarps);
}

// Looks once at every entry of the reached vertices' rows. `pieces`: of rows above kPieceEntries.
inline void judge_edges(const CsrView& rows, const DeviceBuffer<RowPiece>& pieces,
                        const EdgeJudge& judge, CheckReport* report, const Stream& stream) {
  if (pieces.size() > 0) {  // the long rows first: short ones fill the gaps at the end
    BFSLAB_LAUNCH(edges_of_pieces, blocks_of_warps(pieces.size()), stream, rows, pieces.data(),
                  pieces.size(), judge, report);
  }
  const std::uint64_t groups = (std::uint64_t{rows.vertices} + kWarp - 1) / kWarp;
  BFSLAB_LAUNCH(edges_of_rows, blocks_of_warps(groups), stream, rows, judge, report);
}

}  // namespace bfslab::cuda
