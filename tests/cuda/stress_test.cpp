// SPDX-License-Identifier: Apache-2.0
// Engines compiled with delays in the middle of what their threads do to shared state
// (kernels/cuda/device/stress.cuh), again and again against the sequential search: what racecheck
// cannot see, since it watches shared memory alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using EngineAndFamily = std::tuple<const EngineInfo*, std::string>;

class Stress : public RunsHere<EngineAndFamily> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Stress);

std::string test_name(const testing::TestParamInfo<EngineAndFamily>& param) {
  return test_name_of(*std::get<0>(param.param)) + "_" + std::get<1>(param.param);
}

INSTANTIATE_TEST_SUITE_P(Delays, Stress,
                         testing::Combine(testing::ValuesIn(engines_under_test()),
                                          testing::Values("kronecker", "random", "directed",
                                                          "stars", "disconnected")),
                         test_name);

// Every value once, and of xbfs the pairs that share most between levels: queues that change from
// level to level, and the list or bits of unvisited vertices that they are taken over from.
std::vector<Toggles> settings_of(const EngineInfo& info) {
  std::vector<Toggles> settings = each_value(info);
  if (info.name != std::string("xbfs")) return settings;
  for (const char* balance : {"unvisited_list", "first_neighbors", "thread_bounded"}) {
    for (const char* expand : {"degree_classes", "thread_warp_cta", "load_balanced"}) {
      for (const char* launch : {"host", "graph"}) {
        Toggles toggles(info.toggles);
        toggles.set("queue", std::string("adaptive"));
        toggles.set("balance", std::string(balance));
        toggles.set("async", balance == std::string("thread_bounded"));
        toggles.set("no_generation", balance != std::string("first_neighbors"));
        toggles.set("expand", std::string(expand));
        toggles.set("launch", std::string(launch));
        settings.push_back(toggles);
      }
    }
  }
  return settings;
}

TEST_P(Stress, AnswersRight) {
  constexpr int kTimes = 3;
  const auto& [info, family] = GetParam();
  if (family == "directed" && !info->can.directed) GTEST_SKIP() << "not for directed graphs";
  const std::vector<Toggles> settings = settings_of(*info);
  Refusals refusals(*info);
  for (const ZooGraph& animal : zoo_family(family)) {
    if (animal.size != Size::small || (!animal.graph->symmetric() && !info->can.directed)) {
      continue;
    }
    SCOPED_TRACE(animal.name);
    const Exam exam(*animal.graph, {animal.sources.front()});
    for (const Toggles& toggles : settings) {
      for (int time = 0; time < kTimes; ++time) {
        exam.take(*info, {toggles, Answer::both}, *animal.graph, &refusals);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
