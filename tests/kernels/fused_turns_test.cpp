// SPDX-License-Identifier: Apache-2.0
// Where fused turns, by the expected time of levels: on graphs of each kind at several sizes, the
// chosen rule is the best of those that are tried, and better than one rule for all graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "datasets/load_graph.hpp"
#include "kernels/cuda/engines/fused/level_costs.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using cuda::FusedLevelNumbers;
using cuda::FusedProfile;
using cuda::FusedRules;

// The profile of a search, counted from its levels. Rows ascend as the graph has them.
FusedProfile profile_from(const CsrGraph& graph, vertex_t source) {
  const std::vector<level_t> levels = reference_levels(graph, source);
  const CsrGraph& in = *graph.incoming();
  FusedProfile profile;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    const level_t level = levels[v];
    if (level == kUnreached && in.degree(v) == 0) continue;
    const auto last = level_t{FusedProfile::kLevels - 1};
    if (level != kUnreached && profile.levels.size() <= std::min(level, last)) {
      profile.levels.resize(std::min(level, last) + std::size_t{1});
    }
    FusedLevelNumbers& own =
        level == kUnreached ? profile.unreached : profile.levels[std::min(level, last)];
    ++own.vertices;
    own.edges += graph.degree(v);
    own.entries += in.degree(v);
    if (in.degree(v) > FusedLevelNumbers::kLongRow) ++own.long_rows;
    if (level == 0 || level == kUnreached) continue;
    const auto row = in.neighbors(v);
    const auto parent =
        std::ranges::find_if(row, [&](vertex_t u) { return levels[u] == level - 1; });
    const auto looks = static_cast<std::uint64_t>(parent - row.begin()) + 1;
    if (looks > 1) own.looks += looks;
  }
  return profile;
}

// `alpha` and `beta` of 0 are to be chosen.
FusedRules rules_of(const CsrGraph& graph, double alpha, double beta) {
  FusedRules rules;
  rules.alpha = alpha == 0 ? FusedRules::kAlphaAsGiven : alpha;
  rules.careful = alpha == 0;
  rules.beta = beta;
  rules.vertices = graph.vertex_count();
  rules.edges = static_cast<double>(graph.edge_count());
  return rules;
}

struct Kind {
  const char* name;
  bool goes_up;  // bottom-up levels pay
};

class FusedTurns : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, FusedTurns,
                         testing::Values(Kind{"kronecker:scale=12", false},
                                         Kind{"kronecker:scale=14", true},
                                         Kind{"kronecker:scale=16", true},
                                         Kind{"uniform:vertices=65536,edge_factor=16", true},
                                         Kind{"grid:width=200,height=200", false},
                                         Kind{"grid:width=400,height=100,removed=0.2", false},
                                         Kind{"path:vertices=5000", false},
                                         Kind{"binary_tree:vertices=60000", false}),
                         [](const auto& param) { return "kind_" + std::to_string(param.index); });

TEST_P(FusedTurns, AreThoseOfTheLeastExpectedTime) {
  LoadOptions options;
  options.transpose = true;
  const CsrGraph graph = load_graph(GraphName::parse(GetParam().name), options);
  std::vector<FusedProfile> sampled;
  std::vector<FusedProfile> others;
  for (vertex_t i = 0; i < 8; ++i) {
    vertex_t v = graph.vertex_count() / 8 * i;
    while (graph.degree(v) == 0) ++v;
    (i % 2 == 0 ? sampled : others).push_back(profile_from(graph, v));
  }
  const auto all_us = [](const FusedRules& rules, const std::vector<FusedProfile>& searches) {
    double us = 0;
    for (const FusedProfile& search : searches) us += expected_us(rules, search);
    return us;
  };
  const FusedRules chosen = best_turns(rules_of(graph, 0, 0), sampled);
  FusedRules usual = rules_of(graph, 0, 0);
  usual.beta = cuda::kUsualBeta;
  FusedRules down = rules_of(graph, 0, 1024);
  down.bottom_up = false;
  // On the sampled searches no rule of a finer grid is much better, and one for all is no better.
  // The usual rule stays unless another one is expected to take a tenth less.
  const bool stays = chosen.alpha == usual.alpha && chosen.beta == usual.beta;
  EXPECT_TRUE(stays || all_us(chosen, sampled) <= 0.91 * all_us(usual, sampled));
  for (double alpha = 0.5; alpha < 40; alpha *= 1.2) {
    for (double beta = 3; beta < 1500; beta *= 1.7) {
      FusedRules rules = rules_of(graph, alpha, beta);
      rules.careful = true;
      EXPECT_GT(1.2 * all_us(rules, sampled), all_us(chosen, sampled)) << alpha << ' ' << beta;
    }
  }
  EXPECT_LE(all_us(chosen, sampled), 1.12 * all_us(down, sampled));
  constexpr vertex_t kFewVertices = 20'000;  // bottom-up gains less than an answer's way back takes
  EXPECT_EQ(ordering_pays(chosen, sampled, true),
            GetParam().goes_up && graph.vertex_count() > kFewVertices);
  EXPECT_FALSE(ordering_pays(down, sampled, false));
  // Searches that were not sampled gain as well.
  if (GetParam().goes_up) {
    EXPECT_LT(all_us(chosen, others), 0.9 * all_us(down, others));
  } else {
    EXPECT_LE(all_us(chosen, others), 1.12 * all_us(down, others));
  }
}

// Rules that a user has set stay as they are.
TEST(FusedTurnsThatAreSet, Stay) {
  LoadOptions options;
  options.transpose = true;
  const CsrGraph graph = load_graph(GraphName::parse("kronecker:scale=10"), options);
  const std::vector<FusedProfile> sampled{profile_from(graph, 0)};
  const FusedRules both = best_turns(rules_of(graph, 7, 33), sampled);
  EXPECT_EQ(both.alpha, 7);
  EXPECT_EQ(both.beta, 33);
  EXPECT_EQ(best_turns(rules_of(graph, 0, 33), sampled).beta, 33);
  EXPECT_EQ(best_turns(rules_of(graph, 7, 0), sampled).alpha, 7);
}

// Bottom-up costs what is read in vain: with half of the rows unreachable, it pays later.
TEST(FusedLevelCosts, AreLessWhereLongRowsAreCut) {
  FusedProfile search;  // a source, 1,000 hubs, and all others
  search.levels = {{.vertices = 1, .edges = 1000},
                   {.vertices = 1000, .edges = 10'000'000},
                   {.vertices = 2'000'000, .edges = 20'000'000}};
  FusedRules rules;
  rules.bottom_up = false;
  const double whole = expected_us(rules, search);
  rules.cut_degree = 512;
  EXPECT_LT(expected_us(rules, search), whole);
  rules.cut_degree = 40'000;  // no row is that long
  EXPECT_EQ(expected_us(rules, search), whole);
}

TEST(FusedLevelCosts, CountEntriesThatNoSearchReaches) {
  FusedProfile search;
  search.levels = {
      {1, 1000, 1000, 0, 0}, {1000, 40'000, 40'000, 0, 0}, {30'000, 90'000, 90'000, 0, 0}};
  FusedProfile with_rest = search;
  with_rest.unreached = {100'000, 4'000'000, 4'000'000, 0, 500};
  FusedRules up;
  up.alpha = 1e9;
  up.careful = false;
  up.vertices = 131'001;
  up.edges = 4'131'000;
  FusedRules down = up;
  down.bottom_up = false;
  EXPECT_EQ(expected_us(down, search), expected_us(down, with_rest));
  EXPECT_GT(expected_us(up, with_rest), expected_us(up, search) + 15);
}

}  // namespace
}  // namespace bfslab::tests
