// SPDX-License-Identifier: Apache-2.0
// Faults of asynchronous bottom-up when it is implemented naively
// (docs/errata.md#xbfs-async), each on a graph whose answer is wrong then. Queues are longer than
// the threads of any GPU, so that what is first in a queue is found before what is last in it
// looks. The list of unvisited vertices and first neighbours, which are never asynchronous, take
// the same graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gpu_parts.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

constexpr vertex_t kMoreThanThreads = 300'000;  // an H200 runs 270,336 at once

using Edges = std::vector<std::pair<vertex_t, vertex_t>>;

class EarlyFinds final : public LevelSink {
 public:
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& start) override { starts.push_back(start); }
  void end(const LevelFacts& fact) override { facts.push_back(fact); }

  [[nodiscard]] std::uint64_t early() const {
    std::uint64_t sum = 0;
    for (const LevelFacts& fact : facts) sum += fact.found_early_vertices.value();
    return sum;
  }

  std::vector<LevelStart> starts;
  std::vector<LevelFacts> facts;
};

Toggles settings(const char* balance, double alpha) {
  Toggles toggles(find_engine("xbfs")->toggles);
  toggles.set("balance", std::string(balance));
  toggles.set("alpha", alpha);
  const bool by_first = balance == std::string("first_neighbors");
  toggles.set("async", balance != std::string("unvisited_list") && !by_first);
  toggles.set("no_generation", !by_first);
  return toggles;
}

EarlyFinds watch(const Toggles& toggles, const CsrGraph& graph, vertex_t source) {
  const auto engine = find_engine("xbfs")->make({.toggles = toggles, .answer = Answer::both});
  engine->load({.csr = &graph, .recipe = ""});
  EarlyFinds sink;
  engine->traverse(source, &sink);
  return sink;
}

// Tests the toggles with the host and with the GPU driving the levels.
void take_all(const Exam& exam, Toggles toggles, const CsrGraph& graph) {
  for (const char* launch : {"host", "graph", "persistent"}) {
    SCOPED_TRACE(launch);
    toggles.set("launch", std::string(launch));
    if (!is_legal(*find_engine("xbfs"), toggles)) continue;
    exam.take(*find_engine("xbfs"), {toggles, Answer::both}, graph);
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <typename Part, std::size_t kRows>
std::vector<const char*> names_of(const Part (&table)[kRows]) {
  std::vector<const char*> names;
  for (const Part& part : table) names.push_back(part.name);
  return names;
}

class XbfsTraps : public RunsHere<const char*> {};

INSTANTIATE_TEST_SUITE_P(Balance, XbfsTraps, testing::ValuesIn(names_of(cuda::kBalances)),
                         [](const auto& param) { return std::string(param.param); });

// A hub with 2 million leaves, and tails of four vertices on 300,000 of them. Bottom-up finds the
// tails' second vertices early, then their level is too small for it: top-down claims only what is
// unvisited, so without seeding they would never be expanded, and the rest of the tails is lost.
TEST_P(XbfsTraps, EarlyFindsEnterTheQueueOfTheSwitchToTopDown) {
  constexpr vertex_t kLeaves = 2'000'000;
  constexpr vertex_t kTails = kMoreThanThreads;
  Edges edges;
  for (vertex_t leaf = 1; leaf <= kLeaves; ++leaf) edges.emplace_back(0, leaf);
  for (vertex_t i = 0; i < kTails; ++i) {
    vertex_t before = 1 + i;
    for (vertex_t k = 0; k < 4; ++k) {
      const vertex_t here = 1 + kLeaves + k * kTails + i;
      edges.emplace_back(before, here);
      before = here;
    }
  }
  const auto graph = make_graph(1 + kLeaves + 4 * kTails, edges);
  const Exam exam(*graph, {0});
  struct Frontiers {
    const char* queue;
    std::string expand;
    bool scan_free = true;
  };
  std::vector<Frontiers> all{
      {"central", "degree_classes", false}, {"hierarchical", "thread"},
      {"hierarchical", "merge_path"},       {"decentralized", "virtual_warp"},
      {"decentralized", "thread_warp_cta"}, {"adaptive", "degree_classes"},
      {"adaptive", "virtual_warp", false},  {"adaptive", "load_balanced"}};
  // Each expansion once from a central queue, every other one without scan-free.
  const auto& expand = std::ranges::find(find_engine("xbfs")->toggles, "expand", &Toggle::name);
  for (const std::string& name : expand->choices) {
    all.push_back({"central", name, all.size() % 2 == 0});
  }
  for (const bool no_generation : {true, false}) {
    for (const Frontiers& frontiers : all) {
      Toggles toggles = settings(GetParam(), 0.1);
      toggles.set("no_generation", no_generation);
      toggles.set("queue", std::string(frontiers.queue));
      toggles.set("expand", frontiers.expand);
      toggles.set("scan_free", frontiers.scan_free);
      if (!is_legal(*find_engine("xbfs"), toggles)) continue;
      take_all(exam, toggles, *graph);
      if (HasFatalFailure()) return;
      const EarlyFinds seen = watch(toggles, *graph, 0);
      ASSERT_GE(seen.starts.size(), 4U);
      EXPECT_EQ(seen.starts[1].direction, Direction::bottom_up);
      EXPECT_EQ(seen.starts[2].direction, Direction::top_down);
      // Found by the last bottom-up level for the one after the switch.
      EXPECT_EQ(seen.facts[2].found_early_vertices.value() > 0, toggles.flag("async"));
    }
  }
}

// A hub, leaves, and one tail whose vertices come last in every queue: each is found early, so
// every bottom-up level finds nothing itself. A search that ends there loses the rest of the tail.
TEST_P(XbfsTraps, ALevelThatFindsNothingIsNotTheLast) {
  constexpr vertex_t kLeaves = 4 * kMoreThanThreads;
  constexpr vertex_t kTail = 40;
  Edges edges;
  for (vertex_t leaf = 1; leaf <= kLeaves; ++leaf) edges.emplace_back(0, leaf);
  vertex_t before = 1;
  for (vertex_t k = 1; k <= kTail; ++k) {
    edges.emplace_back(before, kLeaves + k);
    before = kLeaves + k;
  }
  const auto graph = make_graph(1 + kLeaves + kTail, edges);
  const Exam exam(*graph, {0});
  take_all(exam, settings(GetParam(), 0), *graph);
  if (HasFatalFailure()) return;
  const Toggles toggles = settings(GetParam(), 0);
  EXPECT_EQ(watch(toggles, *graph, 0).early() > 0, toggles.flag("async"));
}

// Vertices whose rows hold many neighbours of their own level, found by the running level, and one
// of the level before, last in the row. Lanes that share a row must all have looked before one of
// them takes the vertex for a level too late.
TEST_P(XbfsTraps, ANeighbourAboveCountsBeforeNeighboursBeside) {
  constexpr vertex_t kEach = 200;
  Edges edges;
  const std::vector<vertex_t> degrees{20, 31, 40, 255, 300, 2'000};
  const vertex_t source = kMoreThanThreads + kEach * static_cast<vertex_t>(degrees.size());
  for (vertex_t v = 0; v < source; ++v) edges.emplace_back(v, source);
  vertex_t v = kMoreThanThreads;
  for (const vertex_t degree : degrees) {
    for (vertex_t i = 0; i < kEach; ++i, ++v) {
      for (vertex_t k = 0; k < degree; ++k) edges.emplace_back(v, (i * 37 + k * 11) % 100'000);
    }
  }
  const auto graph = make_graph(source + 1, edges);
  const Exam exam(*graph, {source});
  for (const bool hub_cache : {false, true}) {
    Toggles toggles = settings(GetParam(), 0);
    toggles.set("hub_cache", hub_cache);
    for (int again = 0; again < 5; ++again) {
      take_all(exam, toggles, *graph);
      if (HasFatalFailure()) return;
    }
  }
}

// A queue longer than the grid: a counter that wraps, or whose value is taken for a vertex, leaves
// entries out (Algorithm 1 as printed does both).
TEST_P(XbfsTraps, EveryEntryOfALongQueueIsHandedOut) {
  constexpr vertex_t kLeaves = 3 * kMoreThanThreads + 7;
  Edges edges;
  for (vertex_t leaf = 1; leaf <= kLeaves; ++leaf) edges.emplace_back(0, leaf);
  const auto graph = make_graph(1 + kLeaves, edges);
  const Exam exam(*graph, {0, kLeaves});
  for (const bool async : {false, true}) {
    Toggles toggles = settings(GetParam(), 0);
    toggles.set("async", async);
    take_all(exam, toggles, *graph);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace bfslab::tests
