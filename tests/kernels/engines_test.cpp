// Every registered engine, on the whole zoo, in every setting worth trying. A new engine is covered
// by being linked in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/check/check.hpp"
#include "kernels/engine.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

constexpr double kMostBytes = 4e9;  // settings that would take more are left out

struct Setting {
  Toggles toggles;
  Answer answer = Answer::levels;

  [[nodiscard]] std::string text() const {
    const char* answers[] = {"levels", "parents", "both"};
    return toggles.text() + " answer=" + answers[static_cast<int>(answer)];
  }
};

std::vector<Answer> answers_of(const EngineInfo& info) {
  std::vector<Answer> answers;
  if (info.can.levels) answers.push_back(Answer::levels);
  if (info.can.parents) answers.push_back(Answer::parents);
  if (info.can.levels && info.can.parents) answers.push_back(Answer::both);
  return answers;
}

std::vector<Toggles> with_threads(const Toggles& toggles, const std::vector<int>& counts) {
  if (!toggles.has("threads")) return {toggles};
  std::vector<Toggles> out;
  for (const int count : counts) {
    out.push_back(toggles);
    out.back().set("threads", std::int64_t{count});
  }
  return out;
}

// Small graphs: pairs of toggle values, each at every answer. Large ones: each value once. In both,
// the default at every number of threads, the rest at these in turn. Deep ones: one setting.
std::vector<Setting> settings_for(const EngineInfo& info, Size size) {
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
      if (i == 0 || size == Size::small) {
        for (const Answer answer : answers) settings.push_back({toggles, answer});
      } else {
        settings.push_back({toggles, answers[i % answers.size()]});
      }
    }
  }
  return settings;
}

GraphFacts facts_of(const CsrGraph& graph) {
  return {.vertices = graph.vertex_count(),
          .edges = graph.edge_count(),
          .symmetric = graph.symmetric()};
}

// What a traversal from one source has to come to.
struct Truth {
  std::vector<level_t> levels;
  std::uint64_t reached = 0;
  std::uint64_t edges = 0;
  level_t deepest = 0;
};

Truth find_truth(const CsrGraph& graph, vertex_t source) {
  Truth truth;
  truth.levels = reference_levels(graph, source);
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    if (truth.levels[v] == kUnreached) continue;
    ++truth.reached;
    truth.edges += graph.degree(v);
    truth.deepest = std::max(truth.deepest, truth.levels[v]);
  }
  return truth;
}

// A graph and its truths, each found once.
class Exam {
 public:
  Exam(const CsrGraph& graph, const std::vector<vertex_t>& sources) : graph_(graph) {
    for (const vertex_t source : sources) truths_.emplace_back(source, find_truth(graph, source));
  }

  // One engine object runs all sources and the first one again: each must find a clean state.
  // `on` is this graph, perhaps without its transpose.
  void take(const EngineInfo& info, const Setting& setting, const CsrGraph& on) const {
    SCOPED_TRACE(setting.text());
    const auto engine = info.make({.toggles = setting.toggles, .answer = setting.answer});
    engine->load({.csr = &on, .recipe = on.identity().name});
    const std::size_t rounds = truths_.size() == 1 ? 1 : truths_.size() + 1;
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto& [source, truth] = truths_[round % truths_.size()];
      SCOPED_TRACE("source " + std::to_string(source));
      engine->traverse(source);
      expect_right(source, truth, engine->answer(), setting.answer);
      if (testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  void expect_right(vertex_t source, const Truth& truth, const AnswerView& view,
                    Answer answer) const {
    ASSERT_EQ(view.space, MemorySpace::host);
    ASSERT_EQ(view.vertex_count, graph_.vertex_count());
    ASSERT_EQ(view.levels != nullptr, wants_levels(answer));
    ASSERT_EQ(view.parents != nullptr, wants_parents(answer));
    ASSERT_EQ(judge(graph_, source, view, truth.levels), "");

    const CheckResult verdict = check_answer(graph_, source, view, 2);
    ASSERT_TRUE(verdict.ok) << verdict.reason;
    ASSERT_EQ(verdict.reached_vertices, truth.reached);
    ASSERT_EQ(verdict.levels, std::uint64_t{truth.deepest} + 1);
    ASSERT_EQ(verdict.component_edges, graph_.symmetric() ? truth.edges / 2 : truth.edges);
  }

  const CsrGraph& graph_;
  std::vector<std::pair<vertex_t, Truth>> truths_;
};

using EngineAndFamily = std::tuple<const EngineInfo*, std::string>;

class EveryEngine : public testing::TestWithParam<EngineAndFamily> {};

TEST_P(EveryEngine, AnswersRight) {
  const auto& [info, family] = GetParam();
  std::string why;
  const std::vector<ZooGraph>& graphs = zoo_family(family, &why);
  if (graphs.empty()) GTEST_SKIP() << why;
  for (const ZooGraph& animal : graphs) {
    const CsrGraph& graph = *animal.graph;
    if (!graph.symmetric() && !info->can.directed) continue;
    SCOPED_TRACE(animal.name);
    const Exam exam(graph, animal.sources);
    for (const Setting& setting : settings_for(*info, animal.size)) {
      if (info->estimate(facts_of(graph), setting.toggles, setting.answer).bytes > kMostBytes) {
        continue;
      }
      exam.take(*info, setting, graph);
      if (HasFatalFailure()) return;
    }
  }
}

std::string test_name(const testing::TestParamInfo<EngineAndFamily>& param) {
  std::string name = std::get<0>(param.param)->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_" + std::get<1>(param.param);
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryEngine,
                         testing::Combine(testing::ValuesIn(traversing_engines()),
                                          testing::ValuesIn(zoo_families())),
                         test_name);

class EngineAlone : public testing::TestWithParam<const EngineInfo*> {};

INSTANTIATE_TEST_SUITE_P(Registry, EngineAlone, testing::ValuesIn(traversing_engines()),
                         [](const auto& param) {
                           std::string name = param.param->name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EngineAlone, LoadsAnEmptyGraph) {
  const auto graph = make_graph(0, {});
  for (const Toggles& toggles : each_value(*GetParam())) {
    for (const Answer answer : answers_of(*GetParam())) {
      SCOPED_TRACE((Setting{toggles, answer}.text()));
      const auto engine = GetParam()->make({.toggles = toggles, .answer = answer});
      engine->load({.csr = graph.get(), .recipe = ""});
      EXPECT_EQ(engine->answer().vertex_count, 0U);
    }
  }
}

// `bfslab check` warns by the estimate, so it has to be what the engine then holds.
TEST_P(EngineAlone, EstimatesItsMemory) {
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
        if (estimate.bytes > kMostBytes) continue;
        const auto engine = GetParam()->make({.toggles = toggles, .answer = answer});
        engine->load({.csr = graph.get(), .recipe = ""});
        const auto held = static_cast<double>(engine->memory().total());
        EXPECT_NEAR(estimate.bytes, held, 16'384 + 0.02 * held);
      }
    }
  }
}

// What does not ask for the transpose must not depend on it; what asks may refuse, but not be
// wrong.
TEST_P(EngineAlone, AnswersRightOrRefusesWithoutTheTranspose) {
  const EngineInfo& info = *GetParam();
  if (!info.can.directed) GTEST_SKIP() << "not for directed graphs";
  for (const ZooGraph& animal : zoo_family("directed")) {
    SCOPED_TRACE(animal.name);
    const Exam exam(*animal.graph, animal.sources);
    const CsrGraph bare = without_transpose(*animal.graph);
    for (const Setting& setting : settings_for(info, Size::large)) {
      try {
        exam.take(info, setting, bare);
      } catch (const std::invalid_argument& refusal) {
        ASSERT_TRUE(info.can.needs_transpose) << refusal.what();
      }
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
