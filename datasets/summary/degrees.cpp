// SPDX-License-Identifier: Apache-2.0
#include "datasets/summary/degrees.hpp"

#include <omp.h>

#include <bit>
#include <map>

#include "datasets/build/team.hpp"

namespace bfslab {

DegreeCounts count_degrees(const CsrGraph& graph, int threads) {
  // Small degrees are many, in an array; large ones are few, in a map. One of each per thread.
  constexpr edge_t kSmall = 1 << 14;
  const vertex_t n = graph.vertex_count();
  const auto members = static_cast<std::size_t>(team(threads));
  std::vector<std::vector<std::uint64_t>> small(members);
  std::vector<std::map<edge_t, std::uint64_t>> large(members);
#pragma omp parallel num_threads(static_cast <int>(members))
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    std::vector<std::uint64_t> counts(kSmall);
    std::map<edge_t, std::uint64_t> others;
#pragma omp for schedule(static)
    for (vertex_t v = 0; v < n; ++v) {
      const edge_t degree = graph.degree(v);
      ++(degree < kSmall ? counts[degree] : others[degree]);
    }
    small[me] = std::move(counts);
    large[me] = std::move(others);
  }
  DegreeCounts result;
  for (edge_t degree = 0; degree < kSmall; ++degree) {
    std::uint64_t sum = 0;
    for (const auto& counts : small) sum += counts.empty() ? 0 : counts[degree];
    if (sum > 0) result.emplace_back(degree, sum);
  }
  std::map<edge_t, std::uint64_t> merged;
  for (const auto& counts : large) {
    for (const auto& [degree, count] : counts) merged[degree] += count;
  }
  result.insert(result.end(), merged.begin(), merged.end());
  return result;
}

edge_t degree_quantile(const DegreeCounts& counts, unsigned percent) {
  std::uint64_t vertices = 0;
  for (const auto& [degree, count] : counts) vertices += count;
  const std::uint64_t wanted = (percent * vertices + 99) / 100;
  std::uint64_t seen = 0;
  for (const auto& [degree, count] : counts) {
    seen += count;
    if (seen >= wanted) return degree;
  }
  return 0;
}

std::vector<DegreeBin> bin_degrees(const DegreeCounts& counts) {
  std::vector<DegreeBin> bins;
  if (counts.empty()) return bins;
  const auto bin_of = [](edge_t degree) {
    return static_cast<std::size_t>(std::bit_width(degree));
  };
  for (std::size_t b = 0; b <= bin_of(counts.back().first); ++b) {
    const edge_t low = b == 0 ? 0 : edge_t{1} << (b - 1);
    bins.push_back({low, b == 0 ? 0 : 2 * low - 1, 0});
  }
  for (const auto& [degree, count] : counts) bins[bin_of(degree)].vertices += count;
  return bins;
}

}  // namespace bfslab
