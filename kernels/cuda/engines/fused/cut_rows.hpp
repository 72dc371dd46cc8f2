// SPDX-License-Identifier: Apache-2.0
// Long rows, cut where ranges of ids begin, so that a block can visit one range's part of each row
// and keep the range's bits in its shared memory (cut_rows.cuh).
//
// A range begins at a multiple of four words of bits and has at most kMaxCutWords. Ranges have
// about as many of these rows' entries each. Up to four blocks visit the same range and divide the
// rows among them. Fewer ranges make longer parts of rows.
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
  vertex_t rows = 0;       // bits are kept of these ids, and of the rest of their last word
  vertex_t long_rows = 0;  // those to cut, at most `rows`
};

struct CutRowsSettings {
  unsigned blocks = 1;          // of a level's grid
  std::uint32_t max_words = 0;  // the room of a block; below 4: no row is cut
};

// Returns no ranges if no row is cut. Throws OutOfDeviceMemory.
CutRows cut_rows(const RowsByDegree& graph, const CutRowsSettings& settings, const Stream& stream);

}  // namespace bfslab::cuda
