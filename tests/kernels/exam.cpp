// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/exam.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "harness/check/check.hpp"
#include "harness/check/host_answer.hpp"
#include "kernels/search_toggles.hpp"
#include "kernels/unsupported.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/reference.hpp"

namespace bfslab::tests {

namespace {

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

Toggles with_default_numbers(const EngineInfo& info, Toggles toggles) {
  for (const Toggle& toggle : info.toggles) {
    if (toggle.kind == ToggleKind::integer) toggles.set(toggle.name, toggle.default_value);
  }
  return toggles;
}

}  // namespace

std::string Setting::text() const {
  const char* answers[] = {"levels", "parents", "both"};
  return toggles.text() + " answer=" + answers[static_cast<int>(answer)];
}

std::vector<Answer> answers_of(const EngineInfo& info) {
  std::vector<Answer> answers;
  if (info.can.levels) answers.push_back(Answer::levels);
  if (info.can.parents) answers.push_back(Answer::parents);
  if (info.can.levels && info.can.parents) answers.push_back(Answer::both);
  return answers;
}

GraphFacts facts_of(const CsrGraph& graph) {
  std::uint64_t max_degree = 0;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    max_degree = std::max<std::uint64_t>(max_degree, graph.degree(v));
  }
  return {.vertices = graph.vertex_count(),
          .edges = graph.edge_count(),
          .symmetric = graph.symmetric(),
          .max_degree = max_degree};
}

bool Refusals::accepts(const Toggles& toggles, const std::function<void()>& call) {
  settings_.try_emplace(toggles.text(), false);
  try {
    call();
  } catch (const Unsupported& refusal) {
    if (!info_.may_refuse || !info_.may_refuse(toggles)) throw;
    ++refused_;
    ++reasons_[refusal.what()];
    return false;
  }
  return true;
}

bool Refusals::runs(const Toggles& toggles, const std::function<void()>& call) {
  if (!accepts(toggles, call)) return false;
  ++ran_;
  settings_[toggles.text()] = true;
  return true;
}

Refusals::~Refusals() {
  if (refused_ == 0) return;
  const auto never = std::ranges::count(settings_, false, [](const auto& s) { return s.second; });
  std::cout << info_.name << ": " << refused_ << " refused, " << ran_ << " ran; of "
            << settings_.size() << " settings " << never << " never ran\n";
  std::size_t told = 0;
  for (const auto& [reason, count] : reasons_) {
    if (++told > 5) break;  // each may name its own numbers
    std::cout << "  " << count << ": " << reason << "\n";
  }
  EXPECT_GT(ran_, 0U) << "every setting was refused: nothing was tested";
}

Exam::Exam(const CsrGraph& graph, const std::vector<vertex_t>& sources) : graph_(graph) {
  for (const vertex_t source : sources) truths_.emplace_back(source, find_truth(graph, source));
}

void Exam::take(const EngineInfo& info, const Setting& setting, const CsrGraph& on,
                Refusals* refusals) const {
  SCOPED_TRACE(setting.text());
  const auto engine = info.make({.toggles = setting.toggles, .answer = setting.answer});
  const auto load = [&] { engine->load({.csr = &on, .recipe = on.identity().name}); };
  if (refusals == nullptr) {
    load();
  } else if (!refusals->accepts(setting.toggles, load)) {
    const Toggles plain = with_default_numbers(info, setting.toggles);
    if (plain.text() != setting.toggles.text() && is_legal(info, plain)) {
      take(info, {plain, setting.answer}, on, refusals);
    }
    return;
  }
  HostAnswer host;
  const std::size_t rounds = truths_.size() == 1 ? 1 : truths_.size() + 1;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto& [source, truth] = truths_[round % truths_.size()];
    SCOPED_TRACE("source " + std::to_string(source));
    const auto traverse = [&, from = source] { engine->traverse(from); };
    if (refusals == nullptr) {
      traverse();
    } else if (!refusals->runs(setting.toggles, traverse)) {
      continue;
    }
    expect_right(source, truth, host.take(engine->answer()), setting.answer);
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_EQ(engine->gpu_ms().has_value(), info.can.gpu);
    ASSERT_GE(engine->gpu_ms().value_or(0), 0);
  }
  if (engine->max_searches() > 0) take_many(*engine, setting);
}

// The sources in order and the first one again, as many at once as the engine takes.
void Exam::take_many(Engine& engine, const Setting& setting) const {
  std::vector<vertex_t> sources;
  for (std::size_t i = 0; i < std::min(truths_.size() + 1, engine.max_searches()); ++i) {
    sources.push_back(truths_[i % truths_.size()].first);
  }
  const std::vector<double> ms = engine.search_many(sources);
  const bool together = batch_of(setting.toggles) > 1;
  ASSERT_EQ(ms.size(), together ? 0 : sources.size());
  HostAnswer host;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    SCOPED_TRACE("search " + std::to_string(i) + " of many, source " + std::to_string(sources[i]));
    ASSERT_GE(together ? 0 : ms[i], 0);
    expect_right(sources[i], truths_[i % truths_.size()].second, host.take(engine.answer_of(i)),
                 setting.answer);
    if (testing::Test::HasFatalFailure()) return;
  }
}

void Exam::expect_right(vertex_t source, const Truth& truth, const WholeAnswer& view,
                        Answer answer) const {
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

}  // namespace bfslab::tests
