#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "datasets/generate/counter_random.hpp"
#include "datasets/generate/kronecker.hpp"
#include "tests/datasets/naive_csr.hpp"

namespace bfslab::test {
namespace {

const std::vector<std::string> kNames = {
    "kronecker:scale=1",
    "kronecker:scale=5",
    "kronecker:scale=12",
    "kronecker:scale=13,edge_factor=3,a=0.25,b=0.25,c=0.25,seed=9",
    "uniform:vertices=3000,edge_factor=7",
    "grid:width=70,height=41,removed=0.3,seed=5",
    "grid:width=9,height=1",
    "path:vertices=5000",
    "star:vertices=5000",
    "complete:vertices=71",
    "binary_tree:vertices=5000",
};

TEST(Generators, SlicesAreTheWhole) {
  for (const std::string& text : kNames) {
    const std::vector<Edge> whole = tuples(text);
    const GraphName name = GraphName::parse(text);
    const auto source = find_generator(name.kind)->make(name);
    std::vector<Edge> pieces(whole.size());
    // Slice lengths that fit neither the generators' batches nor the builder's.
    const std::array<edge_t, 4> lengths = {1, 511, 777, 2049};
    std::size_t turn = 0;
    for (edge_t first = 0; first < whole.size(); ++turn) {
      const edge_t length = std::min<edge_t>(lengths[turn % 4], whole.size() - first);
      source->fill(first, std::span(pieces).subspan(first, length));
      first += length;
    }
    EXPECT_TRUE(whole == pieces) << text;
    for (const Edge edge : whole) {
      ASSERT_LT(edge.from, source->vertex_count()) << text;
      ASSERT_LT(edge.to, source->vertex_count()) << text;
    }
  }
}

TEST(Generators, SameGraphAtAnyThreadCount) {
  for (const std::string& text : kNames) {
    const CsrGraph one = load(text, 1);
    for (const int threads : {2, 8}) {
      const CsrGraph many = load(text, threads);
      ASSERT_TRUE(std::ranges::equal(one.row_offsets(), many.row_offsets())) << text;
      ASSERT_TRUE(std::ranges::equal(one.columns(), many.columns())) << text;
      ASSERT_TRUE(std::ranges::equal(one.input_edges(), many.input_edges())) << text;
      EXPECT_EQ(one.identity().content_hash, many.identity().content_hash);
    }
  }
}

TEST(Generators, SeedsChooseTheGraph) {
  for (const std::string base :
       {"kronecker:scale=10", "uniform:vertices=500", "grid:width=30,height=30,removed=0.5"}) {
    EXPECT_EQ(load(base + ",seed=4").identity().content_hash,
              load(base + ",seed=4").identity().content_hash);
    EXPECT_NE(load(base + ",seed=4").identity().content_hash,
              load(base + ",seed=5").identity().content_hash);
  }
}

// Pins the bits: whatever is generated elsewhere or later must be the same graph.
TEST(Generators, GraphsStayWhatTheyAre) {
  EXPECT_EQ(load("kronecker:scale=14").identity().content_hash, "4355e751cbc7b40e141c403b02437778");
  EXPECT_EQ(load("grid:width=100,height=50,removed=0.3").identity().content_hash,
            "2dede977843a82b2a90768cd5be91b01");
  EXPECT_EQ(load("uniform:vertices=1000").identity().content_hash,
            "fbae412f61564b79234e4dff1a1331bf");
}

TEST(BitPermutation, IsABijectionForEveryWidth) {
  for (const unsigned bits : {0U, 1U, 2U, 3U, 7U, 12U, 17U}) {
    for (const std::uint64_t key : {1ULL, 2ULL, 0x123456789abcdefULL}) {
      const BitPermutation permutation(bits, key);
      std::vector<bool> hit(std::size_t{1} << bits);
      for (std::uint32_t x = 0; x < hit.size(); ++x) {
        const std::uint32_t y = permutation(x);
        ASSERT_LT(y, hit.size());
        ASSERT_FALSE(hit[y]);
        hit[y] = true;
      }
    }
  }
}

// Frequencies of independent draws stay within 5 standard deviations of their probability:
// sigma = sqrt(N p (1 - p)); 5 of them are left by chance once in 1.7 million comparisons.
void expect_frequency(std::uint64_t count, double p, std::uint64_t draws, const std::string& what) {
  const double n = static_cast<double>(draws);
  EXPECT_NEAR(static_cast<double>(count), n * p, 5 * std::sqrt(n * p * (1 - p)) + 1) << what;
}

TEST(QuadrantTable, DrawsEachQuadrantAtItsProbabilityAtEveryLevel) {
  const std::array<double, 4> p = {0.57, 0.19, 0.19, 0.05};
  for (const unsigned levels : {1U, 2U, 5U}) {
    const QuadrantTable table(p[0], p[1], p[2], levels);
    constexpr std::uint64_t kDraws = 1 << 20;
    std::vector<std::array<std::uint64_t, 4>> counts(levels);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const std::uint32_t drawn =
          table.draw(static_cast<std::uint32_t>(counter_random(derive_key(11, levels), i)));
      ASSERT_LT(drawn, 1U << (2 * levels));
      for (unsigned level = 0; level < levels; ++level) {
        ++counts[level][2 * ((drawn >> level) & 1) + ((drawn >> (levels + level)) & 1)];
      }
    }
    for (unsigned level = 0; level < levels; ++level) {
      for (unsigned q = 0; q < 4; ++q) {
        expect_frequency(counts[level][q], p[q], kDraws,
                         "level " + std::to_string(level) + " quadrant " + std::to_string(q));
      }
    }
  }
}

TEST(QuadrantTable, HoldsForExtremeProbabilities) {
  const QuadrantTable certain(1, 0, 0, 5);
  const QuadrantTable last(0, 0, 0, 5);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const auto word = static_cast<std::uint32_t>(counter_random(3, i));
    ASSERT_EQ(certain.draw(word), 0U);
    ASSERT_EQ(last.draw(word), 1023U);
  }
  EXPECT_EQ(certain.draw(0xffffffffU), 0U);
  EXPECT_EQ(last.draw(0), 1023U);
}

// A vertex whose unpermuted id has k ones among its s bits is the first endpoint of a tuple with
// probability (A+B)^(s-k) (C+D)^k. There are C(s, k) such vertices, so the moments of the expected
// first-endpoint counts over vertices are sums over k. Permuting the labels changes none of them.
struct Moments {
  double mean = 0;
  double second = 0;     // expected sum of squares of the counts over vertices
  double deviation = 0;  // of that sum, from its dominating terms
  double maximum = 0;
};

Moments theory(unsigned scale, double tuples, double upper) {
  Moments moments;
  moments.mean = tuples / std::ldexp(1.0, static_cast<int>(scale));
  double vertices = 1;
  double variance = 0;
  for (unsigned k = 0; k <= scale; ++k) {
    const double p = std::pow(upper, scale - k) * std::pow(1 - upper, k);
    const double rate = tuples * p;
    // Counts are binomial, here Poisson to within rounding: E[x^2] = r + r^2,
    // Var[x^2] = r + 6 r^2 + 4 r^3.
    moments.second += vertices * (rate + rate * rate);
    variance += vertices * (rate + 6 * rate * rate + 4 * rate * rate * rate);
    moments.maximum = std::max(moments.maximum, rate);
    vertices = vertices * (scale - k) / (k + 1);
  }
  moments.deviation = std::sqrt(variance);
  return moments;
}

TEST(Kronecker, DegreeMomentsAreThoseOfTheory) {
  constexpr unsigned kScale = 16;
  const CsrGraph graph = load("kronecker:scale=16,seed=42");
  const double tuples = 16.0 * 65536;
  const Moments expected = theory(kScale, tuples, 0.57 + 0.19);
  double sum = 0;
  double squares = 0;
  double maximum = 0;
  for (const std::uint32_t count : graph.input_edges()) {
    sum += count;
    squares += static_cast<double>(count) * count;
    maximum = std::max<double>(maximum, count);
  }
  EXPECT_EQ(sum / 65536, expected.mean);
  EXPECT_NEAR(squares, expected.second, 5 * expected.deviation);
  // The largest count belongs to the one vertex of rate N (A+B)^s, far above the sixteen next ones.
  EXPECT_NEAR(maximum, expected.maximum, 5 * std::sqrt(expected.maximum));
}

// Undoing the permutation by degree is not possible, but quadrants survive it at full depth: the
// tuples that are self-loops must follow (A+D)^s, whatever the labels.
TEST(Kronecker, SelfLoopsAreThoseOfTheory) {
  std::uint64_t loops = 0;
  const std::vector<Edge> edges = tuples("kronecker:scale=12,edge_factor=256,seed=3");
  for (const Edge edge : edges) loops += edge.from == edge.to ? 1 : 0;
  expect_frequency(loops, std::pow(0.57 + 0.05, 12), edges.size(), "self-loops");
}

TEST(Kronecker, EqualQuadrantsAreUniform) {
  const std::vector<Edge> edges =
      tuples("kronecker:scale=6,edge_factor=1024,a=0.25,b=0.25,c=0.25,seed=8");
  std::vector<std::uint64_t> from(64);
  std::vector<std::uint64_t> to(64);
  for (const Edge edge : edges) {
    ++from[edge.from];
    ++to[edge.to];
  }
  for (unsigned v = 0; v < 64; ++v) {
    expect_frequency(from[v], 1.0 / 64, edges.size(), "from " + std::to_string(v));
    expect_frequency(to[v], 1.0 / 64, edges.size(), "to " + std::to_string(v));
  }
}

TEST(Uniform, EndpointsAreUniform) {
  const std::vector<Edge> edges = tuples("uniform:vertices=100,edge_factor=1000");
  std::vector<std::uint64_t> from(100);
  for (const Edge edge : edges) ++from[edge.from];
  for (unsigned v = 0; v < 100; ++v) expect_frequency(from[v], 0.01, edges.size(), "uniform");
}

TEST(Grid, HasTheEdgesOfAGridAndRemovesTheShare) {
  const CsrGraph whole = load("grid:width=7,height=5");
  EXPECT_EQ(whole.edge_count(), 2U * (6 * 5 + 7 * 4));
  for (vertex_t y = 0; y < 5; ++y) {
    for (vertex_t x = 0; x < 7; ++x) {
      std::vector<vertex_t> expected;
      if (y > 0) expected.push_back((y - 1) * 7 + x);
      if (x > 0) expected.push_back(y * 7 + x - 1);
      if (x < 6) expected.push_back(y * 7 + x + 1);
      if (y < 4) expected.push_back((y + 1) * 7 + x);
      EXPECT_TRUE(std::ranges::equal(whole.neighbors(y * 7 + x), expected));
    }
  }
  const CsrGraph part = load("grid:width=7,height=5,removed=0.5");
  EXPECT_EQ(part.edge_count(), whole.edge_count() / 2);  // every remaining edge is another one
  for (vertex_t v = 0; v < 35; ++v) {
    EXPECT_TRUE(std::ranges::includes(whole.neighbors(v), part.neighbors(v)));
  }
  EXPECT_EQ(load("grid:width=7,height=5,removed=1").edge_count(), 0U);
  EXPECT_EQ(load("grid:width=0,height=5").vertex_count(), 0U);
}

TEST(SmallGenerators, AreWhatTheirNamesSay) {
  const CsrGraph tree = load("binary_tree:vertices=6,symmetrize=false");
  EXPECT_TRUE(std::ranges::equal(tree.columns(), std::vector<vertex_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(tree.degree(2), 1U);
  const CsrGraph complete = load("complete:vertices=6,symmetrize=false");
  for (vertex_t v = 0; v < 6; ++v) EXPECT_EQ(complete.degree(v), 5U);
  EXPECT_EQ(load("complete:vertices=6").edge_count(), 30U);
  EXPECT_EQ(load("path:vertices=1").vertex_count(), 1U);
  EXPECT_EQ(load("star:vertices=2").edge_count(), 2U);
}

}  // namespace
}  // namespace bfslab::test
