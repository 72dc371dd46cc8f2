// SPDX-License-Identifier: Apache-2.0
#include "harness/run/sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "datasets/build/build.hpp"
#include "datasets/load_graph.hpp"

namespace bfslab {
namespace {

// 0-1-2-3 a path, 4-5 a pair, 6 a self-loop, 7 isolated; 5 times larger ids do not exist.
CsrGraph small_graph(bool symmetric = true) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {6, 6}};
  EdgeList list;
  list.vertex_count = 8;
  list.edges = Buffer<Edge>(edges.size());
  std::ranges::copy(edges, list.edges.begin());
  BuildOptions options;
  options.symmetrize = symmetric;
  options.drop_self_loops = false;
  return build_csr(std::move(list), options, "small");
}

std::set<vertex_t> chosen(const CsrGraph& graph, SourceRule::Rule rule, std::uint32_t count = 99) {
  SourceRule wanted;
  wanted.rule = rule;
  wanted.count = count;
  const SourceChoice choice = choose_sources(graph, wanted);
  std::set<vertex_t> distinct(choice.sources.begin(), choice.sources.end());
  EXPECT_EQ(distinct.size(), choice.sources.size());
  EXPECT_EQ(choice.sources.size(), std::min<std::uint64_t>(count, choice.eligible));
  return distinct;
}

TEST(Sources, EveryRuleAllowsWhatItSays) {
  const CsrGraph graph = small_graph();
  using Rule = SourceRule::Rule;
  EXPECT_EQ(chosen(graph, Rule::any).size(), 8U);
  EXPECT_EQ(chosen(graph, Rule::degree), (std::set<vertex_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(chosen(graph, Rule::two_levels), (std::set<vertex_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(chosen(graph, Rule::largest_component), (std::set<vertex_t>{0, 1, 2, 3}));
}

TEST(Sources, DirectedComponentsAreWeak) {
  const CsrGraph graph = small_graph(false);
  EXPECT_EQ(chosen(graph, SourceRule::Rule::largest_component), (std::set<vertex_t>{0, 1, 2, 3}));
  EXPECT_EQ(chosen(graph, SourceRule::Rule::degree), (std::set<vertex_t>{0, 1, 2, 4, 6}));
}

TEST(Sources, TheSeedDecidesAndNothingElse) {
  const CsrGraph graph = small_graph();
  SourceRule rule;
  rule.rule = SourceRule::Rule::any;
  rule.count = 5;
  std::set<std::vector<vertex_t>> drawn;
  for (rule.seed = 1; rule.seed <= 20; ++rule.seed) {
    EXPECT_EQ(choose_sources(graph, rule).sources, choose_sources(graph, rule).sources);
    drawn.insert(choose_sources(graph, rule).sources);
  }
  EXPECT_GT(drawn.size(), 15U);
  // A longer list begins with the shorter one: adding sources keeps the existing rows.
  rule.seed = 3;
  const auto five = choose_sources(graph, rule).sources;
  rule.count = 7;
  auto seven = choose_sources(graph, rule).sources;
  seven.resize(5);
  EXPECT_EQ(seven, five);
}

TEST(Sources, ListedOnesAreTakenAsTheyAre) {
  SourceRule rule;
  rule.rule = SourceRule::Rule::listed;
  rule.listed = {7, 2};
  EXPECT_EQ(choose_sources(small_graph(), rule).sources, rule.listed);
  rule.listed = {8};
  EXPECT_THROW(choose_sources(small_graph(), rule), InputError);
}

TEST(Sources, OfAGraphInPartsAreThoseOfTheWhole) {
  const GraphName name = GraphName::parse("kronecker:scale=8,edge_factor=1,self_loops=keep");
  const CsrGraph graph = load_graph(name, {});
  const auto alone = distributed::alone();
  SourceRule rule;
  for (const auto kind :
       {SourceRule::Rule::any, SourceRule::Rule::degree, SourceRule::Rule::two_levels}) {
    rule.rule = kind;
    const distributed::EligibleVertices vertices(*alone, 3, {nullptr, name.canonical, nullptr},
                                                 eligible_rule(rule));
    for (const std::uint32_t count : {1U, 20U, 1000U}) {  // more than there are
      rule.count = count;
      for (rule.seed = 0; rule.seed < 5; ++rule.seed) {
        const SourceChoice whole = choose_sources(graph, rule);
        const SourceChoice parts = choose_sources(vertices, rule);
        EXPECT_EQ(parts.sources, whole.sources);
        EXPECT_EQ(parts.eligible, whole.eligible);
        EXPECT_GE(whole.sources.size(), std::min<std::size_t>(count, 100));
      }
    }
  }
  rule.rule = SourceRule::Rule::listed;
  rule.listed = {256};
  const distributed::EligibleVertices vertices(*alone, 1, {nullptr, name.canonical, nullptr},
                                               eligible_rule(rule));
  EXPECT_THROW(choose_sources(vertices, rule), InputError);
}

TEST(Sources, AnEmptyGraphHasNone) {
  EdgeList list;
  const CsrGraph graph = build_csr(std::move(list), {}, "empty");
  for (const auto rule : {SourceRule::Rule::any, SourceRule::Rule::degree,
                          SourceRule::Rule::largest_component, SourceRule::Rule::two_levels}) {
    EXPECT_TRUE(chosen(graph, rule).empty());
  }
}

TEST(Sources, ComponentsOfALongPathAreOne) {
  EdgeList list;
  list.vertex_count = 5000;
  list.edges = Buffer<Edge>(4999);
  for (vertex_t v = 0; v < 4999; ++v) list.edges[v] = {4998 - v + 1, 4998 - v};
  const auto component = component_of(build_csr(std::move(list), {}, "path"));
  EXPECT_TRUE(std::ranges::all_of(component, [](vertex_t root) { return root == 0; }));
}

}  // namespace
}  // namespace bfslab
