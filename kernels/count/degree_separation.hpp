// SPDX-License-Identifier: Apache-2.0
// Edges by class, delegates and the balance over GPUs, against the degree threshold TH
// (scalable-bfs, sections III and VI-B, Figures 5, 7 and 12): all thresholds in one pass.
//
// Thresholds t_0 < t_1 < ... cut the degrees into classes. A vertex's class is the number of
// thresholds that its degree exceeds, so it is a delegate at t_i if and only if its class exceeds
// i. An edge between classes a and b is nn at t_i if max(a, b) <= i and dd if min(a, b) > i. The
// rest is half nd, half dn, since every edge is stored in both directions. Two histograms of
// entries, over the larger and over the smaller class, therefore hold all counts. Three more per
// GPU hold the GPU's (kernels/distributed/partition/edge_distributor.hpp assigns edges to GPUs).
//
// An entry is what the paper counts in m: a tuple doubled, duplicates kept. A self-loop of a
// symmetric graph is two entries at its vertex, since the paper doubles it like any other tuple (so
// that m = 32 * 2^N); a CSR stores it once, and it is counted twice here too. Counts of a
// generator's stream therefore equal those of the CSR built with self_loops=keep,duplicates=keep.
//
// Cost of a stream, which is generated twice: in the first pass two relaxed atomic additions per
// tuple to 4 bytes per vertex, each prefetched some hundred tuples ahead, since they miss the
// caches; in the second two reads of 1 byte per vertex (for several GPUs also of the degree). 5
// bytes per vertex.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "datasets/build/edge_source.hpp"
#include "datasets/graph/csr_graph.hpp"
#include "kernels/count/kronecker_expectation.hpp"
#include "kernels/distributed/partition/edge_distributor.hpp"

namespace bfslab::count {

// Facts at one threshold. Doubles, since expectations are not whole numbers; counts are exact.
struct AtThreshold {
  std::uint64_t threshold = 0;
  double delegates = 0;
  std::array<double, distributed::kEdgeClasses> entries{};  // by EdgeClass
  // Per GPU: the fullest subgraph of each class, and the minimum and maximum over all classes.
  // Without a count a GPU's share is entries / p, and `balance_known` is false.
  std::array<double, distributed::kEdgeClasses> gpu_most{};
  double gpu_entries_min = 0;
  double gpu_entries_max = 0;
  bool balance_known = false;
};

struct Separation {
  double vertices = 0;
  double isolated = 0;
  double entries = 0;     // m
  double self_loops = 0;  // tuples
  std::vector<AtThreshold> at;
};

struct Partition {
  std::uint32_t ranks = 1;
  std::uint32_t gpus_per_rank = 1;
  [[nodiscard]] std::uint32_t gpus() const { return ranks * gpus_per_rank; }
};

// lowest, lowest * ratio, lowest * ratio^2, ... up to highest, each rounded to a whole number and
// listed once: 1, 3, 4, 6, 8, 11, 16, ... for a ratio of sqrt(2). 1 <= lowest <= highest, ratio >
// 1; at most 255 of them.
std::vector<std::uint64_t> threshold_ladder(std::uint64_t lowest, std::uint64_t highest,
                                            double ratio);

// `thresholds`: ascending, 1 to 255. Throw InputError for directed graphs, and for vertices with
// 2^32 or more entries.
Separation count_separation(const CsrGraph& graph, const std::vector<std::uint64_t>& thresholds,
                            Partition partition, int threads);
Separation count_separation(const EdgeSource& stream, const std::vector<std::uint64_t>& thresholds,
                            Partition partition, int threads);
Separation expect_separation(const KroneckerShape& shape,
                             const std::vector<std::uint64_t>& thresholds, Partition partition);

}  // namespace bfslab::count
