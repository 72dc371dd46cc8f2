// SPDX-License-Identifier: Apache-2.0
// fused-gpus by up to eight members, which meet inside their kernels where each has its own GPU,
// and by their hosts where there are fewer GPUs: on the zoo, where directions change anywhere,
// where most vertices are leaves, and the rows of a level.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "datasets/load_graph.hpp"
#include "kernels/check_result.hpp"
#include "kernels/engine.hpp"
#include "kernels/unsupported.hpp"
#include "tests/distributed/gpu.hpp"
#include "tests/distributed/members.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab {
namespace {

constexpr unsigned kMaxMembers = 8;

// Numbers of GPUs for each rank, of up to eight members in all.
std::vector<unsigned> gpus_to_try() {
  std::vector<unsigned> all;
  for (const unsigned gpus : {1U, 2U, 3U, 5U, 8U}) {
    if (gpus * tests::processes().size() <= kMaxMembers) all.push_back(gpus);
  }
  return all;
}

class FusedGpus : public tests::NeedsGpu<> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (IsSkipped()) return;
    if (gpus_to_try().empty()) GTEST_SKIP() << "more ranks than members may be";
    if (tests::processes().size() == 1) return;
    // Not every machine lets one process map memory that another has on the same GPU.
    try {
      static_cast<void>(
          loaded(toggles(), Answer::levels, 1, {nullptr, "star:vertices=9", nullptr}));
    } catch (const Unsupported& refusal) {
      GTEST_SKIP() << refusal.what();
    }
  }

  static Toggles toggles() { return Toggles(find_engine("fused-gpus")->toggles); }

  static std::unique_ptr<Engine> loaded(const Toggles& toggles, Answer answer, unsigned gpus,
                                        const GraphSource& from) {
    auto engine = find_engine("fused-gpus")
                      ->make({.toggles = toggles,
                              .answer = answer,
                              .ranks = tests::processes().size(),
                              .gpus_per_rank = gpus,
                              .processes = &tests::processes()});
    engine->load(from);
    return engine;
  }

  static void expect_right(const CsrGraph& graph, vertex_t source, const CheckResult& found,
                           const AnswerView& answer) {
    SCOPED_TRACE("source " + std::to_string(source));
    const std::vector<level_t> truth = tests::reference_levels(graph, source);
    ASSERT_TRUE(found.ok) << found.reason;
    std::uint64_t entries = 0;
    for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
      if (truth[v] != kUnreached) entries += graph.degree(v);
    }
    ASSERT_EQ(found.component_edges, entries / 2);
    for (const AnswerPart& part : answer.parts) {
      if (part.levels == nullptr) continue;
      std::vector<level_t> levels(part.ids.count);
      gpu::copy_to_host(levels.data(), part.levels, levels.size() * sizeof(level_t));
      for (std::uint64_t i = 0; i < part.ids.count; ++i) {
        ASSERT_EQ(levels[i], truth[part.ids[i]]) << "vertex " << part.ids[i];
      }
    }
  }

  // Checks answers from all `sources`, one after the other.
  static void examine(const Toggles& toggles, Answer answer, unsigned gpus, const GraphSource& from,
                      const CsrGraph& graph, const std::vector<vertex_t>& sources) {
    SCOPED_TRACE(toggles.text() + ", GPUs: " + std::to_string(gpus));
    const auto engine = loaded(toggles, answer, gpus, from);
    for (const vertex_t source : sources) {
      engine->traverse(source);
      expect_right(graph, source, engine->check_in_place(source, true).value(), engine->answer());
      if (HasFailure()) return;
    }
  }

  // The same in a row, between single searches and twice: the answers of the last row are kept.
  static void examine_in_a_row(Toggles toggles, Answer answer, unsigned gpus,
                               const GraphSource& from, const CsrGraph& graph,
                               const std::vector<vertex_t>& sources) {
    toggles.set("searches", static_cast<std::int64_t>(sources.size()));
    SCOPED_TRACE(toggles.text() + ", GPUs: " + std::to_string(gpus));
    const auto engine = loaded(toggles, answer, gpus, from);
    ASSERT_EQ(engine->max_searches(), sources.size());
    std::vector<vertex_t> row = sources;
    for (int times = 0; times < 2; ++times) {
      engine->traverse(row.back());
      expect_right(graph, row.back(), engine->check_in_place(row.back(), true).value(),
                   engine->answer());
      const std::vector<double> ms = engine->search_many(row);
      ASSERT_EQ(ms.size(), row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        ASSERT_GT(ms[i], 0);
        ASSERT_LT(ms[i], engine->gpu_ms().value());
        expect_right(graph, row[i], engine->check_in_place_of(i, row[i], true).value(),
                     engine->answer_of(i));
        if (HasFailure()) return;
      }
      std::ranges::reverse(row);
      row.pop_back();  // fewer than the engine takes
    }
  }
};

// Each number of members, on all graphs of the zoo but directed ones, which are refused, and most
// of many levels, at each of which hosts may meet twice.
class FusedGpusOnTheZoo : public FusedGpus, public testing::WithParamInterface<unsigned> {};

TEST_P(FusedGpusOnTheZoo, AnswersRight) {
  const unsigned ranks = tests::processes().size();
  if (GetParam() % ranks != 0) GTEST_SKIP() << "ranks have equal numbers of GPUs";
  constexpr Answer kAnswers[] = {Answer::levels, Answer::parents, Answer::both};
  constexpr level_t kDeep = 70;
  unsigned turn = GetParam();
  unsigned deep_ones = 0;
  for (const std::string& family : tests::zoo_families()) {
    for (const tests::ZooGraph& item : tests::zoo_family(family)) {
      const CsrGraph& graph = *item.graph;
      if (!graph.symmetric() || item.size == tests::Size::deep) continue;
      const std::vector<level_t> truth = tests::reference_levels(graph, item.sources.front());
      const auto deep = [](level_t level) { return level != kUnreached && level > kDeep; };
      if (std::ranges::any_of(truth, deep) && ++deep_ones > 2) continue;
      SCOPED_TRACE(item.name);
      ++turn;
      Toggles set = toggles();
      set.set("leaves_apart", turn % 2 == 0);
      set.set("late_labels", turn % 3 > 0);
      set.set("first_row", turn % 4 > 0);
      set.set("map_back", std::string(turn % 5 < 3 ? "in_time" : "after"));
      examine(set, kAnswers[turn % 7 % 3], GetParam() / ranks,
              {tests::processes().rank() == 0 ? &graph : nullptr, "", nullptr}, graph,
              {item.sources.front(), item.sources.back()});
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Members, FusedGpusOnTheZoo, testing::Range(1U, kMaxMembers + 1),
                         testing::PrintToStringParamName());

TEST_F(FusedGpus, AnswersRightWhereDirectionsChange) {
  const GraphName name = GraphName::parse("kronecker:scale=16,edge_factor=12");
  const CsrGraph graph = load_graph(name, {});
  const GraphSource recipe{nullptr, name.canonical, nullptr};
  for (const unsigned gpus : gpus_to_try()) {
    for (const double alpha : {0.0, 0.01, 0.5, 100.0}) {
      for (const double beta : {1024.0, 8.0}) {
        const bool others = alpha == 0.0 || alpha == 0.5;
        Toggles set = toggles();
        set.set("alpha", alpha);
        set.set("beta", beta);
        set.set("leaves_apart", others);
        set.set("late_labels", beta > 8);
        set.set("first_row", others == (beta > 8));
        set.set("list_few", alpha < 0.1);
        set.set("map_back", std::string(others ? "in_time" : "after"));
        examine(set, others ? Answer::both : Answer::levels, gpus, recipe, graph,
                {1, 7, 100, 40'000});
        if (HasFailure()) return;
      }
    }
  }
}

// Hubs, small degrees, and a vertex without edges: answers in their places in the timer, and after.
TEST_F(FusedGpus, AnswersRightInARow) {
  const GraphName name = GraphName::parse("kronecker:scale=14,edge_factor=8");
  const CsrGraph graph = load_graph(name, {});
  const GraphSource recipe{nullptr, name.canonical, nullptr};
  vertex_t isolated = 0;
  while (graph.degree(isolated) > 0) ++isolated;
  for (const unsigned gpus : gpus_to_try()) {
    for (const bool in_time : {true, false}) {
      for (const Answer answer : {Answer::levels, Answer::both}) {
        Toggles set = toggles();
        set.set("map_back", std::string(in_time ? "in_time" : "after"));
        examine_in_a_row(set, answer, gpus, recipe, graph, {1, 7, isolated, 100, 1, 9'000});
        if (HasFailure()) return;
      }
    }
  }
}

// Stars whose centres are next to each other: nearly all vertices are leaves, as are both ends of
// some edges.
TEST_F(FusedGpus, AnswersRightWhereMostVerticesAreLeaves) {
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  constexpr vertex_t kCentres = 50;
  constexpr vertex_t kLeaves = 6'000;
  for (vertex_t c = 1; c < kCentres; ++c) edges.emplace_back(c - 1, c);
  for (vertex_t v = 0; v < kLeaves; ++v) edges.emplace_back(v % 7 * (v % 7), kCentres + v);
  for (vertex_t v = 0; v < 10; v += 2) {
    edges.emplace_back(kCentres + kLeaves + v, kCentres + kLeaves + v + 1);
  }
  const auto graph = tests::make_graph(kCentres + kLeaves + 20, edges);
  const GraphSource source{tests::processes().rank() == 0 ? &*graph : nullptr, "", nullptr};
  for (const unsigned gpus : gpus_to_try()) {
    // A centre, leaves, an end of an edge of two leaves, and a vertex without edges.
    examine(
        toggles(), Answer::both, gpus, source, *graph,
        {0, 49, kCentres, kCentres + kLeaves - 1, kCentres + kLeaves + 2, kCentres + kLeaves + 15});
    if (HasFailure()) return;
  }
}

// A sink that adds up the rows of all members.
class Rows final : public LevelSink {
 public:
  explicit Rows(bool live) : live_(live) {}
  [[nodiscard]] bool live() const override { return live_; }
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& /*start*/) override {}
  void end(const LevelFacts& /*facts*/) override {}
  void report(const LevelReport& level) override {
    frontiers[level.start.level] += level.start.frontier_vertices;
    ++rows[level.start.level];
    bytes += level.facts.bytes_sent;
  }

  std::map<level_t, std::uint64_t> frontiers, rows;
  std::uint64_t bytes = 0;

 private:
  bool live_;
};

TEST_F(FusedGpus, ReportsEveryLevelOfEveryMember) {
  const GraphName name = GraphName::parse("kronecker:scale=12");
  const CsrGraph graph = load_graph(name, {});
  vertex_t isolated = 0;
  while (graph.degree(isolated) > 0) ++isolated;
  for (const unsigned gpus : gpus_to_try()) {
    const auto engine = loaded(toggles(), Answer::levels, gpus, {nullptr, name.canonical, nullptr});
    const unsigned members = gpus * tests::processes().size();
    for (const vertex_t source : {vertex_t{1}, vertex_t{100}, isolated}) {
      std::map<level_t, std::uint64_t> sizes;
      for (const level_t level : tests::reference_levels(graph, source)) {
        if (level != kUnreached) ++sizes[level];
      }
      for (const bool live : {false, true}) {
        SCOPED_TRACE(std::to_string(gpus) + " GPUs from " + std::to_string(source) +
                     (live ? ", driven by the host" : ""));
        Rows rows(live);
        engine->traverse(source, &rows);
        if (tests::processes().rank() != 0) continue;
        EXPECT_EQ(rows.frontiers, sizes);
        for (const auto& [level, count] : rows.rows) EXPECT_EQ(count, members) << level;
        EXPECT_EQ(rows.bytes > 0, members > 1 && source != isolated);
      }
    }
  }
}

TEST_F(FusedGpus, RefusesDirectedGraphs) {
  const GraphSource source{nullptr, "uniform:vertices=500,edge_factor=6,symmetrize=false", nullptr};
  EXPECT_ANY_THROW(static_cast<void>(loaded(toggles(), Answer::levels, 1, source)));
}

}  // namespace
}  // namespace bfslab
