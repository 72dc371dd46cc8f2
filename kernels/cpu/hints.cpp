// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/hints.hpp"

#include <algorithm>
#include <array>

namespace bfslab::cpu {

Hints::Hints(const CsrGraph& incoming, const word_t* skip, unsigned planes, int threads)
    : planes_(planes),
      vertices_(incoming.vertex_count()),
      neighbor_(vertices_ * planes),
      short_rows_(word_count(incoming.vertex_count())) {
  // With two bytes per vertex, the degrees, which are looked up once per edge, stay in cache.
  Buffer<std::uint16_t> degree(vertices_);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::size_t v = 0; v < vertices_; ++v) {
      degree[v] = static_cast<std::uint16_t>(
          std::min<edge_t>(incoming.degree(static_cast<vertex_t>(v)), 0xFFFF));
    }
#pragma omp for schedule(dynamic, 64)
    for (std::size_t w = 0; w < short_rows_.size(); ++w) {
      word_t short_rows = 0;
      for_each_bit(~skip[w], [&](vertex_t bit) {
        const auto v = static_cast<vertex_t>(w * kWordBits + bit);
        std::array<vertex_t, kMaxPlanes> best{};
        std::array<std::uint16_t, kMaxPlanes> best_degree{};
        unsigned held = 0;
        for (const vertex_t u : incoming.neighbors(v)) {
          const std::uint16_t d = degree[u];
          if (held == planes_ && d <= best_degree[held - 1]) continue;
          unsigned at = held < planes_ ? held++ : held - 1;
          for (; at > 0 && best_degree[at - 1] < d; --at) {
            best_degree[at] = best_degree[at - 1];
            best[at] = best[at - 1];
          }
          best_degree[at] = d;
          best[at] = u;
        }
        for (unsigned k = 0; k < planes_; ++k) {
          neighbor_[k * vertices_ + v] = best[std::min(k, held - 1)];
        }
        if (incoming.degree(v) <= planes_) short_rows |= bit_of(v);
      });
      short_rows_[w] = short_rows;
    }
  }
}

}  // namespace bfslab::cpu
