// SPDX-License-Identifier: Apache-2.0
// xbfs's baseline, Enterprise, as published and in fewer steps: what each looks at and launches, by
// counts, and that every technique of the published one may be taken out, or taken alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

constexpr vertex_t kLeaves = 70'000;
constexpr vertex_t kBranches = 300;
constexpr vertex_t kTwigs = 40;  // of a branch
constexpr vertex_t kIsolated = 1'000;

constexpr vertex_t kSource = 0;
constexpr vertex_t kHub = 1 + kLeaves;
constexpr vertex_t kKnot = kHub + 1;
constexpr vertex_t kFirstBranch = kKnot + 1;
constexpr vertex_t kFirstTwig = kFirstBranch + kBranches;
constexpr vertex_t kVertices = kFirstTwig + kBranches * kTwigs + kIsolated;

// Vertices of all four degree classes, in both directions: a source and a hub that share 70,000
// leaves; 300 branches at the hub, with 40 twigs each; a knot of all branches; and vertices without
// edges.
auto thicket() {
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t leaf = 1; leaf <= kLeaves; ++leaf) {
    edges.emplace_back(kSource, leaf);
    edges.emplace_back(leaf, kHub);
  }
  for (vertex_t b = 0; b < kBranches; ++b) {
    edges.emplace_back(kHub, kFirstBranch + b);
    edges.emplace_back(kFirstBranch + b, kKnot);
    for (vertex_t t = 0; t < kTwigs; ++t) {
      edges.emplace_back(kFirstBranch + b, kFirstTwig + b * kTwigs + t);
    }
  }
  return make_graph(kVertices, edges);
}

struct SeenLevel {
  LevelStart start;
  LevelFacts facts;
  std::map<std::string, double> measures;

  [[nodiscard]] bool up() const { return start.direction == Direction::bottom_up; }
};

class Counts final : public LevelSink {
 public:
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& start) override { levels.push_back({start, {}, {}}); }
  void end(const LevelFacts& facts) override { levels.back().facts = facts; }
  void measure(const Measure& measure) override {
    levels.back().measures[measure.metric] = measure.value;
  }

  std::vector<SeenLevel> levels;
};

const EngineInfo& xbfs() { return *find_engine("xbfs"); }

Toggles preset(const std::string& name, const ToggleSettings& over = {}) {
  Toggles toggles(xbfs().toggles);
  const auto found = std::ranges::find(xbfs().presets, name, &Preset::name);
  for (const auto& [toggle, value] : found->settings) toggles.set(toggle, value);
  for (const auto& [toggle, value] : over) toggles.set(toggle, value);
  return toggles;
}

std::vector<SeenLevel> levels_seen(const Toggles& toggles, const CsrGraph& graph, vertex_t source) {
  const auto engine = xbfs().make({.toggles = toggles, .answer = Answer::levels});
  engine->load({.csr = &graph, .recipe = ""});
  Counts sink;
  engine->traverse(source, &sink);
  return sink.levels;
}

class XbfsBaseline : public RunsHere<const char*> {};

INSTANTIATE_TEST_SUITE_P(Thicket, XbfsBaseline, testing::Values("source", "twig"),
                         [](const auto& param) { return std::string(param.param); });

vertex_t source_named(const std::string& name) { return name == "twig" ? kFirstTwig : kSource; }

// A scan of the statuses, and for each class a prefix sum, which is two kernels of CUB's, a copy,
// and an expansion or a look.
constexpr double kGather = 1 + 4 * (2 + 1);
constexpr double kClassKernels = 4;

TEST_P(XbfsBaseline, AsPublishedByCounts) {
  const auto graph = thicket();
  const auto entries = static_cast<double>(graph->edge_count());
  const std::vector<SeenLevel> levels =
      levels_seen(preset("enterprise"), *graph, source_named(GetParam()));
  bool goes_up = false;
  for (const SeenLevel& level : levels) {
    SCOPED_TRACE("level " + std::to_string(level.start.level));
    const bool first = level.start.level == 0;
    const auto edges = static_cast<double>(level.facts.frontier_edges.value());
    goes_up = goes_up || (!first && edges >= 0.3 * entries);
    EXPECT_EQ(level.up(), goes_up);
    EXPECT_STREQ(level.start.technique, "bins");
    EXPECT_EQ(level.measures.at("kernels"), kGather + kClassKernels + (first ? kGather : 0));
    if (!level.up()) continue;
    EXPECT_EQ(level.measures.at("queued_unvisited"),
              static_cast<double>(level.facts.unvisited_vertices.value()));
    EXPECT_GE(level.measures.at("queued_unvisited"), kIsolated);
  }
  // From the source the hub is found bottom-up by the whole grid; from a twig it is expanded so.
  EXPECT_TRUE(goes_up);
  EXPECT_EQ(levels.at(1).up(), source_named(GetParam()) == kSource);
  EXPECT_TRUE(levels.back().up());
}

TEST_P(XbfsBaseline, TunedByCounts) {
  const auto graph = thicket();
  const std::vector<SeenLevel> levels =
      levels_seen(preset("enterprise_tuned"), *graph, source_named(GetParam()));
  bool was_up = false;
  bool returns = false;
  for (const SeenLevel& level : levels) {
    SCOPED_TRACE("level " + std::to_string(level.start.level));
    EXPECT_STREQ(level.start.technique, "prefix_sum");
    // A gathering counts, sums up and places.
    constexpr double kAll = 1 + 2 + 1;
    const bool gathers_first = was_up && !level.up();
    EXPECT_EQ(level.measures.at("kernels"), kAll + 1 + (gathers_first ? kAll : 0));
    returns = returns || gathers_first;
    was_up = level.up();
    if (!level.up()) continue;
    EXPECT_EQ(level.measures.at("queued_unvisited"),
              static_cast<double>(level.facts.unvisited_vertices.value() - kIsolated));
  }
  EXPECT_EQ(returns, source_named(GetParam()) == kSource);
}

TEST_P(XbfsBaseline, EveryTechniqueAloneAndTakenOut) {
  const auto graph = thicket();
  const Exam exam(*graph, {source_named(GetParam())});
  const std::vector<std::pair<const char*, std::pair<ToggleValue, ToggleValue>>> techniques{
      {"hub_cache", {true, false}},
      {"bins", {true, false}},
      {"class_kernels", {true, false}},
      {"edgeless", {true, false}},
      {"rule", {std::string("enterprise"), std::string("xbfs")}}};
  std::vector<Toggles> all{preset("enterprise"), preset("enterprise_tuned")};
  for (const auto& [name, values] : techniques) {
    all.push_back(preset("enterprise", {{name, values.second}}));
    all.push_back(preset("enterprise_tuned", {{name, values.first}}));
  }
  // The cases of Figure 11, each upon the last.
  ToggleSettings over = xbfs().groups.front().expansions.front().second;
  ASSERT_EQ(xbfs().groups.front().name, "ad");
  all.push_back(preset("enterprise", over));
  over.emplace_back("balance", std::string("thread"));
  all.push_back(preset("enterprise", over));
  over.emplace_back("async", true);
  all.push_back(preset("enterprise", over));
  all.push_back(preset("enterprise", {{"async", true}}));
  for (const Toggles& toggles : all) {
    ASSERT_TRUE(is_legal(xbfs(), toggles)) << toggles.text();
    for (const Answer answer : {Answer::levels, Answer::both}) {
      exam.take(xbfs(), {toggles, answer}, *graph);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
