// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/ablation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bfslab {
namespace {

// Two flags that may both be on, one that needs the first off, a choice that is bound to the
// second, a small integer and a number.
EngineInfo engine() {
  EngineInfo info;
  info.name = "made-up";
  const LegalWith without_a{"a", {false}, "a does its work"};
  const LegalWith with_b{"b", {true}, "b fills it"};
  info.toggles = {
      Toggle::flag("a", true, ""),
      Toggle::flag("b", false, ""),
      Toggle::flag("c", false, "", "", {without_a}),
      Toggle::choice("queue", "plain", {"plain", "full"}, "", "", {with_b}),
      Toggle::integer("hints", 1, 0, 2, ""),
      Toggle::real("alpha", 1, 0, 9, ""),
  };
  info.groups = {{"ab", "", {{true, {{"a", true}, {"b", true}}}}}};
  info.presets = {{"deep", "", {{"alpha", 3.0}}}};
  return info;
}

std::vector<std::string> names(const std::vector<AblationCase>& cases) {
  std::vector<std::string> all;
  for (const AblationCase& each : cases) all.push_back(each.name);
  return all;
}

const Technique* find(const Ablation& ablation, const std::string& name, const std::string& among) {
  const auto found = std::ranges::find_if(ablation.techniques, [&](const Technique& each) {
    return each.name == name && each.among == among;
  });
  return found == ablation.techniques.end() ? nullptr : &*found;
}

TEST(Ablation, HasEverythingOnEachOffNothingOnEachOnAndAllValues) {
  const Ablation ablation = ablation_of(engine(), {{"engine", "made-up"}}, false);
  EXPECT_EQ(ablation.base, Json({{"engine", "made-up"}, {"a", true}, {"b", true}, {"c", false}}));
  EXPECT_EQ(names(ablation.cases),
            (std::vector<std::string>{"all", "all, no a", "all, no b", "all, queue=full",
                                      "all, hints=0", "all, hints=2", "none", "only c"}));
  EXPECT_EQ(ablation.cases[6].settings, Json({{"a", false}, {"b", false}, {"c", false}}));
  EXPECT_EQ(ablation.cases[7].settings, Json({{"a", false}, {"b", false}, {"c", true}}));
  EXPECT_EQ(find(ablation, "a", "none")->with, "all, no b");  // only a, which is the same
  EXPECT_EQ(find(ablation, "a", "all")->without, "all, no a");
  EXPECT_EQ(find(ablation, "a", "all")->with, "all");
  EXPECT_EQ(find(ablation, "queue=full", "all")->without, "all");
  EXPECT_EQ(find(ablation, "queue=full", "all")->with, "all, queue=full");
  EXPECT_EQ(find(ablation, "c", "none")->with, "only c");
  EXPECT_EQ(find(ablation, "c", "all"), nullptr);
  EXPECT_EQ(ablation.not_varied, std::vector<std::string>{"alpha"});
}

TEST(Ablation, NamesWhatTheRulesRefuse) {
  const Ablation ablation = ablation_of(engine(), {{"engine", "made-up"}}, false);
  ASSERT_EQ(ablation.left_out.size(), 1U);
  EXPECT_EQ(ablation.left_out[0], "all, c: c = true with a = true: a does its work");
}

TEST(Ablation, AValueThatEverythingOnRefusesIsTriedInNothingOn) {
  EngineInfo info = engine();
  info.toggles[3].legal_with = {{"b", {false}, "b has none"}};
  const Ablation ablation = ablation_of(info, {{"engine", "made-up"}}, false);
  EXPECT_EQ(find(ablation, "queue=full", "all"), nullptr);
  EXPECT_EQ(find(ablation, "queue=full", "none")->with, "none, queue=full");
  EXPECT_NE(std::ranges::find(ablation.left_out,
                              "all, queue=full: queue = full with b = true: b has none"),
            ablation.left_out.end());
}

TEST(Ablation, KeepsWhatTheBaseSetsItselfOrByAGroup) {
  const Ablation ablation = ablation_of(
      engine(), {{"engine", "made-up"}, {"preset", "deep"}, {"ab", true}, {"hints", 0}}, false);
  EXPECT_EQ(names(ablation.cases), (std::vector<std::string>{"all", "all, queue=full"}));
  EXPECT_EQ(ablation.not_varied, (std::vector<std::string>{"a", "b", "hints", "alpha"}));
}

TEST(Ablation, APresetsNumberReturnsToItsDefaultWhereItsTechniqueIsOff) {
  EngineInfo info = engine();
  info.toggles.back().legal_with = {{"a", {true}, "a uses it"}};
  const Ablation deep = ablation_of(info, {{"engine", "made-up"}, {"preset", "deep"}}, false);
  EXPECT_EQ(find(deep, "a", "all")->without, "all, no a");
  EXPECT_EQ(deep.cases[1].settings, Json({{"a", false}, {"alpha", 1.0}}));
  EXPECT_EQ(find(deep, "a", "none")->with, "all, no b");  // a alone has the preset's number again
  const Ablation fixed = ablation_of(info, {{"engine", "made-up"}, {"alpha", 3}}, false);
  EXPECT_EQ(find(fixed, "a", "all"), nullptr);  // what --set sets stays as it is
}

TEST(Ablation, AnEngineWithoutFlagsStartsFromItsDefaultsOrItsPreset) {
  EngineInfo info = engine();
  info.toggles = {Toggle::choice("queue", "plain", {"plain", "full"}, "")};
  info.groups = {};
  info.presets = {{"deep", "", {{"queue", std::string("full")}}}};
  const Ablation plain = ablation_of(info, {{"engine", "made-up"}}, false);
  EXPECT_EQ(names(plain.cases), (std::vector<std::string>{"defaults", "defaults, queue=full"}));
  const Ablation deep = ablation_of(info, {{"engine", "made-up"}, {"preset", "deep"}}, false);
  EXPECT_EQ(names(deep.cases), (std::vector<std::string>{"deep", "deep, queue=plain"}));
}

TEST(Ablation, PairsKnowWhichOfTheirCasesUseWhichTechnique) {
  const Ablation ablation = ablation_of(engine(), {{"engine", "made-up"}, {"hints", 1}}, true);
  ASSERT_EQ(ablation.pairs.size(), 2U);  // queue=full needs b
  const TechniquePair& off = ablation.pairs[0];
  EXPECT_EQ(off.first_name, "a");
  EXPECT_EQ(off.second_name, "b");
  EXPECT_EQ(off.both, "all");
  EXPECT_EQ(off.first, "all, no b");
  EXPECT_EQ(off.second, "all, no a");
  EXPECT_EQ(off.neither, "none");  // neither of its flags
  const TechniquePair& mixed = ablation.pairs[1];
  EXPECT_EQ(mixed.first_name, "a");
  EXPECT_EQ(mixed.second_name, "queue=full");
  EXPECT_EQ(mixed.both, "all, queue=full");
  EXPECT_EQ(mixed.first, "all");
  EXPECT_EQ(mixed.second, "no a, queue=full");
  EXPECT_EQ(mixed.neither, "all, no a");
}

// Every combination that the real engines' ablations name is one that a spec would take.
TEST(Ablation, OfEveryEngineLinkedInHasCasesWithDifferentNames) {
  for (const EngineInfo* info : engines()) {
    if (info->counts()) continue;
    const Ablation ablation = ablation_of(*info, {{"engine", info->name}}, true);
    std::vector<std::string> all = names(ablation.cases);
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << info->name;
    for (const std::string& name : all) EXPECT_LE(name.size(), 64U) << info->name;
    for (const Technique& each : ablation.techniques) {
      EXPECT_TRUE(std::ranges::binary_search(all, each.with)) << each.with;
      EXPECT_TRUE(std::ranges::binary_search(all, each.without)) << each.without;
      EXPECT_NE(each.with, each.without);
    }
  }
}

}  // namespace
}  // namespace bfslab
