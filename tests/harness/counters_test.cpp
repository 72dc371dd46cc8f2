// SPDX-License-Identifier: Apache-2.0
// Counters in specs: named like engines, and not asked for anything that only traversals have.
#include <gtest/gtest.h>

#include "harness/spec/estimate.hpp"
#include "harness/spec/spec.hpp"
#include "tests/harness/spec_texts.hpp"

namespace bfslab {
namespace {

TEST(Counters, NeedNothingThatOnlyTraversalsHave) {
  const Spec spec = parse(R"("base": {"engine": "graph-load"}, "sweep": {"threads": [1, 2]})");
  ASSERT_EQ(spec.configurations.size(), 2U);
  EXPECT_EQ(spec.configurations[0].case_name, "graph-load");
  EXPECT_TRUE(spec.configurations[0].engine->counts());
  EXPECT_EQ(spec.configurations[1].toggles.integer("threads"), 2);
  EXPECT_FALSE(spec.traverses());
  EXPECT_FALSE(spec.needs_graphs()) << "graph-load works from recipes";
}

TEST(Counters, AnyAnswerIsNoneOfTheirBusiness) {
  for (const char* answer : {"levels", "parents", "both"}) {
    EXPECT_EQ(parse(std::string(R"("answer": ")") + answer +
                    R"(", "base": {"engine": "graph-load"}, "repeats": 9, "record": ["levels"])")
                  .configurations.size(),
              1U);
  }
}

TEST(Counters, StandBesideEngines) {
  const Spec spec = parse(R"("cases": {"load": {"engine": "graph-load", "source": "cache"},
                                       "bfs": {"engine": "hybrid"}}, "baseline": "bfs")");
  ASSERT_EQ(spec.configurations.size(), 2U);
  EXPECT_TRUE(spec.traverses());
  EXPECT_TRUE(spec.needs_graphs());
}

TEST(Counters, TheirTogglesAreCheckedAsEnginesAre) {
  const auto message = [](const std::string& rest) -> std::string {
    try {
      parse(rest);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(message(R"("base": {"engine": "graph-laod"})").find("did you mean \"graph-load\"?"),
            std::string::npos);
  EXPECT_NE(message(R"("base": {"engine": "graph-load", "repeats": 0})").find("base.repeats"),
            std::string::npos);
  EXPECT_NE(message(R"("base": {"engine": "graph-load", "alpha": 1})").find("a key of graph-load"),
            std::string::npos);
}

TEST(Counters, AreEstimatedOnceAGraphAndConfiguration) {
  const std::string counters = R"("cases": {"a": {"engine": "graph-load"},
      "b": {"engine": "graph-load", "threads": 1}}, "repeats": 7, "record": ["time", "levels"])";
  const SpecCost alone = estimate_cost(parse(counters), {{{1024, 32768}}});
  EXPECT_EQ(alone.counts, 2U);
  EXPECT_EQ(alone.timed_trials_max, 0U);
  EXPECT_EQ(alone.instrumented_trials, 0U);
  EXPECT_EQ(alone.graphs[0].graph_bytes, 0) << "no graph is built";
  EXPECT_GT(alone.graphs[0].engine_bytes, 0);

  const std::string mixed = R"("cases": {"a": {"engine": "graph-load"},
      "c": {"engine": "hybrid"}}, "repeats": 7, "record": ["time", "levels"])";
  const SpecCost both = estimate_cost(parse(mixed), {{{1024, 32768}}});
  EXPECT_EQ(both.counts, 1U);
  EXPECT_EQ(both.timed_trials_max, 7U * 16U);
  EXPECT_EQ(both.instrumented_trials, 16U);
  EXPECT_GT(both.graphs[0].graph_bytes, 0);

  // The counter's time enters once, however many sources and repeats there are.
  const std::string longer = R"("base": {"engine": "graph-load"}, "repeats": 1000)";
  const std::string shorter = R"("base": {"engine": "graph-load"}, "repeats": 1)";
  EXPECT_EQ(estimate_cost(parse(longer), {{{1024, 32768}}}).graphs[0].seconds,
            estimate_cost(parse(shorter), {{{1024, 32768}}}).graphs[0].seconds);
}

TEST(Counters, RecipesMayBeLargerThanMemory) {
  EXPECT_FALSE(parse(R"("base": {"engine": "graph-load"})", "kronecker:scale=31").needs_graphs());
}

}  // namespace
}  // namespace bfslab
