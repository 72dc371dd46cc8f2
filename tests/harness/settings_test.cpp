// SPDX-License-Identifier: Apache-2.0
// Resolution order, groups, presets, legality, abilities and expansion, on made-up engines.
#include <gtest/gtest.h>

#include "harness/spec/estimate.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

namespace {

// A spec whose settings are `rest`: "base", "cases", "sweep", ...
Spec parse(const std::string& rest, const std::string& graph = "path:vertices=9") {
  return parse_spec(R"({"name": "s", "graphs": [")" + graph + R"("], )" + rest + "}", "FILE");
}

// Returns what follows `FILE:1:COLUMN: ` in a message.
std::string refusal(const std::string& rest, const std::string& graph = "path:vertices=9") {
  try {
    parse(rest, graph);
  } catch (const InputError& error) {
    std::string all;
    std::string text = error.what();
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string line = text.substr(start, end - start);
      all += (all.empty() ? "" : "\n") + line.substr(line.find(": ") + 2);
      start = end + 1;
    }
    return all;
  }
  return "accepted";
}

std::string only_toggles(const std::string& rest) {
  const Spec spec = parse(rest);
  EXPECT_EQ(spec.configurations.size(), 1U);
  return spec.configurations.at(0).toggles.text();
}

TEST(Settings, DefaultsAlone) {
  const Spec spec = parse(R"("base": {"engine": "crossed"})");
  ASSERT_EQ(spec.configurations.size(), 1U);
  EXPECT_EQ(spec.configurations[0].case_name, "crossed");
  EXPECT_EQ(spec.configurations[0].engine->name, "crossed");
  EXPECT_EQ(spec.configurations[0].toggles.text(),
            "async=false;capacity=64;queue=central;share=0.5");
}

TEST(Settings, GroupExpandsAndToggleBesideItWins) {
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "ad": true})"),
            "async=true;capacity=64;queue=scan;share=0.5");
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "async": false, "ad": true})"),
            "async=false;capacity=64;queue=scan;share=0.5");
}

TEST(Settings, PresetIsOnlyWhereTogglesStart) {
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "preset": "tuned"})"),
            "async=true;capacity=128;queue=shared;share=0.5");
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "async": false},
                            "cases": {"A": {"preset": "tuned"}})"),
            "async=false;capacity=128;queue=shared;share=0.5");
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "preset": "tuned"},
                            "cases": {"A": {"preset": "plain"}})"),
            "async=false;capacity=64;queue=central;share=0.5");
}

TEST(Settings, CaseLayerOverridesBaseLayerWhole) {
  // A group of the case over a toggle written out in base.
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "queue": "shared"},
                            "cases": {"A": {"ad": true}})"),
            "async=true;capacity=64;queue=scan;share=0.5");
  // The case's value of a group replaces base's: nothing of base's expansion remains.
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "wb": "thread"},
                            "cases": {"A": {"wb": "warp"}})"),
            "async=false;capacity=64;queue=central;share=0.25");
}

TEST(Settings, SweepOverridesCase) {
  const Spec spec = parse(R"("base": {"engine": "crossed"}, "cases": {"A": {"share": 0.125}},
                             "sweep": {"share": [0.25, 0.75]})");
  ASSERT_EQ(spec.configurations.size(), 2U);
  EXPECT_EQ(spec.configurations[0].toggles.real("share"), 0.25);
  EXPECT_EQ(spec.configurations[1].toggles.real("share"), 0.75);
}

TEST(Settings, ExpansionOrderIsCasesThenSweepThenZip) {
  const Spec spec = parse(R"("base": {"engine": "crossed"}, "cases": {"B": {}, "A": {}},
      "sweep": {"share": [0.25, 0.75], "async": [true, false]},
      "zip": {"queue": ["central", "shared"], "capacity": [64, 7]})");
  ASSERT_EQ(spec.configurations.size(), 2U * 2 * 2 * 2);
  std::string order;
  for (const Configuration& each : spec.configurations) {
    order += each.case_name + (each.toggles.real("share") < 0.5 ? "l" : "h") +
             (each.toggles.flag("async") ? "a" : "s") +
             (each.toggles.integer("capacity") == 7 ? "7 " : "64 ");
  }
  EXPECT_EQ(order,
            "Bla64 Bla7 Bls64 Bls7 Bha64 Bha7 Bhs64 Bhs7 "
            "Ala64 Ala7 Als64 Als7 Aha64 Aha7 Ahs64 Ahs7 ");
}

TEST(Settings, SweptEngineNamesImplicitCases) {
  const Spec spec = parse(R"("sweep": {"engine": ["limited", "crossed"]})");
  ASSERT_EQ(spec.configurations.size(), 2U);
  EXPECT_EQ(spec.configurations[0].case_name, "limited");
  EXPECT_EQ(spec.configurations[1].case_name, "crossed");
}

TEST(Settings, SweptGroupsAndPresets) {
  const Spec spec = parse(R"("base": {"engine": "crossed"},
                             "sweep": {"preset": ["plain", "tuned"], "wb": ["warp", "thread"]})");
  ASSERT_EQ(spec.configurations.size(), 4U);
  EXPECT_EQ(spec.configurations[2].toggles.text(),
            "async=true;capacity=128;queue=shared;share=0.25");
}

TEST(Settings, GroupsThatClash) {
  const std::string clash =
      "found wb = thread, which sets queue = shared, beside ad = true, which sets queue = scan, "
      "expected groups that agree, or \"queue\" itself beside them";
  EXPECT_EQ(refusal(R"("base": {"engine": "crossed", "ad": true, "wb": "thread"})"),
            "at `base.wb`: " + clash);
  EXPECT_EQ(
      refusal(R"("base": {"engine": "crossed"}, "cases": {"A": {"ad": true, "wb": "thread"}})"),
      "at `cases.A.wb`: " + clash);
  EXPECT_EQ(refusal(R"("base": {"engine": "crossed"},
                       "sweep": {"ad": [true, false], "wb": ["warp", "thread"]})"),
            "at `sweep.wb[1]`: found wb = thread, which sets queue = shared, beside ad = false, "
            "which sets queue = central, expected groups that agree, or \"queue\" itself beside "
            "them\nat `sweep.wb[1]`: " +
                clash);
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "ad": true, "wb": "thread",
                                     "queue": "central"})"),
            "async=true;capacity=64;queue=central;share=0.5");
  EXPECT_EQ(only_toggles(R"("base": {"engine": "crossed", "ad": true},
                            "cases": {"A": {"wb": "thread"}})"),
            "async=true;capacity=64;queue=shared;share=0.5");
}

TEST(Settings, GroupAndPresetValues) {
  EXPECT_EQ(
      refusal(R"("base": {"engine": "crossed", "wb": "thred", "preset": "tune", "ad": 1})"),
      "at `base.wb`: found \"thred\", expected \"thread\" or \"warp\"; did you mean "
      "\"thread\"?\n"
      "at `base.preset`: found \"tune\", expected \"plain\" or \"tuned\" (presets of crossed); "
      "did you mean \"tuned\"?\n"
      "at `base.ad`: found 1, expected true or false");
}

TEST(Settings, LegalityIsOfTheResolvedToggles) {
  EXPECT_EQ(refusal(R"("base": {"engine": "crossed", "capacity": 7})"),
            "at `base.capacity`: found capacity = 7 with queue = central (its default) in case "
            "\"crossed\", expected queue = shared for that: other queues have no capacity");
  EXPECT_EQ(
      refusal(R"("base": {"engine": "crossed", "preset": "tuned"},
                       "cases": {"A": {"ad": true}})"),
      "at `base.preset`: found capacity = 128 with queue = scan in case \"A\", expected queue "
      "= shared for that: other queues have no capacity");
  EXPECT_EQ(refusal(R"("base": {"engine": "crossed", "capacity": 7, "wb": "thread"})"), "accepted");
}

TEST(Settings, LegalityOfSingleValues) {
  EXPECT_EQ(refusal(R"("base": {"engine": "matched", "collect": "filter"},
                       "cases": {"A": {"queue": "hierarchical", "width": "1"}})"),
            "at `base.collect`: found collect = filter with queue = hierarchical in case \"A\", "
            "expected queue = central for that: filters it whole");
  EXPECT_EQ(refusal(R"("base": {"engine": "matched", "collect": "scan_free"})"),
            "at `base.collect`: found collect = scan_free with queue = local (its default) in case "
            "\"matched\", expected queue = central or hierarchical for that: claims need a queue "
            "of all");
  EXPECT_EQ(refusal(R"("base": {"engine": "matched", "queue": "hierarchical"})"),
            "at `base.queue`: found width = 32 (its default) with queue = hierarchical in case "
            "\"matched\", expected queue = local or central for that: a hierarchical queue is "
            "filled by threads");
  EXPECT_EQ(refusal(R"("base": {"engine": "matched", "queue": "hierarchical", "width": "1",
                                "collect": "scan_free"})"),
            "accepted");
}

TEST(Settings, BaseMustSuitTheEngineOfEveryCase) {
  EXPECT_EQ(
      refusal(R"("base": {"async": true}, "cases": {"C": {"engine": "crossed"},
                                                          "L": {"engine": "limited"}})"),
      "at `base.async`: found \"async\", which limited (case \"L\") does not take, expected a "
      "key that the engine of every case takes: engine, capacity");
  EXPECT_EQ(refusal(R"("base": {"capacity": 900}, "cases": {"L": {"engine": "limited"},
                       "C": {"engine": "crossed", "queue": "shared"}})"),
            "at `base.capacity`: found 900, expected an integer from 1 to 16");
}

TEST(Settings, AnswersAndGraphsThatAnEngineCannotDo) {
  EXPECT_EQ(refusal(R"("answer": "both", "base": {"engine": "limited"})"),
            "at `answer`: found \"both\", expected an answer without parents, which limited (case "
            "\"limited\") cannot give");
  EXPECT_EQ(refusal(R"("base": {"engine": "rooted"})"),
            "at `answer`: found \"levels\" (its default), expected an answer without levels, which "
            "rooted (case \"rooted\") cannot give");
  EXPECT_EQ(refusal(R"("base": {"engine": "limited"})", "path:vertices=9,symmetrize=false"),
            "at `graphs`: found \"path:vertices=9,symmetrize=false\", a directed graph, expected "
            "symmetrize=true for limited (case \"limited\"), which is right on symmetric graphs "
            "only");
}

TEST(Settings, OneConfigurationTwiceInOneCase) {
  EXPECT_EQ(refusal(R"("base": {"engine": "crossed", "queue": "central", "async": false},
                       "cases": {"A": {"share": 0.1}}, "zip": {"capacity": [64, 64]})"),
            "at `zip`: found two points that are one configuration of case \"A\": "
            "async=false;capacity=64;queue=central;share=0.1, expected points that differ");
  EXPECT_EQ(parse(R"("cases": {"A": {"engine": "crossed"}, "B": {"engine": "crossed"}})")
                .configurations.size(),
            2U);
}

TEST(Ranks, ReachEveryConfiguration) {
  const Spec spec = parse(R"("base": {"engine": "ranked", "ranks": 2},
                             "cases": {"A": {}, "B": {"ranks": 3, "engine": "ranked-cpu"}},
                             "sweep": {"gpus_per_rank": [1]})");
  ASSERT_EQ(spec.configurations.size(), 2U);
  EXPECT_EQ(spec.configurations[0].ranks, 2U);
  EXPECT_EQ(spec.configurations[1].ranks, 3U);
  const Spec weak = parse(R"("base": {"engine": "ranked"},
                             "zip": {"ranks": [1, 2], "gpus_per_rank": [4, 2]})");
  ASSERT_EQ(weak.configurations.size(), 2U);
  EXPECT_EQ(weak.configurations[0].text(), "gpus_per_rank=4;ranks=1;threshold=8");
  EXPECT_EQ(weak.configurations[1].text(), "gpus_per_rank=2;ranks=2;threshold=8");
  EXPECT_EQ(weak.configurations[0].toggles.text(), "threshold=8");
  EXPECT_EQ(parse(R"("base": {"engine": "ranked"})").configurations[0].ranks, 1U);
}

TEST(Ranks, AreRefusedWhereAnEngineHasNone) {
  EXPECT_EQ(refusal(R"("base": {"ranks": 2}, "cases": {"R": {"engine": "ranked"},
                       "C": {"engine": "crossed"}})"),
            "at `base.ranks`: found ranks = 2 with engine = crossed in case \"C\", expected ranks "
            "= 1 for that: this engine runs as one process on one device");
  EXPECT_EQ(refusal(R"("base": {"ranks": 2}, "cases": {"R": {"engine": "ranked"},
                       "C": {"engine": "crossed", "ranks": 1}})"),
            "accepted");
  EXPECT_EQ(refusal(R"("base": {"engine": "ranked-cpu", "ranks": 2, "gpus_per_rank": 2})"),
            "accepted");
  EXPECT_EQ(refusal(R"("base": {"engine": "ranked", "rnaks": 2})"),
            "at `base.rnaks`: found unknown key \"rnaks\", expected a key of ranked: engine, "
            "threshold, ranks, gpus_per_rank; did you mean \"ranks\"?");
}

std::string left_out(const Spec& spec) {
  std::string all;
  for (const LeftOut& each : spec.left_out) {
    all += each.configuration.case_name + ": " + each.configuration.text() + ": " + each.reason;
    all += '\n';
  }
  return all;
}

TEST(Illegal, SkippedCombinationsAreListedWithTheirReasons) {
  const Spec spec = parse(R"("base": {"engine": "matched", "width": "1"},
      "sweep": {"illegal": "skip", "queue": ["local", "central"], "collect": ["scan", "filter"]})");
  EXPECT_EQ(spec.configurations.size(), 3U);
  EXPECT_EQ(left_out(spec),
            "matched: collect=filter;queue=local;width=1: collect = filter with queue = local: "
            "filters it whole\n");
  EXPECT_EQ(left_out_lines(spec),
            (std::vector<std::string>{
                "left out because the toggles' rules refuse them: 1 of 4 combinations",
                "  1 x collect = filter with queue = local: filters it whole"}));
  EXPECT_TRUE(parse(R"("base": {"engine": "matched"},
                       "sweep": {"illegal": "refuse", "collect": ["scan"]})")
                  .left_out.empty());
}

TEST(Illegal, RanksThatAnEngineLacksAreSkippedToo) {
  const Spec spec = parse(R"("sweep": {"engine": ["ranked", "crossed"], "ranks": [1, 2],
                                       "illegal": "skip"})");
  ASSERT_EQ(spec.configurations.size(), 3U);
  EXPECT_EQ(spec.configurations[2].engine->name, "crossed");
  ASSERT_EQ(spec.left_out.size(), 1U);
  EXPECT_EQ(spec.left_out[0].configuration.ranks, 2U);
}

TEST(Illegal, WrongValuesAreRefusedAllTheSame) {
  EXPECT_EQ(refusal(R"("base": {"engine": "matched"},
                       "sweep": {"illegal": "skip", "collect": ["scan", "filtre"]})"),
            "at `sweep.collect[1]`: found \"filtre\", expected \"scan\", \"scan_free\" or "
            "\"filter\"; did you mean \"filter\"?");
}

TEST(CaseSweep, MultipliesItsCaseAlone) {
  const Spec spec = parse(R"("base": {"engine": "crossed"},
      "cases": {"A": {"sweep": {"queue": ["scan", "central"]}}, "B": {"share": 0.25}},
      "sweep": {"async": [true, false]}, "zip": {"capacity": [64]})");
  std::string order;
  for (const Configuration& each : spec.configurations) {
    order += each.case_name + (each.toggles.flag("async") ? "a " : "s ") +
             each.toggles.choice("queue") + "; ";
  }
  EXPECT_EQ(order, "Aa scan; Aa central; As scan; As central; Ba central; Bs central; ");
}

TEST(CaseSweep, ItsOrderIsPartOfTheSpec) {
  const auto hash = [](const std::string& lists) {
    return parse(R"("cases": {"A": {"engine": "crossed", "sweep": {)" + lists + "}}}").hash;
  };
  EXPECT_NE(hash(R"("share": [0.25, 0.5], "async": [true, false])"),
            hash(R"("async": [true, false], "share": [0.25, 0.5])"));
}

TEST(Cost, CountsTrialsAndAddsEstimates) {
  const Spec spec =
      parse(R"("sources": {"count": 5}, "repeats": {"min": 2, "max": 4, "budget_s": 1},
      "warmup": 3, "record": ["time", "levels"], "base": {"engine": "limited"},
      "sweep": {"capacity": [1, 2]})");
  const SpecCost cost = estimate_cost(spec, {{{100, 300}}});
  EXPECT_EQ(cost.timed_trials_min, 2U * 5 * 2);
  EXPECT_EQ(cost.timed_trials_max, 2U * 5 * 4);
  EXPECT_EQ(cost.instrumented_trials, 2U * 5);
  ASSERT_EQ(cost.graphs.size(), 1U);
  EXPECT_TRUE(cost.graphs[0].known);
  EXPECT_DOUBLE_EQ(cost.graphs[0].engine_bytes, 200);
  EXPECT_DOUBLE_EQ(cost.graphs[0].graph_bytes, 101 * 8 + 300 * 4 + 100 * 4);
  // Two engines of half a second: the least of both, a budget of a second, records and levels.
  EXPECT_NEAR(cost.graphs[0].seconds.least, 2 * 0.5 * (5 * (2 + 1) + 3), 1);
  EXPECT_NEAR(cost.seconds.most, cost.seconds.least, 1e-9);  // the budget is spent by then
  const Spec unbounded = parse(R"("sources": {"count": 5}, "repeats": {"min": 2, "max": 4,
      "relative_error_pct": 5}, "base": {"engine": "limited"}, "cases": {"A": {}})");
  const SpecCost open = estimate_cost(unbounded, {{{100, 300}}});
  EXPECT_NEAR(open.seconds.most - open.seconds.least, 0.5 * 5 * 2, 0.1);
  const Spec limited = parse(R"("sources": {"count": 5}, "limits": {"trial_s": 0.25},
      "base": {"engine": "limited"}, "cases": {"A": {}})");
  EXPECT_LT(estimate_cost(limited, {{{100, 300}}}).seconds.most, 1);  // one trial, and no more
  EXPECT_LT(estimate_cost(spec, {{{100, 300}}}, {0, 0}).seconds.most, 0.1);  // nothing runs here
  EXPECT_FALSE(estimate_cost(spec, {{{0, 0}}}).graphs[0].known);
}

TEST(Cost, EveryInvocationSetsUpAndWarmsUp) {
  const auto seconds = [](const std::string& invocations) {
    const Spec spec = parse(R"("sources": {"count": 5}, "repeats": 4, "warmup": 3,
        "base": {"engine": "limited"}, "cases": {"A": {}}, "invocations": )" +
                            invocations);
    return estimate_cost(spec, {{{100, 300}}}).seconds.most;
  };
  EXPECT_NEAR(seconds("1"), 0.5 * (5 * 4 + 3), 0.5);
  EXPECT_NEAR(seconds("4"), 0.5 * (5 * 4 + 3 * 4), 1);
}

TEST(Cost, WhatNoProcessHasIsCheckedByManyMessages) {
  const auto seconds = [](const std::string& toggles) {
    const Spec spec =
        parse(R"("sources": {"count": 16}, "check": "first", "cases": {"A": {)" + toggles + "}}");
    return estimate_cost(spec, {{{1 << 20, 30'000'000}}}).seconds.most;
  };
  const double one = seconds(R"("engine": "ranked-cpu")");
  const double two = seconds(R"("engine": "ranked-cpu", "ranks": 2)");
  EXPECT_GT(two, one + 16 * 0.1);
}

}  // namespace

}  // namespace bfslab
