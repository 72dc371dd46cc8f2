// SPDX-License-Identifier: Apache-2.0
// check_answer: a right answer passes, and each rule is broken alone at least once.
#include "harness/check/check.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/kernels/answered.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

void expect_refused(const CsrGraph& graph, vertex_t source, const WholeAnswer& view,
                    const std::string& reason) {
  for (const int threads : {1, 3}) {
    const CheckResult verdict = check_answer(graph, source, view, threads);
    EXPECT_FALSE(verdict.ok);
    EXPECT_EQ(verdict.reason, reason);
  }
}

//  0 - 1 - 2 - 3 - 4     5 - 6, and 1 - 7 - 2: a triangle
class CheckRules : public testing::Test {
 protected:
  std::shared_ptr<const CsrGraph> graph_ =
      make_graph(8, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {5, 6}, {1, 7}, {7, 2}});
  Answered answer_ = right_answer(*graph_, 0);
  void refused(Answer answer, const std::string& reason) const {
    expect_refused(*graph_, 0, answer_.view(answer), reason);
  }
};

TEST_F(CheckRules, AcceptAndCount) {
  for (const Answer answer : {Answer::levels, Answer::parents, Answer::both}) {
    for (const CheckResult& result : {check_answer(*graph_, 0, answer_.view(answer)),
                                      summarize_answer(*graph_, 0, answer_.view(answer))}) {
      EXPECT_TRUE(result.ok) << result.reason;
      EXPECT_EQ(result.reason, "");
      EXPECT_EQ(result.levels, 5U);
      EXPECT_EQ(result.reached_vertices, 6U);
      EXPECT_EQ(result.level_sum, 0U + 1 + 2 + 3 + 4 + 2);
      EXPECT_EQ(result.component_edges, 6U);
      EXPECT_EQ(result.component_input_edges, 6U);
    }
  }
}

TEST_F(CheckRules, CountALoneSource) {
  const auto lone = make_graph(2, {});
  const Answered answer = right_answer(*lone, 1);
  const CheckResult result = check_answer(*lone, 1, answer.view(Answer::both));
  EXPECT_TRUE(result.ok) << result.reason;
  EXPECT_EQ(result.levels, 1U);
  EXPECT_EQ(result.reached_vertices, 1U);
  EXPECT_EQ(result.component_edges, 0U);
}

// On a path 0-1-2-3, a search up to level 2 reaches all but the last vertex.
TEST(CheckOfALimitedSearch, TakesAllLevelsUpToTheLimitAndNoOther) {
  const auto graph = make_graph(4, {{0, 1}, {1, 2}, {2, 3}});
  Answered limited{{0, 1, 2, kUnreached}, {0, 0, 1, kNoVertex}};
  const Answered whole = right_answer(*graph, 0);
  const SearchAsked search(0, 2);
  for (const Answer answer : {Answer::levels, Answer::parents, Answer::both}) {
    const CheckResult right = check_answer(*graph, search, limited.view(answer));
    EXPECT_TRUE(right.ok) << right.reason;
    EXPECT_EQ(right.levels, 3U);
    EXPECT_EQ(right.reached_vertices, 3U);
    EXPECT_EQ(check_answer(*graph, search, whole.view(answer)).reason,
              "vertex 3 has level 3, but the search ends at level 2");
    EXPECT_EQ(check_answer(*graph, 0, limited.view(answer)).reason,
              "edge 2 -> 3 leads from level 2 to no level");
  }
  limited.levels[2] = kUnreached;  // a search that ends too early
  EXPECT_EQ(check_answer(*graph, search, limited.view(Answer::levels)).reason,
            "edge 1 -> 2 leads from level 1 to no level");
}

TEST_F(CheckRules, TheSourceHasLevelZero) {
  answer_.levels[0] = 1;
  refused(Answer::levels, "the source 0 has level 1, not level 0");
  answer_.levels[0] = kUnreached;
  refused(Answer::both, "the source 0 has no level, not level 0");
}

TEST_F(CheckRules, TheSourceIsItsOwnParent) {
  answer_.parents[0] = 1;
  refused(Answer::parents, "the source 0 has parent 1; it should be its own");
  answer_.parents[0] = kNoVertex;
  refused(Answer::both, "the source 0 has no parent; it should be its own");
}

TEST_F(CheckRules, OnlyTheSourceHasLevelZero) {
  answer_.levels[5] = 0;
  answer_.levels[6] = 1;
  refused(Answer::levels, "vertex 5 has level 0, but the source is 0");
}

TEST_F(CheckRules, LevelsAreBelowTheNumberOfVertices) {
  answer_.levels[6] = 8;
  answer_.levels[5] = 0x80000000;
  refused(Answer::levels, "vertex 5 has level 2147483648, and there are only 8 vertices");
}

TEST_F(CheckRules, ParentsAreVertices) {
  answer_.parents[3] = 8;
  refused(Answer::parents, "vertex 3 has parent 8, and there are only 8 vertices");
}

TEST_F(CheckRules, LevelsAndParentsReachTheSame) {
  answer_.parents[4] = kNoVertex;
  refused(Answer::both, "vertex 4 has level 4, but no parent");
  answer_.parents[4] = 3;
  answer_.parents[5] = 6;
  refused(Answer::both, "vertex 5 has parent 6, but no level");
}

TEST_F(CheckRules, TheTreeHasNoCycles) {
  answer_.parents[5] = 6;
  answer_.parents[6] = 5;
  for (const auto check : {check_answer, summarize_answer}) {
    const CheckResult result = check(*graph_, 0, answer_.view(Answer::parents), 2);
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.reason,
              "following parents from vertex 5 never ends: the tree has a cycle through 5");
  }
  // With levels beside it, no levels can fit a cycle.
  answer_.levels[5] = 3;
  answer_.levels[6] = 4;
  refused(Answer::both, "vertex 5 has level 3, but its parent 6 has level 4");
}

TEST_F(CheckRules, ASelfLoopIsNoParentButTheSources) {
  answer_.parents[5] = 5;
  refused(Answer::parents,
          "following parents from vertex 5 never ends: the tree has a cycle through 5");
}

TEST_F(CheckRules, TheTreeEndsAtTheSource) {
  answer_.parents[6] = 5;
  refused(Answer::parents, "following parents from vertex 6 ends at vertex 5, which has none");
}

TEST_F(CheckRules, ParentsAreNeighbors) {
  answer_.parents[7] = 0;  // on no edge, and its level would be 1 instead of 2
  refused(Answer::parents, "vertex 7 has parent 0, but the graph has no edge 0 -> 7");
}

TEST_F(CheckRules, ParentsAreOneLevelUp) {
  answer_.parents[7] = 2;  // an edge, but along a level
  refused(Answer::both, "vertex 7 has level 2, but its parent 2 has level 2");
}

TEST_F(CheckRules, ATreeMayNotTakeDetours) {
  answer_.parents[7] = 2;  // a tree of edges, without cycles; 7 comes one level late
  refused(Answer::parents, "edge 1 -> 7 leads from level 1 to level 3");
}

TEST_F(CheckRules, TheComponentIsSpanned) {
  answer_.levels[4] = kUnreached;
  answer_.parents[4] = kNoVertex;
  for (const Answer answer : {Answer::levels, Answer::parents, Answer::both}) {
    refused(answer, "edge 3 -> 4 leads from level 3 to no level");
  }
}

TEST_F(CheckRules, EdgesSpanOneLevel) {
  answer_.levels[3] = 4;
  answer_.levels[4] = 5;
  refused(Answer::levels, "edge 2 -> 3 leads from level 2 to level 4");
}

TEST_F(CheckRules, LevelsAreSupported) {
  answer_.levels[5] = 2;  // beyond the component, where no edge rule can see it
  answer_.levels[6] = 3;
  refused(Answer::levels, "vertex 5 has level 2, but no edge enters it from level 1");
}

TEST_F(CheckRules, LevelsAreNotTooSmall) {
  answer_.levels[3] = 2;  // each edge still spans at most one level
  answer_.levels[4] = 3;
  refused(Answer::levels, "vertex 3 has level 2, but no edge enters it from level 1");
}

// 0 -> 1 -> 2 -> 3, 3 -> 0 and 2 -> 0: back edges of more than one level; 4 -> 1 enters unreached.
class CheckDirected : public testing::Test {
 protected:
  std::shared_ptr<const CsrGraph> graph_ =
      make_graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 0}, {4, 1}}, false);
  Answered answer_ = right_answer(*graph_, 0);
  void refused(Answer answer, const std::string& reason) const {
    expect_refused(*graph_, 0, answer_.view(answer), reason);
    expect_refused(without_transpose(*graph_), 0, answer_.view(answer), reason);
  }
};

TEST_F(CheckDirected, AcceptBackEdges) {
  for (const Answer answer : {Answer::levels, Answer::parents, Answer::both}) {
    for (const CsrGraph& graph : {*graph_, without_transpose(*graph_)}) {
      const CheckResult result = check_answer(graph, 0, answer_.view(answer));
      EXPECT_TRUE(result.ok) << result.reason;
      EXPECT_EQ(result.levels, 4U);
      EXPECT_EQ(result.reached_vertices, 4U);
      EXPECT_EQ(result.component_edges, 5U);
    }
  }
}

TEST_F(CheckDirected, SupportComesAlongTheEdge) {
  answer_.levels[4] = 2;  // 4 -> 1 joins them, but in the wrong direction
  refused(Answer::levels, "vertex 4 has level 2, but no edge enters it from level 1");
}

TEST_F(CheckDirected, ParentsFollowTheEdge) {
  answer_.parents[4] = 1;
  answer_.levels[4] = 2;
  refused(Answer::both, "vertex 4 has parent 1, but the graph has no edge 1 -> 4");
  refused(Answer::parents, "vertex 4 has parent 1, but the graph has no edge 1 -> 4");
}

TEST_F(CheckDirected, EdgesLeadAtMostOneLevelDown) {
  answer_.levels[3] = kUnreached;
  refused(Answer::levels, "edge 2 -> 3 leads from level 2 to no level");
}

TEST(CheckArguments, AreTheCallersBusiness) {
  const auto graph = make_graph(2, {{0, 1}});
  const Answered answer = right_answer(*graph, 0);
  EXPECT_THROW(check_answer(*graph, 2, answer.view(Answer::levels)), std::invalid_argument);
  WholeAnswer elsewhere = answer.view(Answer::levels);
  elsewhere.space = MemorySpace::device;
  EXPECT_THROW(check_answer(*graph, 0, elsewhere), std::invalid_argument);
  WholeAnswer empty = answer.view(Answer::levels);
  empty.levels = nullptr;
  EXPECT_THROW(summarize_answer(*graph, 0, empty), std::invalid_argument);
}

// Right answers with up to three words replaced: check_answer must agree with the exact verdict.
TEST(CheckAgainstReference, OnDamagedAnswers) {
  std::mt19937 random(11);
  unsigned damaged = 0;
  for (const char* family : {"paths", "complete", "disconnected", "loops_and_multi_edges",
                             "word_edges", "random", "directed"}) {
    for (const ZooGraph& animal : zoo_family(family)) {
      const CsrGraph& graph = *animal.graph;
      const CsrGraph bare = without_transpose(graph);
      const vertex_t n = graph.vertex_count();
      const vertex_t source = animal.sources.front();
      const Answered right = right_answer(graph, source);
      for (int round = 0; round < 60; ++round) {
        Answered answer = right;
        for (unsigned changes = random() % 4; changes > 0; --changes) {
          const vertex_t v = random() % n;
          // Likely words: those of other vertices, and the marks of unreached ones.
          const vertex_t other = random() % n;
          if (random() % 2 == 0) answer.levels[v] = right.levels[other];
          if (random() % 2 == 0)
            answer.parents[v] = random() % 2 == 0 ? right.parents[other] : other;
        }
        for (const Answer kind : {Answer::levels, Answer::parents, Answer::both}) {
          const std::string truth = judge(graph, source, answer.view(kind), right.levels);
          const CheckResult verdict = check_answer(graph, source, answer.view(kind), 2);
          ASSERT_EQ(verdict.ok, truth.empty())
              << animal.name << ": check says '" << verdict.reason << "', truth '" << truth << "'";
          ASSERT_EQ(check_answer(bare, source, answer.view(kind), 2).ok, truth.empty());
          damaged += truth.empty() ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(damaged, 1000U);
}

// A path whose ids descend is one long walk for every thread that starts in it.
TEST(CheckTrees, AreClimbedInLinearTime) {
  const vertex_t n = 200'000;
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t v = 1; v < n; ++v) edges.emplace_back(v, v - 1);
  const auto graph = make_graph(n, edges);
  const Answered answer = right_answer(*graph, n - 1);
  const CheckResult result = check_answer(*graph, n - 1, answer.view(Answer::parents), 3);
  EXPECT_TRUE(result.ok) << result.reason;
  EXPECT_EQ(result.levels, n);
}

}  // namespace
}  // namespace bfslab::tests
