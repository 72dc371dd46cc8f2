// SPDX-License-Identifier: Apache-2.0
// bottom-up: every unvisited vertex looks among its in-neighbours for one in the frontier, takes
// the first as its parent, and stops looking (cs406, section 4.1.5, after Beamer et al.).
// The frontier is a bitmap, as in Listing 3.
//
// Cost, per level: 4 bytes of status per vertex; 16 bytes of offsets per unvisited vertex; per
// adjacency entry read, 4 bytes and one random bit of n / 8 bytes. No atomic operations: a vertex's
// status and its word of the next bitmap belong to one thread. Wins when the frontier is so large
// that most vertices find a parent within a few tries. Loses when it is small: every level reads
// the lists of all unvisited vertices to the end, unreachable ones included.
//
// Deviations (cs406-cpu has the listing):
//   * Listing 3 gathers the found vertices in local queues, merges these by prefix sums, and
//     rebuilds the bitmap from the list. The list has no other use: here the thread that owns 64
//     vertices writes their word of the next bitmap, and two bitmaps are swapped. Without the merge
//     there is no read of prefix_sum[-1] (docs/errata.md#cs406-listing-3).
//   * Directed graphs are searched through the transpose.
#include "kernels/bitmap.hpp"
#include "kernels/cpu/cpu_engine.hpp"

namespace bfslab::cpu {
namespace {

constexpr std::size_t kChunk = 16;  // words: 1024 vertices, so a guided chunk is some 10 us

class BottomUp final : public CpuEngine {
 public:
  explicit BottomUp(const EngineSettings& settings)
      : CpuEngine(settings.answer, settings.answer, team_size(settings.toggles)) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.status = status_bytes(), .queues = frontier_.bytes() + next_.bytes()};
  }

 private:
  void allocate() override {
    static_cast<void>(incoming());  // a directed graph without a transpose is refused here
    frontier_ = Buffer<word_t>(word_count(graph_->vertex_count()));
    next_ = Buffer<word_t>(word_count(graph_->vertex_count()));
  }

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    std::fill(frontier_.begin(), frontier_.end(), 0);  // n / 8 bytes: not worth a team
    frontier_[source / kWordBits] = bit_of(source);
    std::uint64_t visited_count = 1;
    std::uint64_t frontier = 1;
    std::uint64_t frontier_edges = graph_->degree(source);
    for (level_t level = 0; frontier > 0; ++level) {
      if (sink != nullptr) sink->begin({level, Direction::bottom_up, "bitmap", frontier});
      const LevelTally tally = search_parents<A, Count>(level);
      end_level<Count>(sink, {.frontier_edges = frontier_edges,
                              .edges_checked = tally.checked,
                              .found_vertices = tally.found,
                              .unvisited_vertices = graph_->vertex_count() - visited_count});
      std::swap(frontier_, next_);
      frontier = tally.found;
      frontier_edges = tally.found_edges;
      visited_count += tally.found;
    }
  }

  template <Answer A, bool Count>
  LevelTally search_parents(level_t level) {
    const VertexState<A> visited = state<A>();
    const CsrGraph& in = incoming();
    const std::size_t n = graph_->vertex_count();
    const word_t* frontier = frontier_.data();
    std::uint64_t found = 0;
    std::uint64_t found_edges = 0;
    std::uint64_t checked = 0;
#pragma omp parallel for num_threads(threads_) schedule(guided, kChunk) \
    reduction(+ : found, found_edges, checked) if (next_.size() > kChunk)
    for (std::size_t word = 0; word < next_.size(); ++word) {
      const std::size_t first = word * kWordBits;
      const std::size_t last = std::min(first + kWordBits, n);
      word_t bits = 0;
      for (std::size_t i = first; i < last; ++i) {
        const auto v = static_cast<vertex_t>(i);
        if (!visited.unvisited(v)) continue;
        for (const vertex_t u : in.neighbors(v)) {
          if constexpr (Count) ++checked;
          if (!test(frontier, u)) continue;
          visited.set(v, u, level + 1);
          bits |= bit_of(v);
          if constexpr (Count) found_edges += graph_->degree(v);
          break;
        }
      }
      next_[word] = bits;
      found += static_cast<std::uint64_t>(std::popcount(bits));
    }
    return {.found = found, .found_edges = found_edges, .checked = checked};
  }

  Buffer<word_t> frontier_;  // [n / 64] one bit per vertex
  Buffer<word_t> next_;      // [n / 64]
};

const RegisterEngine registration{{
    .name = "bottom-up",
    .paper = "cs406",
    .section = "4.1.5",
    .summary = "Unvisited vertices look for a neighbour in the frontier's bitmap.",
    .can = {.needs_transpose = true},
    .toggles = {threads_toggle()},
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          const auto words = static_cast<double>(word_count(facts.vertices));
          return Estimate{.bytes = status_bytes(facts, answer) + 2 * words * sizeof(word_t),
                          .seconds = traversal_seconds(facts, useful_threads(toggles), 20, 3, 2)};
        },
    .make = [](const EngineSettings& settings) { return std::make_unique<BottomUp>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
