// SPDX-License-Identifier: Apache-2.0
// The shorter ways of `fused` from level to level: sweeps that leave labels to bottom-up, its lists
// of few vertices, the source's row read by all blocks, leaves apart, and marks of first parents.
// Small graphs of the zoo have too few edges for a sweep, and too few leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "datasets/load_graph.hpp"
#include "kernels/engine.hpp"
#include "tests/cuda/fused_graphs.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using Edges = std::vector<std::pair<vertex_t, vertex_t>>;

constexpr const char* kShorter[] = {"late_labels", "list_few", "first_row", "leaves_apart",
                                    "first_parents"};

// By degree, in the device's memory. `on`: the toggles of kShorter by their bits.
Toggles settings(unsigned on) {
  Toggles toggles(find_engine("fused")->toggles);
  toggles.set("order", std::string("degree"));
  toggles.set("resident", std::string("never"));
  for (unsigned i = 0; i < std::size(kShorter); ++i) {
    toggles.set(kShorter[i], (on >> i & 1U) != 0);
  }
  return toggles;
}
constexpr unsigned kEverything = (1U << std::size(kShorter)) - 1;

struct Level {
  Direction direction;
  std::uint64_t frontier;
  std::uint64_t edges;
  std::string technique;
};

// The levels of a search, driven by the host if `live`, and otherwise as the kernel's log has them.
class Levels final : public LevelSink {
 public:
  explicit Levels(bool live) : live_(live) {}
  [[nodiscard]] bool live() const override { return live_; }
  [[nodiscard]] bool counts() const override { return live_; }
  [[nodiscard]] bool times() const override { return true; }
  void begin(const LevelStart& start) override {
    seen.push_back({start.direction, start.frontier_vertices, 0, start.technique});
  }
  void end(const LevelFacts& facts) override {
    seen.back().edges = facts.frontier_edges.value_or(0);
  }

  std::vector<Level> seen;

 private:
  bool live_;
};

std::vector<Level> levels_of(const CsrGraph& graph, const Toggles& toggles, vertex_t source,
                             bool live) {
  const auto engine = find_engine("fused")->make({.toggles = toggles, .answer = Answer::levels});
  engine->load({.csr = &graph, .recipe = ""});
  Levels sink(live);
  engine->traverse(source, &sink);
  return sink.seen;
}

std::vector<std::uint64_t> frontiers(const std::vector<Level>& levels) {
  std::vector<std::uint64_t> sizes;
  for (const Level& level : levels) sizes.push_back(level.frontier);
  return sizes;
}

struct Leafy {
  const char* name;
  vertex_t vertices;
  Edges edges;
  std::vector<vertex_t> sources;
};

Edges star(vertex_t hub, vertex_t first, vertex_t leaves) {
  Edges edges;
  for (vertex_t leaf = first; leaf < first + leaves; ++leaf) edges.emplace_back(hub, leaf);
  return edges;
}

// Stars of more and of fewer than 32 leaves, a path whose vertices have a leaf each, pairs, loops
// of a leaf, of a hub and of a vertex without another edge, and one isolated vertex.
std::vector<Leafy> leafy_graphs() {
  std::vector<Leafy> graphs;
  graphs.push_back({"pair", 2, {{0, 1}}, {0, 1}});
  graphs.push_back({"loop", 1, {{0, 0}}, {0}});
  graphs.push_back({"path_of_3", 3, {{0, 1}, {1, 2}}, {0, 1, 2}});
  graphs.push_back({"star", 41, star(0, 1, 40), {0, 1, 40}});
  graphs.push_back({"large_star", 5001, star(5000, 0, 5000), {0, 4999, 5000}});
  Edges comb;  // with leaves on more levels than a block counts by itself
  for (vertex_t v = 0; v < 80; ++v) {
    comb.emplace_back(v, 80 + v);
    if (v > 0) comb.emplace_back(v - 1, v);
  }
  graphs.push_back({"comb", 160, comb, {0, 40, 79, 80, 159}});
  Edges mixed = star(0, 1, 1500);
  for (const auto& edge : star(2000, 2001, 20)) mixed.push_back(edge);
  const Edges others{{0, 2000},    {0, 1600},    {1600, 1601}, {1601, 1602}, {1602, 1603},
                     {1610, 1611}, {1612, 1613}, {1614, 1614}, {0, 0},       {1603, 1603},
                     {2000, 1700}, {2000, 1700}, {1700, 1701}, {1620, 1621}, {1621, 1622},
                     {1622, 1620}, {1620, 1623}};
  mixed.insert(mixed.end(), others.begin(), others.end());
  graphs.push_back({"mixed",
                    2100,
                    mixed,
                    {0, 1, 1500, 1603, 1610, 1611, 1613, 1614, 1623, 1701, 2000, 2020, 2099}});
  return graphs;
}

class FusedLevels : public RunsHere<unsigned> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedLevels);

INSTANTIATE_TEST_SUITE_P(Shorter, FusedLevels,
                         testing::Values(0, 1, 2, 4, 8, 10, 12, 16, 24, kEverything),
                         [](const auto& param) { return "set_" + std::to_string(param.param); });

TEST_P(FusedLevels, LeavesPairsAndLoopsAreLabelledAndLogged) {
  const EngineInfo& info = *find_engine("fused");
  for (const Leafy& leafy : leafy_graphs()) {
    SCOPED_TRACE(leafy.name);
    const auto graph = make_graph(leafy.vertices, leafy.edges, true, false);
    const Exam exam(*graph, leafy.sources);
    for (const bool cluster : {true, false}) {
      for (const bool small : {true, false}) {
        if (cluster && !small) continue;
        Toggles toggles = settings(GetParam());
        toggles.set("cluster", cluster);
        toggles.set("small", small);
        Toggles plain = settings(0);
        plain.set("cluster", cluster);
        plain.set("small", small);
        for (const vertex_t source : leafy.sources) {
          EXPECT_EQ(frontiers(levels_of(*graph, toggles, source, false)),
                    frontiers(levels_of(*graph, plain, source, false)))
              << "source " << source;
        }
        for (const char* map_back : {"in_time", "after"}) {
          toggles.set("map_back", std::string(map_back));
          toggles.set("searches", std::int64_t{64});
          for (const Answer answer : answers_of(info)) exam.take(info, {toggles, answer}, *graph);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_P(FusedLevels, DirectionsChangeAnywhere) {
  const EngineInfo& info = *find_engine("fused");
  const auto graph = kronecker_of(15);
  const std::vector<vertex_t> sources = kinds_of_sources(*graph);
  const Exam exam(*graph, sources);
  for (const double alpha : {0.0, 0.01, 0.5, 100.0}) {
    for (const double beta : {1024.0, 8.0, 2.0}) {
      for (const bool small : {true, false}) {
        Toggles toggles = settings(GetParam());
        toggles.set("alpha", alpha);
        toggles.set("beta", beta);
        toggles.set("small", small);
        if (!small) toggles.set("cluster", false);
        toggles.set("searches", std::int64_t{8});
        exam.take(info, {toggles, small ? Answer::both : Answer::levels}, *graph);
        if (HasFailure()) return;
      }
    }
  }
}

// Three sets of vertices of many edges each, with one vertex before, between and after them, and a
// few vertices that lead to a last one. Levels of many edges and of few take turns.
std::shared_ptr<const CsrGraph> waists(vertex_t wide, vertex_t few) {
  Edges edges;
  vertex_t waist = 0;
  for (unsigned set = 0; set < 3; ++set) {
    const vertex_t next = waist + wide + 1;
    for (vertex_t v = waist + 1; v < next; ++v) {
      edges.emplace_back(waist, v);
      edges.emplace_back(v, next);
      if (v + 1 < next) edges.emplace_back(v, v + 1);
    }
    waist = next;
  }
  const vertex_t last = waist + few + 1;
  for (vertex_t v = waist + 1; v < last; ++v) {
    edges.emplace_back(waist, v);
    edges.emplace_back(v, last);
  }
  return make_graph(last + 1, edges, true, false);
}

// A level that claims leaves no copy of the visited bits for the sweep after it.
TEST_P(FusedLevels, LevelsOfManyAndOfFewEdgesTakeTurns) {
  const EngineInfo& info = *find_engine("fused");
  const auto graph = waists(100'000, 1'000);
  const std::vector<vertex_t> sources{0, graph->vertex_count() - 1, 150'000};
  const Exam exam(*graph, sources);
  for (const double alpha : {0.0, 0.001}) {
    for (const bool small : {true, false}) {
      Toggles toggles = settings(GetParam());
      toggles.set("alpha", alpha);
      toggles.set("small", small);
      if (!small) toggles.set("cluster", false);
      exam.take(info, {toggles, Answer::both}, *graph);
      if (HasFailure()) return;
    }
  }
}

// The alphas by which the level after `level` goes bottom-up and top-down, and `level` top-down.
struct Alphas {
  std::size_t level = 0;
  double up = 0;
  double down = 0;
};

// Returns the first level of more edges than levels that make no sweep have.
Alphas alphas_of_a_sweep(const std::vector<Level>& levels, edge_t edges) {
  constexpr std::uint64_t kClaimed = 262'144;
  double left = static_cast<double>(edges);
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    left -= static_cast<double>(levels[l].edges);
    if (levels[l].edges <= kClaimed) continue;
    const auto next = static_cast<double>(levels[l + 1].edges);
    const double highest = left / static_cast<double>(levels[l].edges);
    const double lowest = (left - next) / next;
    return {.level = l, .up = (highest + lowest) / 2, .down = lowest / 2};
  }
  return {};
}

TEST_P(FusedLevels, SweepsOfManyEdgesRunBeforeBothDirections) {
  const EngineInfo& info = *find_engine("fused");
  const auto graph = kronecker_of(16);
  const vertex_t source = kinds_of_sources(*graph)[2];
  const Exam exam(*graph, {source});
  Toggles plain = settings(0);
  plain.set("bottom_up", false);
  const std::vector<Level> truth = levels_of(*graph, plain, source, true);
  const Alphas alphas = alphas_of_a_sweep(truth, graph->edge_count());
  ASSERT_GT(alphas.down, 0) << "no level has enough edges";
  for (const bool up : {true, false}) {
    Toggles toggles = settings(GetParam());
    toggles.set("alpha", up ? alphas.up : alphas.down);
    exam.take(info, {toggles, Answer::both}, *graph);
    toggles = settings(GetParam() & 1U);  // the host drives levels without the others
    toggles.set("alpha", up ? alphas.up : alphas.down);
    for (const bool live : {true, false}) {
      const std::vector<Level> levels = levels_of(*graph, toggles, source, live);
      ASSERT_EQ(frontiers(levels), frontiers(truth));
      EXPECT_EQ(levels[alphas.level].direction, Direction::top_down);
      EXPECT_EQ(levels[alphas.level + 1].direction,
                up ? Direction::bottom_up : Direction::top_down);
    }
    if (HasFailure()) return;
  }
}

// With cuts at a few neighbours already, most levels cut rows: before bottom-up, before another
// level top-down, with and without parents.
TEST_P(FusedLevels, RowsAreCutWhereTheyAreLong) {
  const EngineInfo& info = *find_engine("fused");
  for (const int scale : {12, 16}) {
    const auto graph = kronecker_of(scale);
    const std::vector<vertex_t> sources = kinds_of_sources(*graph);
    const Exam exam(*graph, sources);
    Toggles down = settings(GetParam());
    down.set("cut_degree", std::int64_t{1});
    down.set("alpha", 0.001);
    const std::vector<Level> levels = levels_of(*graph, down, sources.back(), false);
    EXPECT_TRUE(std::ranges::any_of(
        levels, [](const Level& level) { return level.technique == "cut_rows"; }));
    for (const std::int64_t degree : {1, 8, 64}) {
      for (const double alpha : {0.0, 0.01, 1.0}) {
        Toggles toggles = settings(GetParam());
        toggles.set("cut_degree", degree);
        toggles.set("alpha", alpha);
        toggles.set("small", alpha > 0);
        if (alpha == 0) toggles.set("cluster", false);
        exam.take(info, {toggles, Answer::both}, *graph);
        toggles.set("searches", std::int64_t{8});
        exam.take(info, {toggles, Answer::levels}, *graph);
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
