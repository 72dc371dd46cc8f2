// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "datasets/build/counter_random.hpp"
#include "datasets/generate/calibrate.hpp"
#include "datasets/generate/kronecker.hpp"
#include "datasets/summary/summary.hpp"
#include "tests/datasets/naive_csr.hpp"

namespace bfslab::tests {
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
    "rmat:vertices=4096,edges=30000",
    "rmat:vertices=3001,edges=30000,a=0.4,b=0.3,c=0.2,seed=5",
    "rmat:vertices=1,edges=9,permute=false",
    "power_law:vertices=3000,edges=9000,exponent=2.2,offset=3,reciprocal=0.4",
    "power_law:vertices=2,edges=7",
    "bipartite:left=700,right=1300,edges=5000,right_exponent=1.7",
    "bipartite:left=1,right=1,edges=2",
    "power_law:vertices=3000,edges=9000,communities=30,order=crawl,tails=20,tail_length=9",
    "power_law:vertices=3000,edges=9000,reciprocal=0.4,communities=30,local=0.6,order=crawl",
    "bipartite:left=700,right=1300,edges=5000,ids=shared,communities=30,local=0.6,order=crawl",
    "roads:vertices=5000,edges=5200,width=31,height=40",
    "roads:vertices=9,edges=8,width=1,height=2",
    "hub_and_chain:spokes=300,length=700",
    "union:(kronecker:scale=7)+3*(path:vertices=100)+(star:vertices=1)+2*(complete:vertices=9)",
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
       {"kronecker:scale=10", "uniform:vertices=500", "grid:width=30,height=30,removed=0.5",
        "rmat:vertices=500,edges=3000", "power_law:vertices=500,edges=3000",
        "bipartite:left=200,right=300,edges=3000",
        "power_law:vertices=500,edges=3000,communities=9,local=0.5,order=crawl",
        "bipartite:left=200,right=300,edges=3000,communities=9,local=0.5,ids=shared",
        "roads:vertices=900,edges=950,width=20,height=20"}) {
    EXPECT_EQ(load(base + ",seed=4").identity().content_hash,
              load(base + ",seed=4").identity().content_hash);
    EXPECT_NE(load(base + ",seed=4").identity().content_hash,
              load(base + ",seed=5").identity().content_hash);
  }
}

// Pins the bits: the same graph must be generated elsewhere and later.
TEST(Generators, GraphsStayWhatTheyAre) {
  EXPECT_EQ(load("kronecker:scale=14").identity().content_hash, "4355e751cbc7b40e141c403b02437778");
  EXPECT_EQ(load("grid:width=100,height=50,removed=0.3").identity().content_hash,
            "2dede977843a82b2a90768cd5be91b01");
  EXPECT_EQ(load("uniform:vertices=1000").identity().content_hash,
            "fbae412f61564b79234e4dff1a1331bf");
  EXPECT_EQ(load("rmat:vertices=1000,edges=8000").identity().content_hash,
            "261d3a8d5916e28496ffa77db3baf16f");
  EXPECT_EQ(
      load("power_law:vertices=1000,edges=5000,offset=2,reciprocal=0.3").identity().content_hash,
      "28a86b43e8f1526aff534f3d043d2912");
  EXPECT_EQ(load("bipartite:left=300,right=700,edges=5000").identity().content_hash,
            "2026c22b31c5160490286c356a9c5d16");
  EXPECT_EQ(load("power_law:vertices=1000,edges=5000,offset=2,reciprocal=0.3,communities=10,"
                 "local=0.5,order=crawl,tails=9,tail_length=7")
                .identity()
                .content_hash,
            "8554e27520f4f48d38263f2928c7f50a");
  EXPECT_EQ(load("bipartite:left=300,right=700,edges=5000,ids=shared,communities=10,local=0.5,"
                 "order=crawl")
                .identity()
                .content_hash,
            "1b2239141b1c67164d19dbc0851b6078");
  EXPECT_EQ(load("roads:vertices=5000,edges=5200,width=31,height=40").identity().content_hash,
            "e71980699eb1b286d9a8fd79a071038a");
  EXPECT_EQ(load("hub_and_chain:spokes=30,length=50").identity().content_hash,
            "43cf5cdfcd438435f4c1fab55c72cf3b");
  EXPECT_EQ(load("union:(kronecker:scale=6)+2*(path:vertices=9)").identity().content_hash,
            "d3826fe12d647385cdc57942d5394897");
}

// A GPU makes the tuples one at a time, the builder in batches.
TEST(QuadrantTuples, OneAtATimeAreThoseOfTheBatches) {
  for (const std::string text :
       {"kronecker:scale=1", "kronecker:scale=5,seed=3", "kronecker:scale=9",
        "kronecker:scale=13,edge_factor=3,seed=99",
        "kronecker:scale=16,edge_factor=1,a=0.3,b=0.3,c=0.3", "kronecker:scale=31,edge_factor=1",
        "rmat:vertices=1,edges=100", "rmat:vertices=2,edges=100", "rmat:vertices=1000,edges=8000",
        "rmat:vertices=1024,edges=5000,permute=false", "rmat:vertices=4294967294,edges=3000",
        "rmat:vertices=70000,edges=9000,a=0.25,b=0.25,c=0.25,permute=false,seed=4"}) {
    const GraphName name = GraphName::parse(text);
    const auto source = find_generator(name.kind)->make(name);
    const auto* const quadrants = dynamic_cast<const QuadrantSource*>(source.get());
    ASSERT_NE(quadrants, nullptr) << text;
    const QuadrantTuples tuples = quadrants->tuples();
    ASSERT_EQ(tuples.count, source->size()) << text;
    ASSERT_EQ(tuples.vertex_count, source->vertex_count()) << text;
    std::vector<Edge> batch(std::min<edge_t>(source->size(), 100000));
    source->fill(0, batch);
    for (edge_t i = 0; i < batch.size(); ++i) ASSERT_EQ(tuples(i), batch[i]) << text << ' ' << i;
  }
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
// sigma = sqrt(N p (1 - p)); 5 of them are exceeded by chance once in 1.7 million comparisons.
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
  EXPECT_EQ(part.edge_count(), whole.edge_count() / 2);  // all remaining edges are distinct
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

TEST(Rmat, OfAPowerOfTwoHasKroneckersProbabilities) {
  constexpr std::uint64_t kTuples = 1 << 18;
  const std::vector<Edge> edges =
      tuples("rmat:vertices=64,edges=262144,a=0.5,b=0.2,c=0.1,permute=false");
  std::array<std::uint64_t, 4> halves{};
  std::uint64_t corner = 0;
  for (const Edge edge : edges) {
    ++halves[2 * (edge.from / 32) + edge.to / 32];
    corner += edge.from == 0 && edge.to == 0 ? 1 : 0;
  }
  const std::array<double, 4> p = {0.5, 0.2, 0.1, 0.2};
  for (unsigned q = 0; q < 4; ++q) expect_frequency(halves[q], p[q], kTuples, std::to_string(q));
  expect_frequency(corner, std::pow(0.5, 6), kTuples, "corner");
}

TEST(Rmat, EqualQuadrantsAreUniformOverAnyNumberOfVertices) {
  constexpr std::uint64_t kTuples = 200000;
  const std::vector<Edge> edges = tuples("rmat:vertices=100,edges=200000,a=0.25,b=0.25,c=0.25");
  std::vector<std::uint64_t> from(100);
  for (const Edge edge : edges) ++from[edge.from];
  // A vertex owns 327 or 328 of 2^15 cells.
  for (const std::uint64_t count : from) {
    EXPECT_GE(count, kTuples * 327.0 / 32768 - 5 * std::sqrt(kTuples * 0.01));
    EXPECT_LE(count, kTuples * 328.0 / 32768 + 5 * std::sqrt(kTuples * 0.01));
  }
}

TEST(HubAndChain, HasOneHubAndOneDeepEnd) {
  const CsrGraph graph = load("hub_and_chain:spokes=4,length=3");
  ASSERT_EQ(graph.vertex_count(), 8U);
  EXPECT_TRUE(std::ranges::equal(graph.neighbors(0), std::vector<vertex_t>{1, 2, 3, 4, 5}));
  for (vertex_t leaf = 1; leaf <= 4; ++leaf) EXPECT_EQ(graph.degree(leaf), 1U);
  EXPECT_TRUE(std::ranges::equal(graph.neighbors(6), std::vector<vertex_t>{5, 7}));
  EXPECT_TRUE(std::ranges::equal(graph.neighbors(7), std::vector<vertex_t>{6}));
  EXPECT_EQ(load("hub_and_chain:spokes=0,length=0").vertex_count(), 1U);
  EXPECT_TRUE(
      contains(input_error([] { GraphName::parse("hub_and_chain:spokes=4294967290,length=10"); }),
               "exceed"));
}

TEST(Union, PutsItsPartsSideBySide) {
  const CsrGraph graph = load("union:2*(path:vertices=3)+(star:vertices=1)+(complete:vertices=3)");
  const std::vector<std::vector<vertex_t>> rows = {{1}, {0, 2}, {1},    {4},    {3, 5},
                                                   {4}, {},     {8, 9}, {7, 9}, {7, 8}};
  ASSERT_EQ(graph.vertex_count(), rows.size());
  for (vertex_t v = 0; v < rows.size(); ++v) {
    EXPECT_TRUE(std::ranges::equal(graph.neighbors(v), rows[v])) << v;
  }
}

TEST(Union, HasOneSpelling) {
  const auto canonical = [](const std::string& text) { return GraphName::parse(text).canonical; };
  EXPECT_EQ(canonical("union:(path:vertices=03)+(path:vertices=3),relabel=degree"),
            "union:2*(path:vertices=3),symmetrize=true,self_loops=drop,duplicates=drop,"
            "relabel=degree");
  EXPECT_EQ(canonical("union:(kronecker:scale=4)"),
            canonical("union:1*(kronecker:scale=4,seed=1)"));
  const std::string name = canonical("union:(uniform:vertices=5)+7*(grid:width=2,height=2)");
  EXPECT_EQ(canonical(name), name);
  EXPECT_EQ(load(name).identity().name, name);
}

TEST(Union, RefusesWithReason) {
  const std::vector<std::pair<std::string, std::string>> corpus = {
      {"union:", "expected union:"},
      {"union:path", "expected generated graphs in parentheses"},
      {"union:(path:vertices=3", "expected generated graphs in parentheses"},
      {"union:(path:vertices=3)+", "expected generated graphs in parentheses"},
      {"union:(path:vertices=3)(path:vertices=3)", "expected generated graphs in parentheses"},
      {"union:0*(path:vertices=3)", "expected generated graphs in parentheses"},
      {"union:x*(path:vertices=3)", "expected generated graphs in parentheses"},
      {"union:(pth:vertices=3)", "did you mean \"path\"?"},
      {"union:(union:(path:vertices=3))", "list its parts directly"},
      {"union:(path:vertices=3,relabel=degree)", "after the last parenthesis"},
      {"union:(snap:wiki-Vote)", "are generated"},
      {"union:5000000*(path:vertices=1000)", "vertices"},
      {"union:18446744073709551615*(path:vertices=2)+(path:vertices=2)", "expected generated"},
  };
  for (const auto& [text, message] : corpus) {
    const std::string error = input_error([&, t = text] { GraphName::parse(t); });
    EXPECT_TRUE(contains(error, message)) << text << " -> " << error;
  }
}

// Connected, with exactly the requested counts, no vertex above degree 4, and no edge twice.
TEST(Roads, AreConnectedAndExact) {
  for (const std::string text : {"roads:vertices=5000,edges=5200,width=31,height=40",
                                 "roads:vertices=600,edges=1111,width=24,height=25",
                                 "roads:vertices=50,edges=49,width=1,height=7",
                                 "roads:vertices=1,edges=0,width=1,height=1"}) {
    const CsrGraph graph = load(text);
    const GraphName name = GraphName::parse(text);
    EXPECT_EQ(graph.edge_count(), 2 * name.integer("edges")) << text;
    EXPECT_EQ(summarize(graph).components, 1U) << text;
    EXPECT_LE(summarize(graph).maximum_degree, 4U) << text;
  }
  EXPECT_TRUE(contains(
      input_error([] { GraphName::parse("roads:vertices=100,edges=98,width=5,height=5"); }),
      "it takes 99 to 115 edges"));
  EXPECT_TRUE(
      contains(input_error([] { GraphName::parse("roads:vertices=20,edges=20,width=5,height=5"); }),
               "exceed 20 vertices"));
}

TEST(FixedPoint, LogarithmsAndPowersAreExactToTheirUnits) {
  EXPECT_EQ(fixed_log2(1), 0U);
  EXPECT_EQ(fixed_log2(std::uint64_t{1} << 63), std::uint64_t{63} << 32);
  EXPECT_EQ(fixed_exp2_of_minus(0), std::uint64_t{1} << 63);
  EXPECT_EQ(fixed_exp2_of_minus(std::uint64_t{5} << 32), std::uint64_t{1} << 58);
  EXPECT_EQ(fixed_exp2_of_minus(std::uint64_t{64} << 32), 0U);
  for (const std::uint64_t x : {3ULL, 10ULL, 1234567ULL, 99999999999ULL}) {
    const double log = std::ldexp(static_cast<double>(fixed_log2(x)), -32);
    EXPECT_NEAR(log, std::log2(static_cast<double>(x)), 1e-9) << x;
    const double power = std::ldexp(static_cast<double>(fixed_exp2_of_minus(fixed_log2(x))), -63);
    EXPECT_NEAR(power * static_cast<double>(x), 1, 1e-8) << x;
  }
}

TEST(RankWeights, FollowThePowerLawAndAreDrawnSo) {
  const RankWeights weights(100000, 2.5, 7);
  std::uint64_t ranks = 0;
  std::uint64_t sum = 0;
  for (const auto& segment : weights.segments()) {
    ASSERT_EQ(segment.first, ranks);
    ranks += segment.length;
    sum += segment.weight;
  }
  EXPECT_EQ(ranks, 100000U);
  EXPECT_EQ(sum, std::uint64_t{1} << 32);
  const auto& first = weights.segments()[0];
  const auto& last = weights.segments().back();
  // (r + 8)^(-2/3), from rank 0 to the middle of the last segment.
  const double middle = last.first + (last.length - 1) / 2.0;
  EXPECT_NEAR(static_cast<double>(last.weight) / last.length / static_cast<double>(first.weight),
              std::pow((middle + 8) / 8, -2.0 / 3), 1e-4);
  constexpr std::uint64_t kDraws = 1 << 20;
  std::vector<std::uint64_t> drawn(100000);
  for (std::uint64_t i = 0; i < kDraws; ++i) ++drawn.at(weights.draw(counter_random(3, i)));
  for (const auto& segment : weights.segments()) {
    const auto begin = drawn.begin() + segment.first;
    expect_frequency(std::accumulate(begin, begin + segment.length, std::uint64_t{0}),
                     std::ldexp(static_cast<double>(segment.weight), -32), kDraws,
                     "rank " + std::to_string(segment.first));
  }
}

TEST(PowerLaw, LeavesNoVertexAloneAndNoSelfLoop) {
  for (const std::string text : {"power_law:vertices=2,edges=7", "power_law:vertices=999,edges=999",
                                 "power_law:vertices=500,edges=4000,exponent=1.5"}) {
    for (const Edge edge : tuples(text)) EXPECT_NE(edge.from, edge.to);
    EXPECT_EQ(summarize(load(text)).isolated_vertices, 0U) << text;
  }
  EXPECT_EQ(summarize(load("bipartite:left=40,right=60,edges=100")).isolated_vertices, 0U);
  for (const Edge edge : tuples("bipartite:left=40,right=60,edges=500")) {
    EXPECT_LT(edge.from, 40U);
    EXPECT_GE(edge.to, 40U);
  }
  EXPECT_TRUE(contains(input_error([] { GraphName::parse("power_law:vertices=9,edges=8"); }),
                       "do not reach 9 vertices"));
  EXPECT_TRUE(contains(input_error([] { GraphName::parse("bipartite:left=3,right=4,edges=6"); }),
                       "do not reach 7 vertices"));
}

TEST(PowerLaw, ReversesTheShareThatIsAskedFor) {
  const std::vector<Edge> edges =
      tuples("power_law:vertices=1000,edges=8000,exponent=3,reciprocal=0.5");
  for (std::size_t i = 6000; i < 8000; ++i) {
    EXPECT_EQ(edges[i], (Edge{edges[i - 2000].to, edges[i - 2000].from}));
  }
}

std::uint64_t largest_degree(const CsrGraph& graph) { return summarize(graph).maximum_degree; }

// The result matches what was solved for: the counts to within half a percent (they are sums over
// hundreds of thousands of edges), the largest degree, one vertex's, to within a fifth.
TEST(Calibrate, MeetsTheWantedCounts) {
  for (const bool directed : {false, true}) {
    PowerLawShape shape;
    shape.vertices = 20000;
    shape.exponent = 2.3;
    shape.reciprocal = directed ? 0.3 : 0;
    shape = calibrate(shape, 300000, directed, 2500);
    EXPECT_GT(shape.edges, 300000U);  // duplicates are compensated
    const std::string name =
        fmt::format("power_law:vertices=20000,edges={},exponent=2.3,offset={},reciprocal={}",
                    shape.edges, shape.offset, shape.reciprocal);
    const CsrGraph undirected = load(name);
    const edge_t found =
        directed ? load(name + ",symmetrize=false").edge_count() : undirected.edge_count() / 2;
    EXPECT_NEAR(static_cast<double>(found), 300000, 1500) << name;
    EXPECT_NEAR(static_cast<double>(largest_degree(undirected)), 2500, 500) << name;
  }
  BipartiteShape sides;
  sides.left = 5000;
  sides.right = 20000;
  sides.left_exponent = 2;
  sides.right_exponent = 4;
  sides = calibrate(sides, 100000, 3000, 40);
  const CsrGraph graph = load(fmt::format(
      "bipartite:left=5000,right=20000,edges={},left_exponent=2,left_offset={},right_exponent=4,"
      "right_offset={}",
      sides.edges, sides.left_offset, sides.right_offset));
  EXPECT_NEAR(static_cast<double>(graph.edge_count()) / 2, 100000, 500);
  EXPECT_NEAR(static_cast<double>(largest_degree(graph)), 3000, 600);
}

TEST(Calibrate, RefusesWhatCannotBe) {
  PowerLawShape shape;
  shape.vertices = 1000;
  shape.exponent = 2.5;
  EXPECT_TRUE(contains(input_error([&] { calibrate(shape, 500000, false, 900); }),
                       "distinct edges are impossible"));
  EXPECT_TRUE(contains(input_error([&] { calibrate(shape, 200, false, 50); }),
                       "distinct edges are impossible"));
}

}  // namespace
}  // namespace bfslab::tests
