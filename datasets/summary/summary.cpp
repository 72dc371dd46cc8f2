#include "datasets/summary/summary.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "datasets/build/team.hpp"
#include "datasets/graph/buffer.hpp"

namespace bfslab {

namespace {

// Union-find without locks: a root is hooked below a smaller root by compare-and-swap, so parents
// only ever decrease and no cycle can form (Anderson, Woll, STOC 1991).
class Forest {
 public:
  Forest(vertex_t n, int threads) : parents_(n) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (vertex_t v = 0; v < n; ++v) parents_[v] = v;
  }
  vertex_t root(vertex_t v) {
    while (true) {
      const vertex_t parent = at(v).load(std::memory_order_relaxed);
      if (parent == v) return v;
      const vertex_t grandparent = at(parent).load(std::memory_order_relaxed);
      vertex_t expected = parent;
      if (grandparent != parent) {
        at(v).compare_exchange_weak(expected, grandparent, std::memory_order_relaxed);
      }
      v = grandparent;
    }
  }
  void unite(vertex_t a, vertex_t b) {
    while (true) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      vertex_t expected = a;
      if (at(a).compare_exchange_strong(expected, b, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::atomic_ref<vertex_t> at(vertex_t v) { return std::atomic_ref<vertex_t>(parents_[v]); }
  Buffer<vertex_t> parents_;
};

// The last vertex that a breadth-first search from `source` finds, and its level.
std::pair<vertex_t, level_t> farthest(const CsrGraph& graph, vertex_t source) {
  std::vector<bool> seen(graph.vertex_count());
  std::vector<vertex_t> frontier = {source};
  std::vector<vertex_t> next;
  seen[source] = true;
  std::pair<vertex_t, level_t> last = {source, 0};
  for (level_t level = 0; !frontier.empty(); ++level) {
    last = {frontier.back(), level};
    next.clear();
    for (const vertex_t u : frontier) {
      for (const vertex_t v : graph.neighbors(u)) {
        if (!seen[v]) {
          seen[v] = true;
          next.push_back(v);
        }
      }
    }
    frontier.swap(next);
  }
  return last;
}

void summarize_degrees(const CsrGraph& graph, GraphSummary& summary) {
  const vertex_t n = graph.vertex_count();
  std::vector<edge_t> degrees(n);
  for (vertex_t v = 0; v < n; ++v) degrees[v] = graph.degree(v);
  const auto largest = std::max_element(degrees.begin(), degrees.end());
  summary.maximum_degree_vertex = static_cast<vertex_t>(largest - degrees.begin());
  summary.mean_degree = static_cast<double>(graph.edge_count()) / n;
  std::sort(degrees.begin(), degrees.end());
  // The smallest degree that at least this share of the vertices does not exceed.
  const auto quantile = [&](std::uint64_t percent) {
    return degrees[(percent * n + 99) / 100 - 1];
  };
  summary.minimum_degree = degrees.front();
  summary.median_degree = quantile(50);
  summary.percentile_90_degree = quantile(90);
  summary.percentile_99_degree = quantile(99);
  summary.maximum_degree = degrees.back();
}

void summarize_components(const CsrGraph& graph, int threads, GraphSummary& summary) {
  const vertex_t n = graph.vertex_count();
  Forest forest(n, threads);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
  for (vertex_t u = 0; u < n; ++u) {
    for (const vertex_t v : graph.neighbors(u)) {
      if (v < u || !graph.symmetric()) forest.unite(u, v);
    }
  }
  std::vector<vertex_t> sizes(n);
  for (vertex_t v = 0; v < n; ++v) ++sizes[forest.root(v)];
  for (vertex_t v = 0; v < n; ++v) {
    if (sizes[v] == 0) continue;
    ++summary.components;
    summary.largest_component_vertices =
        std::max<std::uint64_t>(summary.largest_component_vertices, sizes[v]);
  }
}

std::uint64_t count_isolated(const CsrGraph& graph) {
  const vertex_t n = graph.vertex_count();
  std::vector<bool> touched(n);
  for (vertex_t u = 0; u < n; ++u) {
    if (graph.degree(u) > 0) touched[u] = true;
    if (graph.symmetric()) continue;
    for (const vertex_t v : graph.neighbors(u)) touched[v] = true;
  }
  return static_cast<std::uint64_t>(std::count(touched.begin(), touched.end(), false));
}

}  // namespace

GraphSummary summarize(const CsrGraph& graph, int threads) {
  GraphSummary summary;
  if (graph.vertex_count() == 0) return summary;
  summarize_degrees(graph, summary);
  summary.isolated_vertices = count_isolated(graph);
  summarize_components(graph, team(threads), summary);
  const auto first = farthest(graph, summary.maximum_degree_vertex);
  const auto second = farthest(graph, first.first);
  summary.diameter_at_least = std::max(first.second, second.second);
  return summary;
}

}  // namespace bfslab
