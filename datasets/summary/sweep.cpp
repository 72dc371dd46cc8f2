// SPDX-License-Identifier: Apache-2.0
#include "datasets/summary/sweep.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "datasets/build/team.hpp"
#include "datasets/graph/buffer.hpp"

namespace bfslab {

namespace {

constexpr edge_t kAlpha = 14;
constexpr vertex_t kBeta = 24;

// The two directions over one array of levels. A frontier is the list of its vertices top-down, and
// the vertices of its level bottom-up.
class SweepSearch {
 public:
  SweepSearch(const CsrGraph& graph, vertex_t source, int threads)
      : graph_(graph), threads_(threads), levels_(graph.vertex_count()), frontier_{source} {
    const vertex_t n = graph.vertex_count();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (vertex_t v = 0; v < n; ++v) levels_[v] = kUnreached;
    levels_[source] = 0;
  }

  Sweep run() {
    Sweep result{frontier_.front(), 0, 1};
    edge_t unexplored = graph_.edge_count() - graph_.degree(result.last);
    edge_t edges = graph_.degree(result.last);  // of the frontier
    for (level_t level = 0;; ++level) {
      const bool up = graph_.symmetric() && edges > unexplored / kAlpha &&
                      frontier_.size() > graph_.vertex_count() / kBeta;
      up ? bottom_up(level) : top_down(level);
      if (frontier_.empty()) return result;
      result.last = *std::min_element(frontier_.begin(), frontier_.end());
      result.depth = level + 1;
      result.reached += frontier_.size();
      edges = 0;
      for (const vertex_t v : frontier_) edges += graph_.degree(v);
      unexplored -= edges;
    }
  }

 private:
  void top_down(level_t level) {
    collect(frontier_.size(), [&](std::size_t i, std::vector<vertex_t>& found) {
      for (const vertex_t v : graph_.neighbors(frontier_[i])) {
        std::atomic_ref<level_t> mine(levels_[v]);
        level_t expected = kUnreached;
        if (mine.load(std::memory_order_relaxed) == kUnreached &&
            mine.compare_exchange_strong(expected, level + 1, std::memory_order_relaxed)) {
          found.push_back(v);
        }
      }
    });
  }
  void bottom_up(level_t level) {
    collect(graph_.vertex_count(), [&](std::size_t i, std::vector<vertex_t>& found) {
      const auto v = static_cast<vertex_t>(i);
      std::atomic_ref<level_t> mine(levels_[v]);
      if (mine.load(std::memory_order_relaxed) != kUnreached) return;
      for (const vertex_t u : graph_.neighbors(v)) {
        if (std::atomic_ref(levels_[u]).load(std::memory_order_relaxed) != level) continue;
        mine.store(level + 1, std::memory_order_relaxed);
        found.push_back(v);
        return;
      }
    });
  }
  // Runs visit(i, found) for i < count in parallel and makes what was found the frontier.
  template <typename Visit>
  void collect(std::size_t count, const Visit& visit) {
    constexpr std::size_t kAlone = 4096;  // fewer are not worth waking a team
    if (count < kAlone) {
      std::vector<vertex_t> found;
      for (std::size_t i = 0; i < count; ++i) visit(i, found);
      frontier_.swap(found);
      return;
    }
    std::vector<std::vector<vertex_t>> found(static_cast<std::size_t>(threads_));
#pragma omp parallel num_threads(threads_)
    {
      std::vector<vertex_t> mine;
#pragma omp for schedule(dynamic, 64) nowait
      for (std::size_t i = 0; i < count; ++i) visit(i, mine);
      found[static_cast<std::size_t>(omp_get_thread_num())] = std::move(mine);
    }
    frontier_.clear();
    for (const auto& part : found) frontier_.insert(frontier_.end(), part.begin(), part.end());
  }

  const CsrGraph& graph_;
  int threads_;
  Buffer<level_t> levels_;
  std::vector<vertex_t> frontier_;
};

}  // namespace

Sweep sweep(const CsrGraph& graph, vertex_t source, int threads) {
  return SweepSearch(graph, source, team(threads)).run();
}

}  // namespace bfslab
