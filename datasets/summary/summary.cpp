// SPDX-License-Identifier: Apache-2.0
#include "datasets/summary/summary.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "datasets/build/team.hpp"
#include "datasets/graph/buffer.hpp"
#include "datasets/summary/sweep.hpp"

namespace bfslab {

namespace {

// Union-find without locks: a root is hooked below a smaller root by compare-and-swap, so parents
// only ever decrease and no cycle can form (Anderson and Woll, STOC 1991).
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

void summarize_degrees(const CsrGraph& graph, int threads, GraphSummary& summary) {
  const vertex_t n = graph.vertex_count();
  summary.degrees = count_degrees(graph, threads);
  summary.minimum_degree = summary.degrees.front().first;
  summary.median_degree = degree_quantile(summary.degrees, 50);
  summary.percentile_90_degree = degree_quantile(summary.degrees, 90);
  summary.percentile_99_degree = degree_quantile(summary.degrees, 99);
  summary.maximum_degree = summary.degrees.back().first;
  summary.mean_degree = static_cast<double>(graph.edge_count()) / n;
  vertex_t lowest = n;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : lowest)
  for (vertex_t v = 0; v < n; ++v) {
    if (graph.degree(v) == summary.maximum_degree) lowest = std::min(lowest, v);
  }
  summary.maximum_degree_vertex = lowest;
}

// The root that most of a thousand vertices, evenly spaced, have.
vertex_t frequent_root(Forest& forest, vertex_t n) {
  constexpr vertex_t kSamples = 1024;
  std::vector<vertex_t> roots;
  for (vertex_t i = 0; i < std::min(n, kSamples); ++i) {
    roots.push_back(forest.root(static_cast<vertex_t>(std::uint64_t{i} * n / kSamples % n)));
  }
  std::sort(roots.begin(), roots.end());
  vertex_t frequent = roots.front();
  std::size_t most = 0;
  for (std::size_t begin = 0, end = 0; begin < roots.size(); begin = end) {
    while (end < roots.size() && roots[end] == roots[begin]) ++end;
    if (end - begin > most) {
      most = end - begin;
      frequent = roots[begin];
    }
  }
  return frequent;
}

// Two neighbours of every vertex first; then only the vertices that are not yet in what is likely
// the giant component look at the others (Sutton et al., IPDPS 2018). Sound where each
// edge is stored at both ends.
void unite_all(const CsrGraph& graph, int threads, Forest& forest) {
  constexpr std::size_t kFirst = 2;
  const vertex_t n = graph.vertex_count();
  const bool symmetric = graph.symmetric();
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
  for (vertex_t u = 0; u < n; ++u) {
    const auto neighbors = graph.neighbors(u);
    const std::size_t count = symmetric ? std::min(kFirst, neighbors.size()) : neighbors.size();
    for (const vertex_t v : neighbors.first(count)) forest.unite(u, v);
  }
  if (!symmetric) return;
  const vertex_t giant = frequent_root(forest, n);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
  for (vertex_t u = 0; u < n; ++u) {
    const auto neighbors = graph.neighbors(u);
    if (neighbors.size() <= kFirst || forest.root(u) == giant) continue;
    for (const vertex_t v : neighbors.subspan(kFirst)) forest.unite(u, v);
  }
}

void summarize_components(const CsrGraph& graph, int threads, GraphSummary& summary) {
  const vertex_t n = graph.vertex_count();
  Forest forest(n, threads);
  unite_all(graph, threads, forest);
  Buffer<vertex_t> roots(n);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (vertex_t v = 0; v < n; ++v) roots[v] = forest.root(v);
  std::vector<vertex_t> sizes(n);
  for (vertex_t v = 0; v < n; ++v) ++sizes[roots[v]];
  const auto largest = std::max_element(sizes.begin(), sizes.end());
  const auto giant = static_cast<vertex_t>(largest - sizes.begin());
  summary.largest_component_vertices = *largest;
  summary.components =
      static_cast<std::uint64_t>(n - std::count(sizes.begin(), sizes.end(), vertex_t{0}));

  vertex_t hub = giant;
  for (vertex_t v = 0; v < n; ++v) {
    if (roots[v] == giant && graph.degree(v) > graph.degree(hub)) hub = v;
  }
  constexpr int kSweeps = 4;
  vertex_t source = hub;
  for (int turn = 0; turn < kSweeps; ++turn) {
    const Sweep found = sweep(graph, source, threads);
    if (turn == 0 && graph.symmetric()) summary.diameter_at_most = 2 * found.depth;
    const bool deeper = found.depth > summary.diameter_at_least;
    summary.diameter_at_least = std::max(summary.diameter_at_least, found.depth);
    if (turn > 0 && !deeper) break;
    source = found.last;
  }
}

std::uint64_t count_isolated(const CsrGraph& graph, const DegreeCounts& degrees) {
  if (graph.symmetric()) return degrees.front().first == 0 ? degrees.front().second : 0;
  std::vector<bool> touched(graph.vertex_count());
  for (const vertex_t v : graph.columns()) touched[v] = true;
  std::uint64_t isolated = 0;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    isolated += graph.degree(v) == 0 && !touched[v] ? 1 : 0;
  }
  return isolated;
}

double mean_gap_bits(const CsrGraph& graph, int threads) {
  const vertex_t n = graph.vertex_count();
  std::uint64_t bits = 0;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads) reduction(+ : bits)
  for (vertex_t u = 0; u < n; ++u) {
    for (const vertex_t v : graph.neighbors(u)) {
      bits += static_cast<std::uint64_t>(std::bit_width(u < v ? v - u : u - v));
    }
  }
  return graph.edge_count() == 0
             ? 0
             : static_cast<double>(bits) / static_cast<double>(graph.edge_count());
}

}  // namespace

GraphSummary summarize(const CsrGraph& graph, int threads, SummaryPart part) {
  GraphSummary summary;
  if (graph.vertex_count() == 0) return summary;
  summarize_degrees(graph, team(threads), summary);
  summary.isolated_vertices = count_isolated(graph, summary.degrees);
  if (part == SummaryPart::all) {
    summarize_components(graph, team(threads), summary);
    summary.mean_gap_bits = mean_gap_bits(graph, team(threads));
  }
  return summary;
}

}  // namespace bfslab
