// What `make gpu-test` runs under compute-sanitizer, which slows kernels by orders of magnitude: a
// few tiny graphs of different shapes, every pair of settings. The levels, the parents and both are
// asked for in turn, so that over the graphs every setting gives every answer.
#include <gtest/gtest.h>

#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

class Sanitizer : public RunsHere<const EngineInfo*> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Sanitizer);

INSTANTIATE_TEST_SUITE_P(Tiny, Sanitizer, testing::ValuesIn(engines_under_test()),
                         [](const auto& param) { return test_name_of(*param.param); });

const ZooGraph& animal_named(const char* family, const char* name) {
  for (const ZooGraph& animal : zoo_family(family)) {
    if (animal.name == name) return animal;
  }
  throw std::out_of_range(name);
}

TEST_P(Sanitizer, AnswersRight) {
  const EngineInfo& info = *GetParam();
  const std::vector<Answer> answers = answers_of(info);
  const std::vector<Toggles> all = each_pair(info);
  std::size_t turn = 0;
  Refusals refusals(info);
  for (const auto& [family, name] :
       {std::pair{"word_edges", "random_65"}, std::pair{"stars", "star_1000"},
        std::pair{"random", "uniform_600_degree_16"}, std::pair{"kronecker", "kronecker:scale=10"},
        std::pair{"directed", "dag_200"}, std::pair{"directed", "digraph_500_degree_3"}}) {
    const ZooGraph& animal = animal_named(family, name);
    if (!animal.graph->symmetric() && !info.can.directed) continue;
    SCOPED_TRACE(animal.name);
    const Exam exam(*animal.graph, {animal.sources.front()});
    for (std::size_t i = 0; i < all.size(); ++i) {
      exam.take(info, {all[i], answers[(turn + i) % answers.size()]}, *animal.graph, &refusals);
      if (HasFatalFailure()) return;
    }
    ++turn;
  }
}

}  // namespace
}  // namespace bfslab::tests
