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
  double row_p;  // that a draw takes any vertex of its row, which has one of each community
  bool in_row;   // whether the whole class is in one row, `row`
  std::uint64_t row;
};

std::vector<Class> classes(vertex_t vertices, double exponent, std::uint64_t offset,
                           std::uint64_t communities) {
  const RankWeights weights(vertices, exponent, offset);
  std::vector<double> below;  // probability of the ranks before a segment's first
  double sum = 0;
  for (const auto& segment : weights.segments()) {
    below.push_back(sum);
    sum += std::ldexp(static_cast<double>(segment.weight), -32);
  }
  const auto probability_below = [&](std::uint64_t rank) {
    if (rank >= vertices) return sum;
    const auto& all = weights.segments();
    const auto next = std::upper_bound(all.begin(), all.end(), rank,
                                       [](std::uint64_t r, const auto& s) { return r < s.first; });
    const auto& segment = *(next - 1);
    return below[static_cast<std::size_t>(next - all.begin()) - 1] +
           std::ldexp(static_cast<double>(segment.weight), -32) *
               static_cast<double>(rank - segment.first) / segment.length;
  };
  std::vector<Class> out;
  for (const auto& segment : weights.segments()) {
    const double probability = std::ldexp(static_cast<double>(segment.weight), -32);
    const std::uint64_t last = std::uint64_t{segment.first} + segment.length - 1;
    const std::uint64_t row = (segment.first + last) / 2 / communities;
    out.push_back(
        {static_cast<double>(segment.length), probability / segment.length,
         probability_below((row + 1) * communities) - probability_below(row * communities),
         segment.first / communities == last / communities, row});
  }
  return out;
}

std::vector<Class> classes(const PowerLawShape& shape) {
  return classes(static_cast<vertex_t>(shape.vertices - shape.tail_vertices), shape.exponent,
                 shape.offset, shape.communities.count);
}
std::vector<Class> left_classes(const BipartiteShape& shape) {
  return classes(shape.left, shape.left_exponent, shape.left_offset, shape.communities.count);
}
std::vector<Class> right_classes(const BipartiteShape& shape) {
  return classes(shape.right, shape.right_exponent, shape.right_offset, shape.communities.count);
}

// Probabilities of the second end of a tuple, by whether both ends lie in one community.
struct CommunityOdds {
  explicit CommunityOdds(const CommunityShape& shape)
      : local(shape.local), share(1.0 / shape.count) {}
  // The probability that the other end of a tuple is v, given one end in v's community (`same`) or
  // in another one.
  [[nodiscard]] double partner(const Class& v, bool same) const {
    return (1 - local) * v.p + (same ? local * v.row_p : 0);
  }
  // Share of the pairs of two classes that are in one community. Vertices of a row are not.
  [[nodiscard]] double same(const Class& u, const Class& v) const {
    return share < 1 && u.in_row && v.in_row && u.row == v.row ? 0 : share;
  }
  // The mean over pairs of what depends on whether they are in one community.
  template <typename Value>
  [[nodiscard]] double mean(const Class& u, const Class& v, const Value& value) const {
    const double together = local == 0 ? 0 : same(u, v);
    return together * value(true) + (1 - together) * value(false);
  }
  double local;
  double share;
};

// Pairs of draws are many and of small probability, hence Poisson; a vertex's own tuple is a single
// trial. `joined` is the probability that some tuple joins u and v.
struct PowerLawOdds {
  explicit PowerLawOdds(const PowerLawShape& shape) : ends(shape.communities) {
    const auto reversed = static_cast<double>(shape.reversed());
    const auto n = static_cast<double>(shape.vertices - shape.tail_vertices);
    draws = static_cast<double>(shape.edges - shape.tail_vertices) - reversed - n;
    reversed_draws = std::min(reversed, draws);  // the tuples that are reversed are the last ones
    reversed_own = (reversed - reversed_draws) / n;
  }
  [[nodiscard]] double joined_pair(const Class& u, const Class& v) const {
    return ends.mean(u, v, [&](bool same) {
      const double to_u = ends.partner(u, same);
      const double to_v = ends.partner(v, same);
      return 1 - (1 - to_u) * (1 - to_v) * std::exp(-draws * (u.p * to_v + v.p * to_u));
    });
  }
  [[nodiscard]] double joined_arc(const Class& u, const Class& v) const {  // u -> v
    return ends.mean(u, v, [&](bool same) {
      const double to_u = ends.partner(u, same);
      const double to_v = ends.partner(v, same);
      return 1 - (1 - to_v) * (1 - to_u * reversed_own) *
                     std::exp(-draws * u.p * to_v - reversed_draws * v.p * to_u);
    });
  }
  CommunityOdds ends;
  double draws;
  double reversed_draws;
  double reversed_own;  // share of the vertices whose own tuple is reversed
};

double largest_degree(const PowerLawShape& shape) {
  const PowerLawOdds odds(shape);
  const auto all = classes(shape);
  double degree = 0;
  for (const Class& c : all) degree += c.count * odds.joined_pair(all.front(), c);
  return degree - odds.joined_pair(all.front(), all.front());
}

struct BipartiteOdds {
  explicit BipartiteOdds(const BipartiteShape& shape)
      : ends(shape.communities),
        draws(static_cast<double>(shape.edges) - static_cast<double>(shape.left) - shape.right) {}
  [[nodiscard]] double joined(const Class& left, const Class& right) const {
    return ends.mean(left, right, [&](bool same) {
      const double to_right = ends.partner(right, same);
      return 1 -
             (1 - ends.partner(left, same)) * (1 - to_right) * std::exp(-draws * left.p * to_right);
    });
  }
  // Expected degree of the heaviest vertex of each side.
  [[nodiscard]] double left_degree(const Class& heaviest, const std::vector<Class>& right) const {
    double degree = 0;
    for (const Class& v : right) degree += v.count * joined(heaviest, v);
    return degree;
  }
  [[nodiscard]] double right_degree(const Class& heaviest, const std::vector<Class>& left) const {
    double degree = 0;
    for (const Class& u : left) degree += u.count * joined(u, heaviest);
    return degree;
  }
  CommunityOdds ends;
  double draws;
};

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
  const auto all = classes(shape);
  ExpectedCounts counts;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const Class a = all[s];
    for (std::size_t t = 0; t <= s; ++t) {
      const Class b = all[t];
      const double pairs = s == t ? a.count * (a.count - 1) / 2 : a.count * b.count;
      counts.pairs += pairs * odds.joined_pair(a, b);
      counts.arcs += pairs * (odds.joined_arc(a, b) + odds.joined_arc(b, a));
    }
  }
  counts.pairs += static_cast<double>(shape.tail_vertices);
  counts.arcs += static_cast<double>(shape.tail_vertices);
  counts.largest_degree = largest_degree(shape);
  return counts;
}

ExpectedCounts expected_counts(const BipartiteShape& shape) {
  const auto left = left_classes(shape);
  const auto right = right_classes(shape);
  const BipartiteOdds odds(shape);
  ExpectedCounts counts;
  for (const Class& u : left) {
    for (const Class& v : right) counts.pairs += u.count * v.count * odds.joined(u, v);
  }
  counts.arcs = counts.pairs;
  counts.largest_degree = odds.left_degree(left.front(), right);
  counts.largest_right_degree = odds.right_degree(right.front(), left);
  return counts;
}

PowerLawShape calibrate(PowerLawShape shape, edge_t wanted_edges, bool directed,
                        std::uint64_t wanted_degree) {
  check_vertices(shape);
  // Own tuples reach every vertex of the core; the reversed ones are added, and those of tails.
  const auto core = static_cast<double>(shape.vertices - shape.tail_vertices);
  const edge_t least =
      static_cast<edge_t>(std::ceil(core / (1 - 0.5 * shape.reciprocal))) + 1 + shape.tail_vertices;
  const auto vertices = static_cast<vertex_t>(core);
  shape.edges = std::max(wanted_edges, least);
  shape.edges = solve_tuples(shape.edges, least, wanted_edges, [&](edge_t tuples) {
    shape.edges = tuples;
    shape.offset = solve_offset(vertices, wanted_degree, [&](std::uint64_t offset) {
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
  const auto counted = [&](edge_t tuples) {
    shape.edges = tuples;
    const BipartiteOdds odds(shape);
    // One side's degree given the other's current weights; twice, since each depends on the other.
    for (int turn = 0; turn < 2; ++turn) {
      const auto right = right_classes(shape);
      shape.left_offset = solve_offset(shape.left, largest_left_degree, [&](std::uint64_t offset) {
        BipartiteShape trial = shape;
        trial.left_offset = offset;
        return odds.left_degree(left_classes(trial).front(), right);
      });
      const auto left = left_classes(shape);
      shape.right_offset =
          solve_offset(shape.right, largest_right_degree, [&](std::uint64_t offset) {
            BipartiteShape trial = shape;
            trial.right_offset = offset;
            return odds.right_degree(right_classes(trial).front(), left);
          });
    }
    return expected_counts(shape).pairs;
  };
  shape.edges = solve_tuples(std::max(wanted_edges, least), least, wanted_edges, counted);
  return shape;
}

}  // namespace bfslab
