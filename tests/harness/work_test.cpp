// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/work.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace bfslab {
namespace {

TEST(Work, AWorkerGetsItsGraphAndConfigurationsAsTheDriverResolvedThem) {
  const Spec spec = parse_spec(R"({
      "name": "s", "graphs": ["path:vertices=9", {"name": "path:vertices=5", "sources": 2}],
      "sources": {"count": 4, "seed": 3, "rule": "any"}, "warmup": 2, "burst": 5, "answer": "both",
      "base": {"engine": "hybrid", "rule": "beamer"}, "record": ["time", "energy"],
      "pollution": {"limit_pct": 20, "drift_pct": 30},
      "sweep": {"alpha": [1.5, 2, 3]}})",
                               "FILE");
  const Spec work = read_work(work_text(spec, 1, std::array<std::size_t, 2>{2, 0}), "FILE");
  ASSERT_EQ(work.configurations.size(), 2U);
  for (const auto& [own, whole] : {std::pair(0, 2), std::pair(1, 0)}) {
    const auto at = [](const Spec& of, int index) {
      return of.configurations[static_cast<std::size_t>(index)];
    };
    EXPECT_EQ(at(work, own).toggles.values(), at(spec, whole).toggles.values());
    EXPECT_EQ(at(work, own).engine, at(spec, whole).engine);
    EXPECT_EQ(at(work, own).case_name, at(spec, whole).case_name);
    EXPECT_EQ(at(work, own).ranks, at(spec, whole).ranks);
  }
  ASSERT_EQ(work.graphs.size(), 1U);
  EXPECT_EQ(work.graphs[0].name.canonical, spec.graphs[1].name.canonical);
  const SourceRule sources = work.sources_of(work.graphs[0]);
  EXPECT_EQ(sources.count, 2U);
  EXPECT_EQ(sources.seed, 3U);
  EXPECT_EQ(sources.rule, SourceRule::Rule::any);
  EXPECT_EQ(work.repeats.warmup, 2U);
  EXPECT_EQ(work.repeats.burst, 5U);
  EXPECT_EQ(work.answer, Answer::both);
  EXPECT_TRUE(work.record_time && work.record_energy && !work.record_levels);
  EXPECT_EQ(work.pollution.limit_pct, 20);
  EXPECT_EQ(work.pollution.drift_pct, 30);
  EXPECT_EQ(work.name, spec.name);
  EXPECT_EQ(work.hash, spec.hash);
}

TEST(Work, ATextOfAnotherProgramIsRefused) {
  const Spec spec = parse_spec(
      R"({"name": "s", "graphs": ["path:vertices=9"], "base": {"engine": "hybrid"}})", "FILE");
  std::string text = work_text(spec, 0, std::array<std::size_t, 1>{0});
  const std::string engine = R"("engine":"hybrid")";
  text.replace(text.find(engine), engine.size(), R"("engine":"gone")");
  EXPECT_THROW(read_work(text, "FILE"), std::runtime_error);
}

}  // namespace
}  // namespace bfslab
