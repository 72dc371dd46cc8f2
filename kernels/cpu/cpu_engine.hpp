// SPDX-License-Identifier: Apache-2.0
// CpuEngine: the common part of the cs406 engines and ligra beside their algorithm: the graph in
// host memory, the arrays of the answer, their reset, and the estimates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "datasets/graph/buffer.hpp"
#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/vertex_state.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cpu {

class CpuEngine : public Engine {
 public:
  // `kept`: the arrays that the traversal needs, which may be more than the requested answer.
  CpuEngine(Answer asked, Answer kept, int threads)
      : asked_(asked), kept_(kept), threads_(threads) {}

  void load(const GraphSource& source) final {
    if (source.csr == nullptr)
      throw std::invalid_argument("a CPU engine takes a CSR, not a recipe");
    graph_ = source.csr;
    const std::size_t n = graph_->vertex_count();
    if (wants_levels(kept_)) levels_ = Buffer<level_t>(n);
    if (wants_parents(kept_)) parents_ = Buffer<vertex_t>(n);
    clear();  // also touches the pages, so that no traversal does so first
    allocate();
  }

  [[nodiscard]] AnswerView answer() const final {
    return answer_on_host(asked_, graph_->vertex_count(), levels_.data(), parents_.data());
  }

 protected:
  virtual void allocate() = 0;  // queues and scratch, once the graph is known

  // Discards the last traversal and visits the source: part of every timed region.
  void reset(vertex_t source) {
    clear();
    if (wants_levels(kept_)) levels_[source] = 0;
    if (wants_parents(kept_)) parents_[source] = source;
  }

  template <Answer A>
  [[nodiscard]] VertexState<A> state() {
    return {levels_.data(), parents_.data()};
  }

  // Ends a level for a sink, if there is one, with the facts of the level if they are counted.
  template <bool Count>
  static void end_level(LevelSink* sink, const LevelFacts& facts) {
    if (sink != nullptr) sink->end(Count ? facts : LevelFacts{});
  }

  // Runs the levels of a search that only goes top-down, in a graph whose source alone is visited.
  // expand(level, frontier) returns what the level found and, where levels are counted, the edges
  // that it checked, which are all of its frontier's.
  template <bool Count, typename Expand>
  void run_top_down(LevelSink* sink, const char* technique, Expand&& expand) const {
    std::uint64_t visited = 1;
    std::uint64_t frontier = 1;
    for (level_t level = 0; frontier > 0; ++level) {
      if (sink != nullptr) sink->begin({level, Direction::top_down, technique, frontier});
      const LevelTally tally = expand(level, frontier);
      end_level<Count>(sink, {.frontier_edges = tally.checked,
                              .edges_checked = tally.checked,
                              .found_vertices = tally.found,
                              .unvisited_vertices = graph_->vertex_count() - visited});
      visited += tally.found;
      frontier = tally.found;
    }
  }

  // Returns the levels [n] of the running or last traversal; null if levels are not kept.
  [[nodiscard]] const level_t* kept_levels() const { return levels_.data(); }

  // For engines that go bottom-up; the driver provides the transpose of a directed graph.
  [[nodiscard]] const CsrGraph& incoming() const {
    if (graph_->incoming() == nullptr) {
      throw std::invalid_argument("bottom-up on a directed graph needs its transpose");
    }
    return *graph_->incoming();
  }

  [[nodiscard]] std::uint64_t status_bytes() const { return levels_.bytes() + parents_.bytes(); }

  Answer asked_;
  Answer kept_;
  int threads_;
  const CsrGraph* graph_ = nullptr;

 private:
  void clear() {
    fill(levels_.span(), kUnreached);
    fill(parents_.span(), kNoVertex);
  }

  void fill(std::span<std::uint32_t> words, std::uint32_t value) const {
    constexpr std::size_t kWorthATeam = 1 << 15;  // 128 KiB: a few microseconds of one core
#pragma omp parallel for num_threads(threads_) schedule(static) if (words.size() > kWorthATeam)
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = value;
  }

  Buffer<level_t> levels_;
  Buffer<vertex_t> parents_;
};

// Returns the answer that an engine keeps if it needs the levels itself.
constexpr Answer with_levels(Answer asked) {
  return asked == Answer::levels ? Answer::levels : Answer::both;
}

inline double status_bytes(const GraphFacts& facts, Answer kept) {
  const int arrays = kept == Answer::both ? 2 : 1;
  return static_cast<double>(facts.vertices) * sizeof(vertex_t) * arrays;
}

// Returns the number of threads that can actually run concurrently.
inline double useful_threads(const Toggles& toggles) {
  return std::max(1, std::min(team_size(toggles), omp_get_num_procs()));
}

// Returns the approximate time of a traversal. `vertex_ns` and `edge_ns` are fitted to one thread's
// processor time on Kronecker scale 18 (edge factor 16, 2.3 GHz Xeon) and divided by the number of
// threads. Larger graphs miss the caches more often: accurate to a small factor either way.
// `scan_ns`: per vertex and level, for methods that look at all vertices in each level.
inline double traversal_seconds(const GraphFacts& facts, double threads, double vertex_ns,
                                double edge_ns, double scan_ns = 0) {
  constexpr double kLevel = 5e-6;  // the barrier at the end of a level
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const auto levels = static_cast<double>(facts.levels);
  return (n * (vertex_ns + levels * scan_ns) + m * edge_ns) * 1e-9 / threads + levels * kLevel;
}

}  // namespace bfslab::cpu
