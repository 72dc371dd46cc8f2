// SPDX-License-Identifier: Apache-2.0
// Searches of `fused` from up to 64 sources together, as MS-BFS (Then et al., PVLDB 2014) and iBFS
// (Liu et al., SIGMOD 2016) do: bit s of a vertex's words belongs to the search from source s, and
// one look at an edge serves all searches. One cooperative kernel runs all levels.
//
//   top-down   the union of the frontiers is a queue; merge path shares out its edges, and a vertex
//              gives its searches to a neighbour by one atomic (batch_levels.cuh)
//   bottom-up  a vertex collects the searches that have not seen it along its row, and stops when
//              it has those that still have a frontier; long rests of rows go to the whole grid
//   direction  by the expected work (kernels/expected_work.hpp): one for all searches, or top-down
//              for those with few edges and bottom-up for the others, which would otherwise look on
//              until they meet the smallest frontiers (batch_direction.cuh)
//   levels     each level has an array of words; those of eight levels become the answers at once,
//              each sector of which is then written only once (batch_answers.cuh)
//
// Cost: 8 bytes per vertex and level written, and read where something of the vertex is open;
// top-down 4 bytes, two random words and an atomic per edge of the union; bottom-up 4 bytes and a
// random word per entry; 64 bytes read and 32 written per vertex, and 4 bytes written per vertex
// and search, for the answers.
#pragma once

#include <cstdint>
#include <variant>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/engines/fused/search_graph.hpp"
#include "kernels/cuda/fused/work.hpp"
#include "kernels/engine.hpp"
#include "kernels/expected_work.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab::cuda {

using SearchBits = unsigned long long;  // bit s: search s

// The number of the level within the first window that has found a vertex, for each search: eight
// signed numbers of 4 bits per word, that of search s in the bits 4 (s % 8), ... of word s / 8; -1
// if the search has not seen the vertex. 32 bytes, a sector of memory.
struct alignas(32) BatchLevels {
  static constexpr unsigned kDigits = 3;
  static constexpr unsigned kWords = kMaxBatch / 8;
  static_assert(1U << kDigits == kBatchWindow);

  std::uint32_t word[kWords] = {~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U};
};

// The counts of a level's finds. Vertices are those that any search has found, each once.
struct BatchCounts {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;         // their out-degrees
  unsigned long long of_searches = 0;   // the same, summed over the searches
  unsigned long long done = 0;          // vertices that all searches have now seen
  unsigned long long done_entries = 0;  // their in-degrees
  SearchBits alive = 0;                 // searches that have found any
  std::uint32_t queued = 0;             // entries of its queue, if it has one
  std::uint32_t aside = 0;              // segments that the level before has put aside
  // The edges of each search, by a sample of the vertices, if the level's direction needs them.
  unsigned long long of_search[kMaxBatch] = {};
};

template <typename OffsetType>
struct BatchWork {
  using Offset = OffsetType;

  FusedRows<Offset> out, in;
  const vertex_t* first = nullptr;       // null: no bottom-up
  vertex_t vertices = 0;                 // searched
  vertex_t given_vertices = 0;           // of the graph as given
  const vertex_t* new_of_old = nullptr;  // null: ids as given
  const vertex_t* old_of_new = nullptr;
  SearchBits* seen = nullptr;                // [vertices]
  SearchBits* found[kBatchWindow] = {};      // [vertices] of levels by their number % kBatchWindow
  BatchLevels* numbers = nullptr;            // [vertices]
  vertex_t* queue = nullptr;                 // [vertices]
  vertex_t* segment_vertices = nullptr;      // [segments] of rows that are put aside
  std::uint32_t* segment_numbers = nullptr;  // [segments]
  ExpandScratch sums;
  BatchCounts* counts = nullptr;  // [3] in turn
  ExpectedWork rule;
  level_t depth_limit = kNoDepthLimit;
};

// The sources of a launch, `count` of them as given, and their levels [count][given_vertices].
struct BatchRequest {
  const vertex_t* sources = nullptr;
  std::uint32_t count = 0;
  level_t* levels = nullptr;
};

class FusedBatch {
 public:
  FusedBatch() = default;
  // `incoming`: the rows that bottom-up looks along. Without first neighbours in `graph`, all
  // levels go top-down. `graph` must outlive this. Throws OutOfDeviceMemory.
  FusedBatch(const SearchGraph& graph, vertex_t given_vertices, const RowLengths& incoming,
             level_t depth_limit);

  // Queues the searches, whose levels are complete once `stream` is done.
  void launch(const BatchRequest& request, const Stream& stream) const;

  void add_memory(MemoryUse& use) const;

 private:
  template <typename Offset>
  struct Kernel {
    CooperativeKernel<BatchWork<Offset>, BatchRequest> kernel;
    BatchWork<Offset> work;
  };
  template <typename Offset>
  [[nodiscard]] Kernel<Offset> prepared(const SearchGraph& graph, const ExpectedWork& rule);

  vertex_t given_vertices_ = 0;
  level_t depth_limit_ = kNoDepthLimit;
  DeviceBuffer<SearchBits> seen_;
  DeviceBuffer<SearchBits> found_[kBatchWindow];
  DeviceBuffer<BatchLevels> numbers_;
  DeviceBuffer<vertex_t> queue_, segment_vertices_;
  DeviceBuffer<std::uint32_t> segment_numbers_;
  DeviceBuffer<BatchCounts> counts_;
  DegreeSums sums_;
  std::variant<Kernel<std::uint32_t>, Kernel<edge_t>> prepared_;
};

}  // namespace bfslab::cuda
