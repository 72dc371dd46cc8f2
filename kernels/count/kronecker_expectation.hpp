// SPDX-License-Identifier: Apache-2.0
// Expected counts of a Kronecker graph of any scale, without generating an edge.
//
// In Graph500's generator (scalable-bfs, section VI-A.3) each of M = edge_factor * 2^N tuples picks
// one bit of both ends, N times, with probabilities a, b, c, d for (0,0), (0,1), (1,0), (1,1). The
// chance that a tuple starts at a vertex therefore depends only on the number k of one bits in its
// id: it is (a+b)^(N-k) (c+d)^k, and (a+c)^(N-k) (b+d)^k that it ends there. The N+1 kinds of
// vertices stand for all 2^N. After doubling, a vertex's degree is on average M times the sum of
// both. It is Poisson to within the tuples' negative correlation (their number is fixed), which is
// of the order of the vertex's share of all edges. A tuple's two kinds follow a multinomial; given
// the tuple, each end's degree is one more than Poisson. Self-loops (a+d)^N, of which both entries
// are at one vertex, are treated apart. Relabelling has no effect.
//
// Cost: O(N^3) once and O(N^2) per threshold: a millisecond at scale 36. For its accuracy,
// tests/kernels/degree_separation_test.cpp compares it with counts.
#pragma once

#include <vector>

#include "datasets/name/graph_name.hpp"

namespace bfslab::count {

struct KroneckerShape {
  unsigned scale = 0;  // 1 .. 60
  double edge_factor = 16;
  double a = 0.57;
  double b = 0.19;
  double c = 0.19;
};

// Returns the shape that a name describes, with `scale` in place of the name's unless it is 0.
// Throws InputError if the name is of another kind of graph.
KroneckerShape kronecker_shape(const GraphName& name, unsigned scale);

class KroneckerExpectation {
 public:
  explicit KroneckerExpectation(const KroneckerShape& shape);

  [[nodiscard]] double vertices() const;
  // Directed entries after doubling: 2M, self-loops and duplicates included.
  [[nodiscard]] double entries() const { return 2 * tuples_; }
  [[nodiscard]] double self_loops() const;  // tuples
  // Vertices with more than `degree` entries.
  [[nodiscard]] double vertices_above(double degree) const;
  [[nodiscard]] double isolated() const { return vertices() - vertices_above(0); }

  struct Entries {
    double nn, nd, dn, dd;
  };
  // Entries by the classes of their ends at a threshold TH >= 1; they sum to entries().
  [[nodiscard]] Entries by_class(double threshold) const;

 private:
  // Probability that a vertex of each kind k has at most `degree` entries; zero for negative ones.
  [[nodiscard]] std::vector<double> at_most(double degree) const;

  unsigned scale_;
  double tuples_;
  std::vector<double> kind_vertices_;  // [N + 1] vertices with k one bits
  std::vector<double> mean_degree_;    // [N + 1]
  std::vector<double> joint_;          // [(N + 1)^2] a tuple's kinds, without self-loops
  std::vector<double> loop_;           // [N + 1] a tuple is a self-loop at a vertex of the kind
};

}  // namespace bfslab::count
