// SPDX-License-Identifier: Apache-2.0
// Which vertices are leaves, and hybrid's answers with leaves apart: from every source, with and
// without a sink in turn, so that each search finds the state that the other kind leaves.
#include "kernels/cpu/leaves.hpp"

#include <gtest/gtest.h>

#include <random>

#include "harness/check/host_answer.hpp"
#include "kernels/engine.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using Edges = std::vector<std::pair<vertex_t, vertex_t>>;

// Returns the leaves and their neighbours, as a search of parents labels them.
Edges leaves_of(const CsrGraph& graph) {
  const cpu::Leaves leaves(graph, *graph.incoming(), 2);
  std::vector<vertex_t> parents(graph.vertex_count(), kNoVertex);
  const cpu::VertexState<Answer::parents> answer(nullptr, parents.data());
  for (std::size_t w = 0; w < word_count(graph.vertex_count()); ++w) {
    leaves.label(w, kNoVertex, answer, [](vertex_t) { return true; });
  }
  Edges found;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    if (parents[v] != kNoVertex) found.emplace_back(v, parents[v]);
  }
  EXPECT_EQ(found.size(), leaves.count());
  return found;
}

TEST(Leaves, AreTheEndsOfSymmetricGraphs) {
  EXPECT_EQ(leaves_of(*make_graph(3, {{0, 1}, {1, 2}})), (Edges{{0, 1}, {2, 1}}));
  EXPECT_EQ(leaves_of(*make_graph(2, {{0, 1}})), Edges{}) << "two vertices are no leaves";
  EXPECT_EQ(leaves_of(*make_graph(70, {{3, 69}, {4, 69}, {69, 5}})),
            (Edges{{3, 69}, {4, 69}, {5, 69}}));
  EXPECT_EQ(leaves_of(*make_graph(3, {{0, 1}, {1, 2}, {2, 0}})), Edges{});
}

TEST(Leaves, HaveNoLoopAndNoSecondEdge) {
  EXPECT_EQ(leaves_of(*make_graph(1, {{0, 0}}, true, false)), Edges{});
  EXPECT_EQ(leaves_of(*make_graph(3, {{0, 1}, {0, 1}, {1, 2}}, true, false)), (Edges{{2, 1}}));
  EXPECT_EQ(leaves_of(*make_graph(3, {{0, 1}, {0, 0}, {1, 2}}, true, false)), (Edges{{2, 1}}));
  EXPECT_EQ(leaves_of(*make_graph(2, {{0, 1}, {0, 0}}, true, false)), (Edges{{1, 0}}));
}

TEST(Leaves, OfDirectedGraphsLeadNowhereElse) {
  const auto directed = [](vertex_t n, const Edges& edges) {
    return make_graph(n, edges, false, false);
  };
  EXPECT_EQ(leaves_of(*directed(4, {{3, 0}, {0, 1}, {0, 2}})), (Edges{{1, 0}, {2, 0}}));
  EXPECT_EQ(leaves_of(*directed(3, {{0, 1}, {1, 2}})), (Edges{{2, 1}})) << "1 leads to 2";
  EXPECT_EQ(leaves_of(*directed(3, {{0, 1}, {1, 0}, {2, 0}})), (Edges{{1, 0}})) << "1 leads back";
  EXPECT_EQ(leaves_of(*directed(2, {{0, 1}, {1, 0}})), Edges{});
  EXPECT_EQ(leaves_of(*directed(2, {{0, 1}})), Edges{}) << "no edge enters 0";
  EXPECT_EQ(leaves_of(*directed(3, {{0, 2}, {1, 2}})), Edges{}) << "two edges enter 2";
}

// Keeps what a search reports of its levels.
class FrontierLevels final : public LevelSink {
 public:
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& start) override { frontiers.push_back(start.frontier_vertices); }
  void end(const LevelFacts&) override {}
  std::vector<std::uint64_t> frontiers;
};

std::vector<std::uint64_t> frontiers_of(const std::vector<level_t>& levels) {
  std::vector<std::uint64_t> frontiers;
  for (const level_t level : levels) {
    if (level == kUnreached) continue;
    if (level >= frontiers.size()) frontiers.resize(level + std::size_t{1});
    ++frontiers[level];
  }
  return frontiers;
}

// Trees with leaves, pairs, loops and isolated vertices.
Edges bushes(vertex_t vertices, unsigned seed) {
  std::mt19937 random(seed);
  Edges edges;
  for (vertex_t v = 1; v < vertices; ++v) {
    if (v % 11 == 0) continue;  // begins a component, or stays alone
    edges.emplace_back(v % 7 == 0 ? v - 1 : static_cast<vertex_t>(random() % v), v);
    if (v % 29 == 0) edges.emplace_back(v, v);
    if (v % 5 == 0) edges.emplace_back(v, static_cast<vertex_t>(random() % v));
  }
  return edges;
}

void search(const CsrGraph& graph, const Toggles& toggles, Answer answer, vertex_t searches) {
  const auto engine = find_engine("hybrid")->make({.toggles = toggles, .answer = answer});
  engine->load({.csr = &graph, .recipe = ""});
  HostAnswer host;
  for (vertex_t i = 0; i < searches; ++i) {
    const vertex_t source = i * 17 % graph.vertex_count();
    SCOPED_TRACE(toggles.text() + " source " + std::to_string(source));
    const std::vector<level_t> truth = reference_levels(graph, source);
    FrontierLevels levels;
    engine->traverse(source, i % 3 == 1 ? &levels : nullptr);
    ASSERT_EQ(judge(graph, source, host.take(engine->answer()), truth), "");
    if (i % 3 == 1) {
      ASSERT_EQ(levels.frontiers, frontiers_of(truth));
    }
  }
}

TEST(LeavesApart, GiveTheSameAnswers) {
  const std::vector<std::shared_ptr<const CsrGraph>> graphs{
      make_graph(2, {{0, 1}}), make_graph(3, {{0, 1}, {1, 2}}),
      make_graph(150, bushes(150, 1), true, false), make_graph(150, bushes(150, 2)),
      make_graph(150, bushes(150, 3), false, false)};
  for (const auto& graph : graphs) {
    for (const char* claims : {"locked", "unlocked"}) {
      for (const double threshold : {0.0, 0.05, 1.0}) {  // all levels bottom-up, some, none
        Toggles toggles(find_engine("hybrid")->toggles);
        toggles.set("rule", "vertices");
        toggles.set("threshold", threshold);
        toggles.set("claims", claims);
        for (const std::int64_t threads : {1, 2}) {
          toggles.set("threads", threads);
          // A team waits for its threads' turns where other programs run, too.
          const vertex_t searches = threads == 1 ? 2 * graph->vertex_count() : 8;
          for (const Answer answer : {Answer::levels, Answer::parents, Answer::both}) {
            search(*graph, toggles, answer, searches);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

// Some leaf's neighbour lies beyond what a search reaches, and another search reaches it.
TEST(LeavesApart, AreUnreachedWhereTheirNeighboursAre) {
  const auto graph = make_graph(8, {{0, 1}, {1, 2}, {4, 5}, {5, 6}, {5, 7}});
  const auto engine = find_engine("hybrid")->make(
      {.toggles = Toggles(find_engine("hybrid")->toggles), .answer = Answer::both});
  engine->load({.csr = graph.get(), .recipe = ""});
  HostAnswer host;
  for (const vertex_t source : {0, 4, 3, 7, 2}) {
    engine->traverse(source);
    EXPECT_EQ(judge(*graph, source, host.take(engine->answer()), reference_levels(*graph, source)),
              "");
  }
}

}  // namespace
}  // namespace bfslab::tests
