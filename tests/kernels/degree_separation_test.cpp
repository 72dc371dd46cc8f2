// SPDX-License-Identifier: Apache-2.0
// Counts against every threshold equal those made edge by edge, from a CSR as from a stream, and
// the expectation is close to them.
#include "kernels/count/degree_separation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"
#include "kernels/count/subgraph_memory.hpp"
#include "kernels/engine.hpp"
#include "tests/kernels/separated.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using count::AtThreshold;
using count::Partition;
using count::Separation;

constexpr const char* kKept = ",self_loops=keep,duplicates=keep";

CsrGraph load(const std::string& name) { return load_graph(GraphName::parse(name), {}); }

std::unique_ptr<EdgeSource> stream_of(const std::string& text) {
  const GraphName name = GraphName::parse(text);
  return find_generator(name.kind)->make(name);
}

// The slow way: one threshold, entry by entry, as subgraphs are made.
AtThreshold by_definition(const CsrGraph& graph, std::uint64_t threshold, Partition partition) {
  std::vector<std::uint64_t> degree(graph.vertex_count());
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    for (const vertex_t w : graph.neighbors(v)) degree[v] += w == v ? 2 : 1;
  }
  const Separated separated(degree, partition.gpus(), threshold);
  AtThreshold at;
  at.threshold = threshold;
  at.delegates = static_cast<double>(separated.delegates.size());
  std::map<std::uint32_t, std::array<double, 4>> gpus;
  for (std::uint32_t gpu = 0; gpu < partition.gpus(); ++gpu) gpus[gpu] = {};
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) {
      const distributed::Placed entry = separated.place(u, v);
      const auto edge_class = static_cast<std::size_t>(entry.subgraph);
      const unsigned gpu = entry.keeper;
      at.entries[edge_class] += u == v ? 2 : 1;
      gpus[gpu][edge_class] += u == v ? 2 : 1;
    }
  }
  at.gpu_entries_min = 1e300;
  for (const auto& [gpu, counts] : gpus) {
    const double sum = counts[0] + counts[1] + counts[2] + counts[3];
    at.gpu_entries_min = std::min(at.gpu_entries_min, sum);
    at.gpu_entries_max = std::max(at.gpu_entries_max, sum);
    for (std::size_t k = 0; k < 4; ++k) at.gpu_most[k] = std::max(at.gpu_most[k], counts[k]);
  }
  return at;
}

void expect_same(const AtThreshold& got, const AtThreshold& wanted) {
  EXPECT_EQ(got.threshold, wanted.threshold);
  EXPECT_EQ(got.delegates, wanted.delegates);
  EXPECT_EQ(got.entries, wanted.entries);
  EXPECT_EQ(got.gpu_most, wanted.gpu_most);
  EXPECT_EQ(got.gpu_entries_min, wanted.gpu_entries_min);
  EXPECT_EQ(got.gpu_entries_max, wanted.gpu_entries_max);
}

void expect_same(const Separation& got, const Separation& wanted) {
  EXPECT_EQ(got.vertices, wanted.vertices);
  EXPECT_EQ(got.isolated, wanted.isolated);
  EXPECT_EQ(got.entries, wanted.entries);
  EXPECT_EQ(got.self_loops, wanted.self_loops);
  ASSERT_EQ(got.at.size(), wanted.at.size());
  for (std::size_t i = 0; i < got.at.size(); ++i) {
    SCOPED_TRACE(got.at[i].threshold);
    expect_same(got.at[i], wanted.at[i]);
  }
}

const std::vector<std::uint64_t> kThresholds = {1, 2, 5, 16, 17, 64, 1000, 100000};

class OnGraph : public testing::TestWithParam<const char*> {};

TEST_P(OnGraph, EqualsTheCountEntryByEntry) {
  const CsrGraph graph = load(GetParam());
  for (const Partition partition : {Partition{1, 1}, Partition{3, 2}}) {
    const Separation counted = count::count_separation(graph, kThresholds, partition, 2);
    ASSERT_EQ(counted.at.size(), kThresholds.size());
    for (std::size_t i = 0; i < kThresholds.size(); ++i) {
      SCOPED_TRACE(kThresholds[i]);
      expect_same(counted.at[i], by_definition(graph, kThresholds[i], partition));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DegreeSeparation, OnGraph,
                         testing::Values("kronecker:scale=10",
                                         "kronecker:scale=9,self_loops=keep,duplicates=keep",
                                         "star:vertices=300", "complete:vertices=40",
                                         "path:vertices=77", "uniform:vertices=500,edge_factor=6"));

TEST(DegreeSeparation, AStreamCountsAsTheCsrThatKeepsEverything) {
  // A small graph with a heavy corner, so that self-loops and duplicates are many.
  for (const std::string name :
       {"kronecker:scale=11,seed=5", "kronecker:scale=6,edge_factor=40,a=0.8,b=0.1,c=0.05"}) {
    const CsrGraph graph = load(name + kKept);
    const auto stream = stream_of(name + kKept);
    for (const Partition partition : {Partition{1, 1}, Partition{2, 2}}) {
      const Separation from_csr = count::count_separation(graph, kThresholds, partition, 2);
      EXPECT_GT(from_csr.self_loops, 0);
      EXPECT_EQ(from_csr.entries, 2.0 * static_cast<double>(stream->size())) << "m = 32 * 2^N";
      for (const int threads : {1, 2, 5}) {
        expect_same(count::count_separation(*stream, kThresholds, partition, threads), from_csr);
      }
    }
  }
}

TEST(DegreeSeparation, ASelfLoopIsTwoEntriesAtItsVertex) {
  const auto graph = make_graph(3, {{0, 0}, {0, 1}}, true, false);
  const Separation counted = count::count_separation(*graph, {1, 2}, {}, 1);
  EXPECT_EQ(counted.entries, 4);
  EXPECT_EQ(counted.self_loops, 1);
  EXPECT_EQ(counted.isolated, 1);
  EXPECT_EQ(counted.at[1].delegates, 1) << "vertex 0 has three entries";
  EXPECT_EQ(counted.at[1].entries, (std::array<double, 4>{0, 1, 1, 2}));
}

TEST(DegreeSeparation, RefusesDirectedGraphs) {
  const auto graph = make_graph(3, {{0, 1}, {1, 2}}, false);
  EXPECT_THROW(count::count_separation(*graph, {1}, {}, 1), InputError);
}

TEST(DegreeSeparation, LaddersOfThresholds) {
  using count::threshold_ladder;
  EXPECT_EQ(threshold_ladder(1, 64, std::sqrt(2.0)),
            (std::vector<std::uint64_t>{1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64}));
  EXPECT_EQ(threshold_ladder(16, 128, 2), (std::vector<std::uint64_t>{16, 32, 64, 128}));
  EXPECT_EQ(threshold_ladder(100, 100, 2), (std::vector<std::uint64_t>{100}));
}

// How close the expectation is, in units of what it approximates. One graph is one sample: its
// counts scatter by their square root, and hubs' degrees come in a few steps, so small counts are
// compared by their distance alone.
class Expectation : public testing::TestWithParam<unsigned> {};

TEST_P(Expectation, IsNearTheCount) {
  const std::string text = "kronecker:scale=" + std::to_string(GetParam()) + kKept;
  const auto stream = stream_of(text);
  const std::vector<std::uint64_t> thresholds = count::threshold_ladder(1, 4096, std::sqrt(2.0));
  const Separation counted = count::count_separation(*stream, thresholds, {}, 2);
  const Separation expected =
      count::expect_separation(count::kronecker_shape(GraphName::parse(text), 0), thresholds, {});
  const auto near = [](double got, double wanted, double of) {
    // 0.2 % of the whole plus 5 standard deviations of a plain count.
    EXPECT_NEAR(got, wanted, 0.002 * of + 5 * std::sqrt(wanted + 1));
  };
  EXPECT_EQ(expected.vertices, counted.vertices);
  EXPECT_EQ(expected.entries, counted.entries);
  near(counted.isolated, expected.isolated, 0);
  near(counted.self_loops, expected.self_loops, 0);
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    SCOPED_TRACE(thresholds[i]);
    near(counted.at[i].delegates, expected.at[i].delegates, 0);
    for (std::size_t k = 0; k < 4; ++k) {
      near(counted.at[i].entries[k], expected.at[i].entries[k], counted.entries);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, Expectation, testing::Values(14U, 16U, 18U));

TEST(Expectation, ClassesSumUpAtAnyScaleAndShape) {
  for (const unsigned scale : {1U, 20U, 36U, 60U}) {
    for (const auto& [a, b, c] : {std::array{0.57, 0.19, 0.19}, std::array{0.25, 0.25, 0.25},
                                  std::array{1.0, 0.0, 0.0}, std::array{0.6, 0.1, 0.3}}) {
      const count::KroneckerExpectation expected({scale, 16, a, b, c});
      for (const double threshold : {1.0, 64.0, 1e6}) {
        const auto got = expected.by_class(threshold);
        EXPECT_NEAR((got.nn + got.nd + got.dn + got.dd) / expected.entries(), 1, 1e-9);
        EXPECT_GE(got.nn, 0);
        EXPECT_GE(got.dd, 0);
        EXPECT_LE(expected.vertices_above(threshold), expected.vertices());
      }
    }
  }
}

TEST(Expectation, AllEdgesAtOneVertexWhereTheCornerTakesAll) {
  const count::KroneckerExpectation expected({10, 16, 1, 0, 0});
  EXPECT_NEAR(expected.self_loops(), 16 * 1024, 1e-6);
  EXPECT_NEAR(expected.isolated(), 1023, 1e-6);
  EXPECT_NEAR(expected.by_class(64).dd, expected.entries(), 1e-3);
}

// Section VI-B: at scale 33, with the threshold that grew from 64 by sqrt(2) per scale since scale
// 30, the paper has 1.75 % delegates and 6.3 % nn edges. The first agrees to the digit. The second
// does not (docs/errata.md#scalable-bfs-figure-7): a Kronecker graph with so many delegates
// has 1.92 % nn edges, and near 6 % belong to the next step of the degrees, where delegates are
// 0.68 %.
TEST(Expectation, MeetsThePapersDelegatesAtScale33ButNotItsNormalEdges) {
  const count::KroneckerExpectation expected({33});
  const auto delegates = [&](double threshold) {
    return 100 * expected.vertices_above(threshold) / expected.vertices();
  };
  const auto normal = [&](double threshold) {
    return 100 * expected.by_class(threshold).nn / expected.entries();
  };
  const double suggested = std::round(64 * std::pow(2.0, 1.5));
  EXPECT_NEAR(delegates(suggested), 1.75, 0.005);
  EXPECT_NEAR(normal(suggested), 1.92, 0.005);
  EXPECT_NEAR(delegates(2 * suggested), 0.68, 0.005);
  EXPECT_NEAR(normal(2 * suggested), 5.93, 0.01);
}

TEST(SubgraphMemory, IsTableI) {
  const CsrGraph graph = load("kronecker:scale=12,self_loops=keep,duplicates=keep");
  const Partition partition{2, 2};
  const Separation counted = count::count_separation(graph, {16, 64}, partition, 2);
  for (const AtThreshold& at : counted.at) {
    const auto memory = count::subgraph_memory(counted.vertices, at, 4);
    const double formula =
        8 * counted.vertices + 8 * at.delegates * 4 + 4 * counted.entries + 4 * at.entries[0];
    EXPECT_DOUBLE_EQ(memory.table_total, formula);
    EXPECT_DOUBLE_EQ(memory.total(), formula) << "nothing overflows here";
  }
}

TEST(SubgraphMemory, WidensOffsetsThatOverflow) {
  AtThreshold at;
  at.delegates = 10;
  at.entries = {5e9, 1, 1, 4294967296.0};
  at.gpu_most = {4294967295.0, 1, 1, 4294967296.0};
  const auto memory = count::subgraph_memory(1000, at, 2);
  EXPECT_EQ(memory.offset_bytes, (std::array<unsigned, 4>{4, 4, 4, 8}));
  EXPECT_DOUBLE_EQ(memory.offsets[3], 10 * 2 * 8);
  EXPECT_DOUBLE_EQ(memory.total(), memory.table_total + 10 * 2 * 4);
}

// The counter as the driver calls it.
class Collected final : public MeasureSink {
 public:
  void measure(const Measure& measure) override {
    EXPECT_TRUE(values_.emplace(measure.part + " " + measure.metric, measure.value).second)
        << measure.part << " " << measure.metric << " is told twice";
  }
  [[nodiscard]] double at(const std::string& key) const { return values_.at(key); }
  [[nodiscard]] bool has(const std::string& key) const { return values_.count(key) > 0; }

 private:
  std::map<std::string, double> values_;
};

Collected run(const std::string& graph, const ToggleSettings& settings,
              const CsrGraph* csr = nullptr) {
  const EngineInfo* info = find_engine("degree-separation");
  EXPECT_NE(info, nullptr);
  Toggles toggles(info->toggles);
  for (const auto& [name, value] : settings) toggles.set(name, value);
  Collected sink;
  GraphSource source;
  source.csr = csr;
  source.recipe = GraphName::parse(graph).canonical;
  info->count(source, toggles, sink);
  return sink;
}

TEST(DegreeSeparationCounter, CountsTheGraphThatTheRecipeNames) {
  const std::string kept = std::string("kronecker:scale=10") + kKept;
  const Collected stream = run(kept, {});
  EXPECT_EQ(stream.at("graph edges"), 32 * 1024);
  // Duplicates and self-loops dropped: such a graph is built, not streamed.
  const Collected built = run("kronecker:scale=10", {});
  const CsrGraph graph = load("kronecker:scale=10");
  EXPECT_EQ(built.at("graph edges"), static_cast<double>(graph.edge_count()));
  EXPECT_LT(built.at("graph edges"), stream.at("graph edges"));
  const Collected handed = run(kept, {}, &graph);
  EXPECT_EQ(handed.at("graph edges"), built.at("graph edges")) << "a CSR that is there is used";
}

TEST(DegreeSeparationCounter, TellsMemoryAndBalance) {
  const Collected one = run(std::string("kronecker:scale=10") + kKept,
                            {{"lowest", std::int64_t{16}}, {"highest", std::int64_t{16}}});
  EXPECT_DOUBLE_EQ(one.at("graph memory_edge_list"), 16.0 * 32 * 1024);
  EXPECT_DOUBLE_EQ(one.at("graph memory_csr"), 8.0 * 33 * 1024);
  EXPECT_DOUBLE_EQ(one.at("threshold=16 memory"), one.at("threshold=16 memory_table_i"));
  EXPECT_FALSE(one.has("threshold=16 gpu_edges_max"));
  const Collected four = run(
      std::string("kronecker:scale=10") + kKept,
      {{"ranks", std::int64_t{4}}, {"lowest", std::int64_t{16}}, {"highest", std::int64_t{16}}});
  EXPECT_GE(four.at("threshold=16 gpu_edges_max"), 8.0 * 1024);
  EXPECT_LE(four.at("threshold=16 gpu_edges_min"), 8.0 * 1024);
  EXPECT_DOUBLE_EQ(four.at("threshold=16 memory") - one.at("threshold=16 memory"),
                   8 * 3 * one.at("threshold=16 delegates"));
}

TEST(DegreeSeparationCounter, ExpectsScalesThatNoGraphHereHas) {
  const Collected expected = run("kronecker:scale=20", {{"method", std::string("expect")},
                                                        {"at_scale", std::int64_t{36}},
                                                        {"lowest", std::int64_t{512}},
                                                        {"highest", std::int64_t{512}}});
  EXPECT_EQ(expected.at("graph vertices"), std::ldexp(1, 36));
  EXPECT_EQ(expected.at("threshold=512 offset_width_dd"), 8);
}

TEST(DegreeSeparationCounter, RefusesWhatItCannotCount) {
  EXPECT_THROW(run("star:vertices=9", {{"method", std::string("expect")}}), InputError);
  EXPECT_THROW(run("star:vertices=9", {{"lowest", std::int64_t{8}}, {"highest", std::int64_t{4}}}),
               InputError);
}

}  // namespace
}  // namespace bfslab::tests
