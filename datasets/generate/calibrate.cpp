// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bfslab {

namespace {

// Vertices of one weight: how many, and the probability that a draw takes a given one of them.
struct Class {
  double count;
  double p;
};

std::vector<Class> classes(vertex_t vertices, double exponent, std::uint64_t offset) {
  std::vector<Class> out;
  const RankWeights weights(vertices, exponent, offset);
  for (const auto& segment : weights.segments()) {
    const double probability = std::ldexp(static_cast<double>(segment.weight), -32);
    out.push_back({static_cast<double>(segment.length), probability / segment.length});
  }
  return out;
}

// Pairs of draws are many and of small probability, hence Poisson; a vertex's own tuple is a single
// trial. `absent` is the probability that no tuple joins u and v.
struct PowerLawOdds {
  explicit PowerLawOdds(const PowerLawShape& shape) {
    const auto reversed = static_cast<double>(shape.reversed());
    const double n = shape.vertices;
    draws = static_cast<double>(shape.edges) - reversed - n;
    reversed_draws = std::min(reversed, draws);  // the tuples that are reversed are the last ones
    reversed_own = (reversed - reversed_draws) / n;
  }
  [[nodiscard]] double absent_pair(double u, double v) const {
    return (1 - u) * (1 - v) * std::exp(-2 * draws * u * v);
  }
  [[nodiscard]] double absent_arc(double u, double v) const {  // u -> v
    return (1 - v) * (1 - u * reversed_own) * std::exp(-(draws + reversed_draws) * u * v);
  }
  double draws;
  double reversed_draws;
  double reversed_own;  // share of the vertices whose own tuple is reversed
};

double largest_degree(const PowerLawShape& shape) {
  const PowerLawOdds odds(shape);
  const auto all = classes(shape.vertices, shape.exponent, shape.offset);
  double degree = 0;
  for (const Class& c : all) degree += c.count * (1 - odds.absent_pair(all.front().p, c.p));
  return degree - (1 - odds.absent_pair(all.front().p, all.front().p));
}

// The offset at which a degree that decreases with it equals the target.
template <typename DegreeAt>
std::uint64_t solve_offset(vertex_t vertices, std::uint64_t wanted, const DegreeAt& degree_at) {
  std::uint64_t low = 0;
  std::uint64_t high = vertices;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (degree_at(middle) > static_cast<double>(wanted)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Raises or lowers the number of tuples until the number of distinct edges is the target: `count`
// grows with it, by at most one each.
template <typename Count>
edge_t solve_tuples(edge_t guess, edge_t least, edge_t wanted, const Count& count) {
  constexpr int kRounds = 60;
  const auto target = static_cast<double>(wanted);
  auto tuples = static_cast<double>(std::max(guess, least));
  for (int round = 0; round < kRounds; ++round) {
    const double found = count(static_cast<edge_t>(tuples));
    if (std::abs(found - target) <= 1e-4 * target) return static_cast<edge_t>(tuples);
    if (found > target && tuples <= static_cast<double>(least)) break;
    // In proportion: it never overshoots by much, since distinct edges saturate.
    tuples = std::max(static_cast<double>(least), std::floor(tuples * target / found + 0.5));
    if (tuples > 1e12) break;
  }
  throw InputError(fmt::format(
      "{} distinct edges are impossible with this number of vertices, these exponents and largest "
      "degrees: raise or lower them, or the number of edges",
      wanted));
}

}  // namespace

ExpectedCounts expected_counts(const PowerLawShape& shape) {
  const PowerLawOdds odds(shape);
  const auto all = classes(shape.vertices, shape.exponent, shape.offset);
  ExpectedCounts counts;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const Class a = all[s];
    for (std::size_t t = 0; t <= s; ++t) {
      const Class b = all[t];
      const double pairs = s == t ? a.count * (a.count - 1) / 2 : a.count * b.count;
      counts.pairs += pairs * (1 - odds.absent_pair(a.p, b.p));
      counts.arcs += pairs * (2 - odds.absent_arc(a.p, b.p) - odds.absent_arc(b.p, a.p));
    }
  }
  counts.largest_degree = largest_degree(shape);
  return counts;
}

ExpectedCounts expected_counts(const BipartiteShape& shape) {
  const auto left = classes(shape.left, shape.left_exponent, shape.left_offset);
  const auto right = classes(shape.right, shape.right_exponent, shape.right_offset);
  const double draws =
      static_cast<double>(shape.edges) - static_cast<double>(shape.left) - shape.right;
  const auto joined = [&](double u, double v) {
    return 1 - (1 - u) * (1 - v) * std::exp(-draws * u * v);
  };
  ExpectedCounts counts;
  for (const Class& u : left) {
    for (const Class& v : right) counts.pairs += u.count * v.count * joined(u.p, v.p);
  }
  counts.arcs = counts.pairs;
  for (const Class& v : right) counts.largest_degree += v.count * joined(left.front().p, v.p);
  for (const Class& u : left) counts.largest_right_degree += u.count * joined(u.p, right.front().p);
  return counts;
}

PowerLawShape calibrate(PowerLawShape shape, edge_t wanted_edges, bool directed,
                        std::uint64_t wanted_degree) {
  // Own tuples reach every vertex; the reversed ones are added.
  const edge_t least =
      static_cast<edge_t>(std::ceil(shape.vertices / (1 - 0.5 * shape.reciprocal))) + 1;
  shape.edges = std::max(wanted_edges, least);
  shape.edges = solve_tuples(shape.edges, least, wanted_edges, [&](edge_t tuples) {
    shape.edges = tuples;
    shape.offset = solve_offset(shape.vertices, wanted_degree, [&](std::uint64_t offset) {
      PowerLawShape trial = shape;
      trial.offset = offset;
      return largest_degree(trial);
    });
    const ExpectedCounts counts = expected_counts(shape);
    return directed ? counts.arcs : counts.pairs;
  });
  return shape;
}

BipartiteShape calibrate(BipartiteShape shape, edge_t wanted_edges,
                         std::uint64_t largest_left_degree, std::uint64_t largest_right_degree) {
  const edge_t least = edge_t{shape.left} + shape.right;
  shape.edges =
      solve_tuples(std::max(wanted_edges, least), least, wanted_edges, [&](edge_t tuples) {
        shape.edges = tuples;
        const double draws = static_cast<double>(tuples - least);
        // One side's degree given the other's current weights; twice, since each depends on the
        // other.
        const auto degree = [&](double p, const std::vector<Class>& others) {
          double sum = 0;
          for (const Class& o : others) {
            sum += o.count * (1 - (1 - p) * (1 - o.p) * std::exp(-draws * p * o.p));
          }
          return sum;
        };
        for (int turn = 0; turn < 2; ++turn) {
          const auto right = classes(shape.right, shape.right_exponent, shape.right_offset);
          shape.left_offset =
              solve_offset(shape.left, largest_left_degree, [&](std::uint64_t offset) {
                return degree(classes(shape.left, shape.left_exponent, offset).front().p, right);
              });
          const auto left = classes(shape.left, shape.left_exponent, shape.left_offset);
          shape.right_offset =
              solve_offset(shape.right, largest_right_degree, [&](std::uint64_t offset) {
                return degree(classes(shape.right, shape.right_exponent, offset).front().p, left);
              });
        }
        return expected_counts(shape).pairs;
      });
  return shape;
}

}  // namespace bfslab
