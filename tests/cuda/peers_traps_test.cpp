// SPDX-License-Identifier: Apache-2.0
// Where the reimplemented peers could go wrong and no small graph shows it: directions that change
// and change back, lists that are made anew level after level, rows of a million edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using Edges = std::vector<std::pair<vertex_t, vertex_t>>;

class Directions final : public LevelSink {
 public:
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& start) override {
    text += start.direction == Direction::top_down ? 'd' : 'u';
  }
  void end(const LevelFacts& facts) override { found.push_back(facts.found_vertices.value()); }

  std::string text;  // a letter a level: down, up
  std::vector<std::uint64_t> found;
};

class PeerTraps : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  }

  static Toggles gunrock(double do_a, double do_b) {
    Toggles toggles(find_engine("gunrock")->toggles);
    toggles.set("do_a", do_a);
    toggles.set("do_b", do_b);
    return toggles;
  }

  static Directions watch(const Toggles& toggles, const CsrGraph& graph, vertex_t source) {
    const auto engine = find_engine("gunrock")->make({.toggles = toggles, .answer = Answer::both});
    engine->load({.csr = &graph, .recipe = ""});
    Directions sink;
    engine->traverse(source, &sink);
    return sink;
  }

  // All ways of an advance, of claiming and of launching.
  static void expect_right(Toggles toggles, const CsrGraph& graph, vertex_t source) {
    const Exam exam(graph, {source});
    const auto& found =
        std::ranges::find(find_engine("gunrock")->toggles, "advance", &Toggle::name);
    for (const std::string& advance : found->choices) {
      for (const bool idempotent : {true, false}) {
        for (const char* launch : {"host", "persistent"}) {
          toggles.set("advance", advance);
          toggles.set("idempotent", idempotent);
          toggles.set("launch", std::string(launch));
          exam.take(*find_engine("gunrock"), {toggles, Answer::both}, graph);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
};

// A path to a hub, leaves, and tails on some of them: the leaves are pulled, the tails pushed. A
// push that takes up a stale list of candidates, or a queue that pulling has not filled, loses
// tails or ends. The path lets the directions change at even and at odd levels.
TEST_F(PeerTraps, PushTakesUpWherePullEnds) {
  constexpr vertex_t kLeaves = 200'000;
  constexpr vertex_t kTails = 20'000;
  constexpr vertex_t kTail = 7;
  for (const vertex_t path : {0U, 1U, 2U, 3U}) {
    SCOPED_TRACE(path);
    Edges edges;
    const vertex_t hub = path;
    for (vertex_t v = 0; v < path; ++v) edges.emplace_back(v, v + 1);
    for (vertex_t i = 1; i <= kLeaves; ++i) edges.emplace_back(hub, hub + i);
    for (vertex_t i = 0; i < kTails; ++i) {
      vertex_t before = hub + 1 + i;
      for (vertex_t k = 0; k < kTail; ++k) {
        const vertex_t here = hub + 1 + kLeaves + k * kTails + i;
        edges.emplace_back(before, here);
        before = here;
      }
    }
    const auto graph = make_graph(hub + 1 + kLeaves + kTail * kTails, edges);
    const Toggles toggles = gunrock(0.001, 1);
    expect_right(toggles, *graph, 0);
    if (HasFatalFailure()) return;
    // The source's level, the path and the hub push, the leaves are pulled from; tails push again.
    std::string wanted(path + 1, 'd');
    wanted += 'u' + std::string(kTail, 'd');
    const Directions seen = watch(toggles, *graph, 0);
    EXPECT_EQ(seen.text, wanted);
    EXPECT_EQ(seen.found.at(path + 1), kTails);
  }
}

// Pulling that finds nothing ends the traversal, although unvisited vertices are left.
TEST_F(PeerTraps, APullThatFindsNothingIsTheLast) {
  constexpr vertex_t kLeaves = 5'000;
  Edges edges;
  for (vertex_t leaf = 1; leaf <= kLeaves; ++leaf) edges.emplace_back(0, leaf);
  for (vertex_t v = kLeaves + 1; v < 3 * kLeaves; ++v) edges.emplace_back(v, v + 1);
  const auto graph = make_graph(3 * kLeaves + 1, edges);
  const Toggles toggles = gunrock(0, 0);
  expect_right(toggles, *graph, 0);
  if (HasFatalFailure()) return;
  EXPECT_EQ(watch(toggles, *graph, 0).text, "du");
}

// Lists, their counts and bitmaps are used again every two to four levels: a thousand levels of
// pulling, each of which finds few.
TEST_F(PeerTraps, AThousandPulls) {
  constexpr vertex_t kLong = 1'000;
  constexpr vertex_t kWide = 40;
  Edges edges;
  for (vertex_t x = 0; x < kLong; ++x) {
    for (vertex_t y = 0; y < kWide; ++y) {
      if (x + 1 < kLong) edges.emplace_back(x * kWide + y, (x + 1) * kWide + y);
      if (y + 1 < kWide) edges.emplace_back(x * kWide + y, x * kWide + y + 1);
    }
  }
  const auto graph = make_graph(kLong * kWide, edges);
  expect_right(gunrock(0, 0), *graph, 17);
}

// Unvisited hubs whose only visited neighbour comes last in rows of 50,000 and of a million: by
// threads for a while, then by warps. Then hubs are expanded, or pulled from by all their leaves.
TEST_F(PeerTraps, RowsOfAMillionEdges) {
  constexpr vertex_t kHubs = 40;
  constexpr vertex_t kEach = 50'000;
  constexpr vertex_t kMany = 1'000'000;
  Edges edges;
  const vertex_t hubs = kMany;
  const vertex_t middle = hubs + kHubs + 1;
  const vertex_t source = middle + 1;
  for (vertex_t h = 0; h < kHubs; ++h) {
    for (vertex_t i = 0; i < kEach; ++i) {
      edges.emplace_back(hubs + h, (h * 20'000 + i) % kMany);
    }
    edges.emplace_back(hubs + h, middle);
  }
  for (vertex_t i = 0; i < kMany; ++i) edges.emplace_back(hubs + kHubs, i);
  edges.emplace_back(hubs + kHubs, middle);
  edges.emplace_back(middle, source);
  const auto graph = make_graph(source + 1, edges);
  for (const double do_a : {0.0, 1000.0}) {
    expect_right(gunrock(do_a, 0), *graph, source);
    if (HasFatalFailure()) return;
  }
  const Exam exam(*graph, {source});
  for (const std::int64_t split : {1, 10, 1024}) {
    for (const bool strided : {true, false}) {
      for (const bool worklist : {false, true}) {
        Toggles toggles(find_engine("tigr")->toggles);
        toggles.set("split", split);
        toggles.set("strided", strided);
        toggles.set("worklist", worklist);
        exam.take(*find_engine("tigr"), {toggles, Answer::both}, *graph);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
