// SPDX-License-Identifier: Apache-2.0
// The tests that `make gpu-test` runs under compute-sanitizer, which slows kernels by orders of
// magnitude: a few tiny graphs of different shapes, every pair of settings on every third graph.
// The levels, the parents and both are asked for in turn, two of them of each setting. A test is
// one engine on one graph: tests run beside each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

struct Tiny {
  const char* family;
  const char* name;
  const char* word;  // for the test's name
  bool symmetric;
  std::size_t turn;  // in which settings and answers are tried
};

constexpr Tiny kTiny[] = {{"word_edges", "random_65", "random", true, 0},
                          {"stars", "star_1000", "star", true, 1},
                          {"random", "uniform_600_degree_16", "uniform", true, 2},
                          {"kronecker", "kronecker:scale=10", "kronecker", true, 3},
                          {"directed", "dag_200", "dag", false, 4},
                          {"directed", "digraph_500_degree_3", "digraph", false, 5}};

using EngineOnGraph = std::pair<const EngineInfo*, Tiny>;

std::vector<EngineOnGraph> engines_on_graphs() {
  std::vector<EngineOnGraph> out;
  for (const EngineInfo* info : engines_under_test()) {
    for (const Tiny& tiny : kTiny) {
      if (tiny.symmetric || info->can.directed) out.emplace_back(info, tiny);
    }
  }
  return out;
}

const ZooGraph& animal_named(const Tiny& tiny) {
  for (const ZooGraph& animal : zoo_family(tiny.family)) {
    if (animal.name == tiny.name) return animal;
  }
  throw std::out_of_range(tiny.name);
}

class Sanitizer : public RunsHere<EngineOnGraph> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Sanitizer);

std::string test_name(const testing::TestParamInfo<EngineOnGraph>& param) {
  return test_name_of(*param.param.first) + "_" + param.param.second.word;
}

INSTANTIATE_TEST_SUITE_P(Tiny, Sanitizer, testing::ValuesIn(engines_on_graphs()), test_name);

// compute-sanitizer 2025.3 takes the kernels inside a graph's conditional nodes for one another:
// racecheck then reports hazards between two kernels that never run at once, synccheck divergent
// threads in CUB's scan, and memcheck accesses as out of bounds of which it says in the same report
// that they are inside their allocation. So all three examine what the nodes hold where launch =
// host launches it.
bool in_a_graph(const Toggles& toggles) {
  return toggles.has("launch") && toggles.choice("launch") == "graph";
}

TEST_P(Sanitizer, AnswersRight) {
  const auto& [info, tiny] = GetParam();
  const ZooGraph& animal = animal_named(tiny);
  const std::vector<Answer> answers = answers_of(*info);
  const std::vector<Toggles> all = each_pair(*info);
  const Exam exam(*animal.graph, {animal.sources.front()});
  Refusals refusals(*info);
  unsigned examined = 0;
  for (std::size_t i = tiny.turn % 3; i < all.size(); i += 3) {
    if (in_a_graph(all[i])) continue;
    const Answer answer = answers[(tiny.turn / 3 + i) % answers.size()];
    exam.take(*info, {all[i], answer}, *animal.graph, &refusals);
    if (testing::Test::HasFatalFailure()) return;
    ++examined;
  }
  EXPECT_GT(examined, 0U);
}

}  // namespace
}  // namespace bfslab::tests
