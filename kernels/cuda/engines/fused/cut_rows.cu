// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/engines/fused/cut_rows.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

namespace {

// Returns how many entries of v's row are below `id`.
__device__ std::uint32_t entries_below(const RowsByDegree& graph, std::size_t v, std::uint64_t id) {
  const edge_t begin = graph.offsets[v];
  edge_t low = begin;
  edge_t high = graph.offsets[v + 1];
  while (low < high) {
    const edge_t middle = low + (high - low) / 2;
    if (graph.columns[middle] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<std::uint32_t>(low - begin);
}

// Sets entries[w] to the number of entries of long rows that name a vertex of word w. The graph is
// symmetric, so these are the entries below `long_rows` in the rows of the word's own vertices. One
// warp per word.
__global__ void __launch_bounds__(kBlockThreads)
    count_entries(const __grid_constant__ RowsByDegree graph, vertex_t long_rows,
                  std::uint32_t words, std::uint32_t* entries) {
  for (std::size_t w = thread_in_grid() / 32; w < words; w += threads_in_grid() / 32) {
    const std::size_t v = w * 32 + lane_id();
    const std::uint32_t own = v < graph.rows ? entries_below(graph, v, long_rows) : 0;
    const std::uint32_t all = inclusive_of_warp(own);
    if (lane_id() == 31) entries[w] = all;
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    cut(const __grid_constant__ RowsByDegree graph, std::size_t long_rows,
        const std::uint32_t* words, unsigned ranges, std::uint32_t* cuts) {
  const std::size_t each = ranges + std::size_t{1};
  for (std::size_t i = thread_in_grid(); i < long_rows * each; i += threads_in_grid()) {
    cuts[i] = entries_below(graph, i / each, std::uint64_t{words[i % each]} * 32);
  }
}

struct Ranges {
  std::vector<std::uint32_t> begins;  // and the end, in words
  std::uint64_t most_entries = 0;
};

// Divides all words into `count` ranges of about equally many entries, beginning with the last
// word. A range ends early at `max_words`. Vertices of few neighbours come last, so that this
// happens there. If words remain after `count` ranges, there are more.
Ranges ranges_of(const std::vector<std::uint32_t>& entries, std::size_t count,
                 std::uint32_t max_words) {
  Ranges made;
  std::uint64_t left = std::accumulate(entries.begin(), entries.end(), std::uint64_t{0});
  auto end = static_cast<std::uint32_t>(entries.size());
  made.begins.push_back(end);
  while (end > 0) {
    const std::size_t ranges_left = count - std::min(count - 1, made.begins.size() - 1);
    const std::uint64_t share = (left + ranges_left - 1) / ranges_left;
    // Blocks read four words at once.
    const std::uint32_t least = end > max_words ? (end - max_words + 3) / 4 * 4 : 0;
    std::uint32_t begin = end;
    std::uint64_t own = 0;
    while (begin > least && (own < share || ranges_left == 1 || begin % 4 != 0)) {
      own += entries[--begin];
    }
    made.most_entries = std::max(made.most_entries, own);
    left -= own;
    end = begin;
    made.begins.push_back(end);
  }
  std::ranges::reverse(made.begins);
  return made;
}

}  // namespace

CutRows cut_rows(const RowsByDegree& graph, const CutRowsSettings& settings, const Stream& stream) {
  CutRows made;
  if (graph.long_rows == 0 || settings.max_words < 4) return made;
  made.rows = graph.long_rows;
  const auto words = static_cast<std::uint32_t>((std::size_t{graph.rows} + 31) / 32);
  DeviceBuffer<std::uint32_t> entries(words);
  BFSLAB_LAUNCH(count_entries, full_grid(), stream, graph, made.rows, words, entries.data());
  const std::vector<std::uint32_t> of_words = downloaded(entries, stream);
  const std::uint64_t all = std::accumulate(of_words.begin(), of_words.end(), std::uint64_t{0});
  Ranges ranges;
  for (const unsigned sharing : {4U, 3U, 2U, 1U}) {  // the blocks of a range
    const std::size_t count = std::max(settings.blocks / sharing, 1U);
    ranges = ranges_of(of_words, count, settings.max_words);
    constexpr double kUneven = 1.25;
    const bool is_even = static_cast<double>(ranges.most_entries) * static_cast<double>(count) <=
                         kUneven * static_cast<double>(all);
    if (ranges.begins.size() - 1 <= count && is_even) break;
  }
  made.ranges = static_cast<unsigned>(ranges.begins.size() - 1);
  for (unsigned r = 0; r < made.ranges; ++r) {
    made.max_words = std::max(made.max_words, ranges.begins[r + 1] - ranges.begins[r]);
  }
  made.words = uploaded<std::uint32_t>(ranges.begins, stream);
  made.cuts = DeviceBuffer<std::uint32_t>(made.rows * (made.ranges + std::size_t{1}));
  BFSLAB_LAUNCH(cut, full_grid(), stream, graph, std::size_t{made.rows}, made.words.data(),
                made.ranges, made.cuts.data());
  stream.wait();
  return made;
}

}  // namespace bfslab::cuda
