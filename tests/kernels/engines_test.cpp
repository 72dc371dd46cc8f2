// SPDX-License-Identifier: Apache-2.0
// Every registered engine, on the whole zoo, in every setting worth trying. A new engine is covered
// by being linked in: one of the CPU in kernels_tests, one of the GPU in cuda_tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "kernels/engine.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

constexpr double kMaxBytes = 4e9;  // settings that would take more are skipped

std::vector<Toggles> with_threads(const Toggles& toggles, const std::vector<int>& counts) {
  if (!counts_threads(toggles)) return {toggles};
  std::vector<Toggles> out;
  for (const int count : counts) {
    out.push_back(toggles);
    out.back().set("threads", std::int64_t{count});
  }
  return out;
}

// Small graphs: pairs of toggle values, each at every answer; of engines with many toggles, those
// on the GPU and the distributed ones, at one of them, another on the next graph (`turn`). Large
// ones: each value once. In both, the default at every number of threads, the rest at these in
// turn. Deep ones: one setting.
std::vector<Setting> settings_for(const EngineInfo& info, Size size, std::size_t turn) {
  const std::vector<Answer> answers = answers_of(info);
  if (size == Size::deep) {
    return {{with_threads(Toggles(info.toggles), {2}).front(), answers.back()}};
  }
  static const std::vector<int> kThreads{1, 2, 5};
  std::vector<Setting> settings;
  const std::vector<Toggles> all = size == Size::small ? each_pair(info) : each_value(info);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto counts = i == 0 ? kThreads : std::vector<int>{kThreads[i % kThreads.size()]};
    for (const Toggles& toggles : with_threads(all[i], counts)) {
      if (i == 0 || (size == Size::small && !info.can.gpu && !info.can.distributed)) {
        for (const Answer answer : answers) settings.push_back({toggles, answer});
      } else {
        settings.push_back({toggles, answers[(i + turn) % answers.size()]});
      }
    }
  }
  return settings;
}

using EngineAndFamily = std::tuple<const EngineInfo*, std::string>;

class EveryEngine : public RunsHere<EngineAndFamily> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryEngine);

// The sources on which the settings are examined in turn: all of them; on the GPU, where each
// launch is costly and settings are many, two of them on small graphs.
std::vector<Exam> exams_for(const EngineInfo& info, const ZooGraph& animal) {
  const std::vector<vertex_t>& sources = animal.sources;
  const std::size_t count = sources.size();
  if (!info.can.gpu || animal.size != Size::small || count <= 2) {
    return {Exam(*animal.graph, sources)};
  }
  std::vector<Exam> exams;
  for (std::size_t i = 0; i < count; ++i) {
    exams.emplace_back(*animal.graph, std::vector<vertex_t>{sources[i], sources[(i + 1) % count]});
  }
  return exams;
}

TEST_P(EveryEngine, AnswersRight) {
  const auto& [info, family] = GetParam();
  std::string why;
  const std::vector<ZooGraph>& graphs = zoo_family(family, &why);
  if (graphs.empty()) GTEST_SKIP() << why;
  Refusals refusals(*info);
  std::size_t turn = 0;
  for (const ZooGraph& animal : graphs) {
    const CsrGraph& graph = *animal.graph;
    if (!graph.symmetric() && !info->can.directed) continue;
    SCOPED_TRACE(animal.name);
    const std::vector<Exam> exams = exams_for(*info, animal);
    std::size_t next = turn;
    constexpr level_t kManyLevels = 60;  // each may cost a launch and a wait
    const bool many_levels = info->can.gpu && exams.front().deepest() >= kManyLevels;
    const Size size = animal.size == Size::small && many_levels ? Size::large : animal.size;
    for (const Setting& setting : settings_for(*info, size, turn)) {
      if (info->estimate(facts_of(graph), setting.toggles, setting.answer).bytes > kMaxBytes) {
        continue;
      }
      exams[next++ % exams.size()].take(*info, setting, graph, &refusals);
      if (HasFatalFailure()) return;
    }
    ++turn;
  }
}

std::string test_name(const testing::TestParamInfo<EngineAndFamily>& param) {
  return test_name_of(*std::get<0>(param.param)) + "_" + std::get<1>(param.param);
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryEngine,
                         testing::Combine(testing::ValuesIn(engines_under_test()),
                                          testing::ValuesIn(zoo_families())),
                         test_name);

class LargeRealGraph : public RunsHere<std::string> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LargeRealGraph);

TEST_P(LargeRealGraph, EveryEngineAnswersRight) {
  std::string why;
  const std::vector<ZooGraph> graphs = large_real_graph(GetParam(), why);
  if (graphs.empty()) GTEST_SKIP() << why;
  for (const ZooGraph& animal : graphs) {
    const Exam exam(*animal.graph, animal.sources);
    for (const EngineInfo* const info : engines_under_test()) {
      if (!animal.graph->symmetric() && !info->can.directed) continue;
      SCOPED_TRACE(animal.name + " by " + info->name);
      Refusals refusals(*info);
      for (const Setting& setting : settings_for(*info, animal.size, 0)) {
        exam.take(*info, setting, *animal.graph, &refusals);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Real, LargeRealGraph, testing::ValuesIn(large_real_graphs()),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

class EngineAlone : public RunsHere<const EngineInfo*> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineAlone);

INSTANTIATE_TEST_SUITE_P(Registry, EngineAlone, testing::ValuesIn(engines_under_test()),
                         [](const auto& param) { return test_name_of(*param.param); });

TEST_P(EngineAlone, LoadsAnEmptyGraph) {
  const auto graph = make_graph(0, {});
  Refusals refusals(*GetParam());
  for (const Toggles& toggles : each_value(*GetParam())) {
    for (const Answer answer : answers_of(*GetParam())) {
      SCOPED_TRACE((Setting{toggles, answer}.text()));
      const auto engine = GetParam()->make({.toggles = toggles, .answer = answer});
      const auto load = [&] { engine->load({.csr = graph.get(), .recipe = ""}); };
      if (!refusals.runs(toggles, load)) continue;
      EXPECT_EQ(engine->answer().vertex_count, 0U);
    }
  }
}

// `bfslab check` warns by the estimate, so it has to be what the engine then holds.
TEST_P(EngineAlone, EstimatesItsMemory) {
  Refusals refusals(*GetParam());
  for (const vertex_t n : {2U, 5'000U, 60'000U}) {
    std::vector<std::pair<vertex_t, vertex_t>> edges;
    for (vertex_t v = 1; v < n; ++v) edges.emplace_back(v, v / 2);
    for (vertex_t v = 0; v < n; ++v) edges.emplace_back(v, std::uint64_t{v} * 7919 % n);
    const auto graph = make_graph(n, edges);
    for (const Toggles& toggles : each_value(*GetParam())) {
      for (const Answer answer : answers_of(*GetParam())) {
        SCOPED_TRACE((std::to_string(n) + " vertices, " + Setting{toggles, answer}.text()));
        const Estimate estimate = GetParam()->estimate(facts_of(*graph), toggles, answer);
        EXPECT_TRUE(std::isfinite(estimate.seconds) && estimate.seconds > 0) << estimate.seconds;
        if (estimate.bytes > kMaxBytes) continue;
        const auto engine = GetParam()->make({.toggles = toggles, .answer = answer});
        const auto load = [&] { engine->load({.csr = graph.get(), .recipe = ""}); };
        if (!refusals.runs(toggles, load)) continue;
        const MemoryUse memory = engine->memory();
        const auto held = static_cast<double>(memory.total() - memory.sized_by_device);
        EXPECT_GE(estimate.bytes, held - 16'384 - 0.02 * held);
        // If the need depends on degrees, the estimate is that of the worst case.
        EXPECT_LE(estimate.bytes, held + 16'384 + 0.1 * held);
      }
    }
  }
}

// An engine that does not need the transpose must not depend on it; one that needs it may refuse,
// but must not be wrong.
TEST_P(EngineAlone, AnswersRightOrRefusesWithoutTheTranspose) {
  const EngineInfo& info = *GetParam();
  if (!info.can.directed) GTEST_SKIP() << "not for directed graphs";
  Refusals refusals(info);
  for (const ZooGraph& animal : zoo_family("directed")) {
    SCOPED_TRACE(animal.name);
    const Exam exam(*animal.graph, animal.sources);
    const CsrGraph bare = without_transpose(*animal.graph);
    for (const Setting& setting : settings_for(info, Size::large, 0)) {
      try {
        exam.take(info, setting, bare, &refusals);
      } catch (const std::invalid_argument& refusal) {
        ASSERT_TRUE(info.can.needs_transpose) << refusal.what();
      }
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
