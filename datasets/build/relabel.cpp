// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "datasets/build/counter_random.hpp"
#include "datasets/build/csr_parts.hpp"
#include "datasets/build/radix_sort.hpp"

namespace bfslab {

Buffer<vertex_t> shuffled_ids(vertex_t vertex_count, std::uint64_t seed, int threads) {
  // A bijection on the next power of two, walked until it is back below n: under two steps on
  // average, and again a bijection, on 0 .. n-1.
  const BitPermutation permutation(
      static_cast<unsigned>(std::bit_width(vertex_count == 0 ? 0 : vertex_count - 1)),
      derive_key(seed, 5));
  Buffer<vertex_t> new_of_old(vertex_count);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (vertex_t v = 0; v < vertex_count; ++v) {
    vertex_t x = permutation(v);
    while (x >= vertex_count) x = permutation(x);
    new_of_old[v] = x;
  }
  return new_of_old;
}

Buffer<vertex_t> degree_ids(const Buffer<edge_t>& row_offsets, int threads) {
  const std::size_t n = row_offsets.size() - 1;
  edge_t largest = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : largest)
  for (std::size_t v = 0; v < n; ++v)
    largest = std::max(largest, row_offsets[v + 1] - row_offsets[v]);
  if (largest > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("a vertex has more than 2^32 neighbours");
  }
  // (how far below the largest degree, id): stable sorting by the first orders ties by id.
  Buffer<std::uint64_t> keys(n);
  Buffer<std::uint64_t> scratch(n);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t v = 0; v < n; ++v) {
    keys[v] = (largest - (row_offsets[v + 1] - row_offsets[v])) << 32 | v;
  }
  const auto sorted = radix_sort(keys.span(), scratch.span(), 32,
                                 32 + static_cast<unsigned>(std::bit_width(largest)));
  Buffer<vertex_t> new_of_old(n);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t rank = 0; rank < n; ++rank) {
    new_of_old[static_cast<vertex_t>(sorted[rank])] = static_cast<vertex_t>(rank);
  }
  return new_of_old;
}

CsrParts relabel_parts(CsrParts old, const Buffer<vertex_t>& new_of_old, int threads) {
  const std::size_t n = new_of_old.size();
  CsrParts parts;
  parts.self_loops = old.self_loops;
  parts.duplicates = old.duplicates;
  parts.row_offsets = Buffer<edge_t>(n + 1);
  parts.columns = Buffer<vertex_t>(old.columns.size());
  parts.input_edges = Buffer<std::uint32_t>(n);
  parts.labels.resize(n);
  edge_t longest = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const vertex_t renamed = new_of_old[v];
    const edge_t degree = old.row_offsets[v + 1] - old.row_offsets[v];
    longest = std::max(longest, degree);
    parts.row_offsets[renamed + std::size_t{1}] = degree;
    parts.input_edges[renamed] = old.input_edges[v];
    parts.labels[renamed] = old.labels.empty() ? v + old.first_label : old.labels[v];
  }
  std::partial_sum(parts.row_offsets.begin(), parts.row_offsets.end(), parts.row_offsets.begin());

  constexpr edge_t kShort = 256;  // below it, a comparison sort beats counting digits
  const auto bits = static_cast<unsigned>(std::bit_width(n == 0 ? 0 : n - 1));
  std::vector<Buffer<vertex_t>> scratch(static_cast<std::size_t>(threads));
  for (auto& buffer : scratch) buffer = Buffer<vertex_t>(longest);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
  for (std::size_t v = 0; v < n; ++v) {
    const edge_t degree = old.row_offsets[v + 1] - old.row_offsets[v];
    const auto row = parts.columns.span().subspan(parts.row_offsets[new_of_old[v]], degree);
    std::transform(old.columns.data() + old.row_offsets[v],
                   old.columns.data() + old.row_offsets[v + 1], row.begin(),
                   [&](vertex_t neighbor) { return new_of_old[neighbor]; });
    if (degree < kShort) {
      std::sort(row.begin(), row.end());
      continue;
    }
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const auto sorted = radix_sort(row, scratch[thread].span().first(degree), 0, bits);
    if (sorted.data() != row.data()) std::copy(sorted.begin(), sorted.end(), row.begin());
  }
  return parts;
}

}  // namespace bfslab
