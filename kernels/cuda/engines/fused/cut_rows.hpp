// SPDX-License-Identifier: Apache-2.0
// Long rows, cut where ranges of ids begin, so that a block can visit one range's part of each row
// and keep the range's bits in its shared memory (cut_rows.cuh).
//
// A range begins at a multiple of four words of bits and has at most kMaxCutWords. Ranges have
// about as many of these rows' entries each. There are a few times fewer ranges than blocks, so
// that parts of rows are not too short; the blocks of one range share its rows.
//
// Example: with ranges that begin at ids 0, 128 and 384, the row {3, 9, 130, 200, 500} has the cuts
// 0, 2, 4 and 5.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/fused/work.hpp"

namespace bfslab::cuda {

inline constexpr std::uint32_t kMaxCutWords = 24'576;  // 96 KiB

struct CutRows {
  DeviceBuffer<std::uint32_t> cuts;   // [rows][ranges + 1]
  DeviceBuffer<std::uint32_t> words;  // [ranges + 1]
  unsigned ranges = 0;
  vertex_t rows = 0;
  std::uint32_t max_words = 0;  // of a range

  [[nodiscard]] std::uint64_t bytes() const { return bytes_of(cuts, words); }
  [[nodiscard]] CutRowsView view() const { return {cuts.data(), words.data(), ranges, rows}; }
};

// The rows of a symmetric graph in ids by descending degree, each ascending.
struct RowsByDegree {
  const edge_t* offsets = nullptr;  // [rows + 1]
  const vertex_t* columns = nullptr;
  vertex_t rows = 0;  // bits are kept of these ids, and of the rest of their last word
};

struct CutRowsSettings {
  std::uint64_t degree = 0;     // rows of at least so many neighbours are cut; 0: none
  unsigned blocks = 1;          // that a level runs in
  std::uint32_t max_words = 0;  // that a block has room for; below 4: none are cut
};

// Returns no ranges if no row is that long. Throws OutOfDeviceMemory.
CutRows cut_rows(const RowsByDegree& graph, const CutRowsSettings& settings, const Stream& stream);

}  // namespace bfslab::cuda
