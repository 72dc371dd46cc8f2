// SPDX-License-Identifier: Apache-2.0
// The counts of xbfs-model beside its levels: the part of a row that is read (XBFS, section 5.1,
// Figure 9), and the vertices found early, against Lemma 3 (section 5.2, Figure 10).
//
// Measures, by part (bins begin at powers of two, and a row is bounded by 33 x 33 of them):
//   "degree=d,checks=c"   looks: how often a vertex of in-degree [d, 2d) read [c, 2c) neighbours in
//                         a bottom-up level, over all of the traversal's
//   "degree=d"            checks, checks_max, degrees: of these looks, the neighbours read, the
//                         most that one look read, and what could have been read
//   "first_bottom_up"     queue_vertices: |Q| of the first bottom-up level; next_level_vertices:
//                         of these, the vertices two levels on; found_early_vertices: those found
//                         early; found_early_expected: Lemma 3's sum over them
//   "position=k/16"       the latter three of the k-th sixteenth of that queue
//
// Lemma 3, as corrected in docs/errata.md#xbfs-lemma-3, expects 1 - (1 - s / |Q|)^N for the vertex
// at index s with N in-neighbours one level up. Looks exclude rows without in-neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/level_sink.hpp"

namespace bfslab::cpu {

class LookCounts {
 public:
  // Adds a look of a vertex of this in-degree, which read `checks` of its neighbours.
  void add(edge_t degree, edge_t checks);
  void tell(MeasureSink& sink) const;

 private:
  static constexpr std::size_t kBins = 34;  // 0, and one for every power of two up to 2^32

  std::array<std::array<std::uint64_t, kBins>, kBins> looks_{};  // [degree][checks]
  std::array<std::uint64_t, kBins> checks_{};                    // [degree], as are the others
  std::array<std::uint64_t, kBins> checks_max_{};
  std::array<std::uint64_t, kBins> degrees_{};
};

// The first bottom-up level of a finished traversal.
struct FirstBottomUp {
  level_t level = kUnreached;
  std::span<const vertex_t> early;  // early finds, in the order of its queue
};

// Reports the early finds. `levels`: [n], final, so that the queue can be rebuilt: it held
// everything below `first.level`. `order`: [n] vertices in the queue's order; empty: by id.
void tell_early_finds(const CsrGraph& incoming, const level_t* levels,
                      std::span<const vertex_t> order, const FirstBottomUp& first,
                      MeasureSink& sink);

}  // namespace bfslab::cpu
