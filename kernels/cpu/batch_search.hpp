// SPDX-License-Identifier: Apache-2.0
// BatchSearch: breadth-first searches from up to 64 sources together, as MS-BFS (Then et al., PVLDB
// 2014) and iBFS (Liu et al., SIGMOD 2016) do.
//
// Each vertex has one word for the searches that have seen it, and one for those whose frontier it
// is in: bit s belongs to the search from source s. One look at an edge serves all searches, and a
// level of the batch is the same level of each of its searches. Example: with sources a and b and
// the edge a-b, vertex b has seen 0b10 at first, and 0b11 after the first level.
//
// A level goes in one direction for all searches, since they share its edges:
//   * top-down, each vertex that is in any frontier offers its word to its neighbours, which take
//     the bits that they have not seen. A queue lists the frontier; long rows are shared.
//   * bottom-up, each vertex collects the bits that it has not seen from its in-neighbours, hints
//     first (hints.hpp), and stops when it has those of all searches that still have a frontier.
//     Searches that have ended are left out, or no vertex could stop early.
//
// Cost: top-down reads 4 bytes and a random word per edge of the union of the frontiers.
// Bottom-up reads 4 bytes and a random word per entry until the last of a vertex's searches is met.
// Per vertex and level, bottom-up reads and writes two words. Levels are written once per vertex
// and search, 64 vertices at a time: a word of new bits per vertex becomes a word per search by a
// transposition of 64 x 64 bits. It wins where the searches' frontiers overlap, as those of graphs
// of few levels do. On deep graphs most vertices are found by one search at a time, and it loses.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/csr_graph.hpp"
#include "kernels/bitmap.hpp"
#include "kernels/cpu/hints.hpp"
#include "kernels/direction_rule.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab::cpu {

// Ids that one thread adds to a list of all threads, many at a time.
class IdBlock {
 public:
  // `filled`: the number of ids in `list`, which has room for all.
  IdBlock(vertex_t* list, std::atomic<std::size_t>& filled) : list_(list), filled_(filled) {}
  void add(vertex_t id) {
    ids_[count_++] = id;
    if (count_ == ids_.size()) flush();
  }
  void flush() {
    const std::size_t at = filled_.fetch_add(count_, std::memory_order_relaxed);
    std::copy_n(ids_.data(), count_, list_ + at);
    count_ = 0;
  }

 private:
  vertex_t* list_;
  std::atomic<std::size_t>& filled_;
  std::array<vertex_t, 512> ids_;
  std::size_t count_ = 0;
};

class BatchSearch {
 public:
  BatchSearch() = default;
  // Allocates for up to `batch` sources, at most kMaxBatch. `unreachable`: a bitmap of the vertices
  // that no edge enters, and of those past the last. `rule` and `hints` may be without the
  // graph's in-edges; then all levels go top-down. All arguments must outlive this.
  BatchSearch(const CsrGraph& graph, const word_t* unreachable, const Hints& hints,
              const DirectionRule& rule, std::size_t batch, int threads);

  // Searches from `sources`, of which some may be the same, up to level `depth_limit`.
  void search(std::span<const vertex_t> sources, level_t depth_limit);
  // Returns the levels [n] of search `s` of the last batch.
  [[nodiscard]] const level_t* levels(std::size_t s) const { return levels_.data() + s * stride_; }
  // Returns the most sources of a batch.
  [[nodiscard]] std::size_t batch() const { return last_sources_.size(); }

  [[nodiscard]] std::uint64_t status_bytes() const { return levels_.bytes() + seen_.bytes(); }
  [[nodiscard]] std::uint64_t queue_bytes() const {
    return frontier_.bytes() + next_.bytes() + queue_.bytes() + found_.bytes() +
           hubs_.capacity() * sizeof(vertex_t);
  }
  // Returns the sum of both, without the list of hubs, before the graph is loaded.
  static double bytes_for(std::uint64_t vertices, std::size_t batch);

 private:
  // Counts of a level. The vertices are those of any search's frontier, each once.
  struct Found {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;        // their out-degrees
    std::uint64_t of_searches = 0;  // the same, summed over the searches
    std::uint64_t done = 0;         // those that all searches have now seen
    std::uint64_t done_edges = 0;   // the out-degrees of these
    word_t alive = 0;               // searches that found any
    Found& operator+=(const Found& other);
  };
  using Tile = std::array<word_t, kWordBits>;  // a word of searches for each of 64 vertices

  void begin(std::span<const vertex_t> sources);
  void top_down(level_t level);
  void bottom_up(level_t level);
  void offer(word_t searches, vertex_t to, IdBlock& found);
  void fetch(vertex_t v) const;
  void settle_found(level_t level);
  Found settle_all(level_t level);
  Found settle_queued(level_t level);
  Found collect(std::size_t w, level_t level);
  Found settle(std::size_t w, Tile& tile, level_t level);
  void count(vertex_t v, word_t found, Found& sum) const;
  void advance(const Found& found);
  void label(std::size_t w, Tile& tile, level_t level);
  void label_one(vertex_t v, word_t found, level_t level);
  void fill_queue();
  void erase_unreached();
  [[nodiscard]] word_t all() const {
    return count_ == kMaxBatch ? ~word_t{0} : (word_t{1} << count_) - 1;
  }

  const CsrGraph* graph_ = nullptr;
  const CsrGraph* incoming_ = nullptr;
  const word_t* unreachable_ = nullptr;
  const Hints* hints_ = nullptr;
  const DirectionRule* rule_ = nullptr;
  int threads_ = 1;
  std::size_t words_ = 0;
  std::size_t stride_ = 0;  // from the levels of one search to those of the next
  std::size_t count_ = 0;   // searches of this batch
  word_t alive_ = 0;        // those with a frontier
  DirectionState at_;
  bool listed_ = false;  // queue_ lists the frontier, and next_ is zero

  Buffer<word_t> seen_;      // [n]
  Buffer<word_t> frontier_;  // [n]
  Buffer<word_t> next_;      // [n]
  Buffer<vertex_t> queue_;   // [n] the frontier, if `listed_`
  Buffer<vertex_t> found_;   // [n] the next one
  std::size_t queued_ = 0;
  std::vector<vertex_t> hubs_;  // of the queue: rows that all threads share
  Buffer<level_t> levels_;      // [batch][stride_]
  std::vector<vertex_t> last_sources_;
};

}  // namespace bfslab::cpu
