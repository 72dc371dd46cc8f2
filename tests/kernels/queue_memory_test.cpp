// SPDX-License-Identifier: Apache-2.0
// Queue bytes by design: dfq's own numbers, and the vertices that they count.
#include "kernels/count/queue_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"
#include "kernels/engine.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using count::count_connected;
using count::queue_bytes;

TEST(QueueMemory, DfqG2048Is067MegabytesAsInTableII) {
  const auto bytes = queue_bytes(1, {});
  EXPECT_EQ(bytes.decentralized, 82 * 2048 * 4);
  EXPECT_EQ(std::round(bytes.decentralized / 1e4), 67);
}

TEST(QueueMemory, DesignsAreMultiplesOfTheCentralQueue) {
  const auto bytes = queue_bytes(1000, {.sub_queues = 10, .capacity = 7, .hierarchy = 3});
  EXPECT_EQ(bytes.central, 4000);
  EXPECT_EQ(bytes.naive, 40000);
  EXPECT_EQ(bytes.hierarchical, 12000);
  EXPECT_EQ(bytes.decentralized, 280);
}

TEST(QueueMemory, CountsVerticesThatHaveAnEdge) {
  const auto both = make_graph(6, {{0, 1}, {1, 2}});
  EXPECT_EQ(count_connected(*both, 2), 3U);
  const auto directed = make_graph(6, {{0, 1}, {4, 1}}, false);
  EXPECT_EQ(count_connected(*directed, 2), 3U) << "an edge into a vertex counts too";
}

TEST(QueueMemory, AStreamCountsAsItsCsrDoes) {
  for (const std::string loops : {"drop", "keep"}) {
    // Sparse, and heavy on the diagonal: some vertices have no edge but a self-loop.
    const std::string text =
        "kronecker:scale=12,edge_factor=1,a=0.7,b=0.05,c=0.05,self_loops=" + loops;
    const GraphName name = GraphName::parse(text);
    const CsrGraph graph = load_graph(name, {});
    const auto stream = find_generator(name.kind)->make(name);
    for (const int threads : {1, 2, 5}) {
      EXPECT_EQ(count_connected(*stream, loops == "keep", threads), count_connected(graph, threads))
          << loops;
    }
  }
}

std::map<std::string, double> measures_of(const std::string& graph,
                                          const ToggleSettings& settings) {
  struct Sink final : MeasureSink {
    void measure(const Measure& measure) override {
      values[measure.part + " " + measure.metric] = measure.value;
    }
    std::map<std::string, double> values;
  } sink;
  const EngineInfo* info = find_engine("queue-memory");
  Toggles toggles(info->toggles);
  for (const auto& [name, value] : settings) toggles.set(name, value);
  GraphSource source;
  source.recipe = GraphName::parse(graph).canonical;
  info->count(source, toggles, sink);
  return sink.values;
}

TEST(QueueMemoryCounter, ExpectationIsNearTheCount) {
  const auto counted = measures_of("kronecker:scale=16,self_loops=keep", {});
  const auto expected =
      measures_of("kronecker:scale=16,self_loops=keep", {{"method", std::string("expect")}});
  const double vertices = counted.at("graph non_isolated_vertices");
  EXPECT_NEAR(expected.at("graph non_isolated_vertices"), vertices, 5 * std::sqrt(vertices));
  EXPECT_EQ(counted.at("central queue_bytes"), 4 * vertices);
}

// Table II's BASE: 0.69, 2.58, 9.58 and 131.21 MB of 10^6 bytes at scales 18, 20, 22 and 26. Its
// generator and seed are not ours, so not to the last digit; the 18.44 of scale 24 contradicts the
// rest (docs/errata.md#dfq-table-ii).
TEST(QueueMemoryCounter, ComesNearTableIIExceptAtScale24) {
  const std::map<int, double> printed = {{18, 0.69}, {20, 2.58}, {22, 9.58}, {26, 131.21}};
  for (const auto& [scale, megabytes] : printed) {
    const auto expected = measures_of("kronecker:scale=10", {{"method", std::string("expect")},
                                                             {"at_scale", std::int64_t{scale}}});
    EXPECT_NEAR(expected.at("central queue_bytes") / 1e6, megabytes, 0.02 * megabytes) << scale;
  }
  const auto at_24 = measures_of(
      "kronecker:scale=10", {{"method", std::string("expect")}, {"at_scale", std::int64_t{24}}});
  EXPECT_NEAR(at_24.at("central queue_bytes") / 1e6 / 18.44, 2, 0.15);
}

TEST(QueueMemoryCounter, RoomForAllVerticesOnRequest) {
  const auto all = measures_of("star:vertices=9", {{"vertices", std::string("all")}});
  EXPECT_EQ(all.at("central queue_bytes"), 36);
}

}  // namespace
}  // namespace bfslab::tests
