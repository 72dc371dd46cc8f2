// SPDX-License-Identifier: Apache-2.0
// Batches of sources, and the judgement of their answers, for the tests of engines that search from
// several sources together.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/check/check.hpp"
#include "harness/check/host_answer.hpp"
#include "kernels/engine.hpp"
#include "kernels/search_toggles.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {

using Sources = std::vector<vertex_t>;

// The levels of each source, found once.
class Truths {
 public:
  explicit Truths(const CsrGraph& graph) : graph_(graph) {}

  std::vector<level_t> of(vertex_t source, level_t limit) {
    const auto [found, fresh] = levels_.try_emplace(source);
    if (fresh) found->second = reference_levels(graph_, source);
    std::vector<level_t> levels = found->second;
    for (level_t& level : levels) {
      if (level > limit) level = kUnreached;
    }
    return levels;
  }

 private:
  const CsrGraph& graph_;
  std::map<vertex_t, std::vector<level_t>> levels_;
};

// Empty, or the first search of the call whose answer is wrong, and how.
inline std::string judge_together(Engine& engine, const CsrGraph& graph, const Sources& sources,
                                  level_t limit, Truths& truths) {
  if (!engine.search_many(sources).empty()) return "a batch has no times of single searches";
  HostAnswer host;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const WholeAnswer answer = host.take(engine.answer_of(i));
    std::string wrong = judge(graph, sources[i], answer, truths.of(sources[i], limit));
    if (wrong.empty()) wrong = check_answer(graph, {sources[i], limit}, answer).reason;
    if (!wrong.empty()) {
      return "search " + std::to_string(i) + ", source " + std::to_string(sources[i]) + ": " +
             wrong;
    }
  }
  return {};
}

// As many vertices of the graph as `count`, the zoo's sources first, in turn.
inline Sources spread(const ZooGraph& animal, std::size_t count) {
  const vertex_t n = animal.graph->vertex_count();
  Sources sources;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t listed = animal.sources.size();
    const bool large = animal.size != Size::small;
    sources.push_back(i < listed || large ? animal.sources[i % listed]
                                          : static_cast<vertex_t>(i * 17 % n));
  }
  return sources;
}

inline std::unique_ptr<Engine> loaded(const char* name, const CsrGraph& graph,
                                      const Toggles& toggles, Answer answer = Answer::levels) {
  auto engine = find_engine(name)->make({.toggles = toggles, .answer = answer});
  engine->load({.csr = &graph, .recipe = ""});
  return engine;
}

// Expects right answers of each of the toggles: of a full batch, of a part, of the same source
// twice, and of another full one, each after what the last one left.
inline void expect_own_answers(const char* name, const ZooGraph& animal, Truths& truths,
                               const std::vector<Toggles>& all) {
  for (const Toggles& toggles : all) {
    SCOPED_TRACE(animal.name + " " + toggles.text());
    const auto engine = loaded(name, *animal.graph, toggles);
    ASSERT_EQ(engine->max_searches(), batch_of(toggles));
    const Sources many = spread(animal, engine->max_searches());
    const Sources part(many.begin(), many.begin() + 1);
    const Sources same{many.back(), many.front(), many.back()};
    for (const Sources& sources : {many, part, same, Sources(many.rbegin(), many.rend())}) {
      ASSERT_EQ(judge_together(*engine, *animal.graph, sources, depth_limit_of(toggles), truths),
                "");
    }
  }
}

// Expects that a single search finds a clean state after a batch, and the other way round.
inline void expect_turns(const char* name, const ZooGraph& animal, const Toggles& toggles) {
  SCOPED_TRACE(animal.name);
  Truths truths(*animal.graph);
  const auto engine = loaded(name, *animal.graph, toggles);
  HostAnswer host;
  for (const vertex_t source : animal.sources) {
    ASSERT_EQ(judge_together(*engine, *animal.graph, spread(animal, engine->max_searches()),
                             kNoDepthLimit, truths),
              "");
    engine->traverse(source);
    ASSERT_EQ(
        judge(*animal.graph, source, host.take(engine->answer()), truths.of(source, kNoDepthLimit)),
        "");
  }
}

// Expects that single searches end at the toggles' limit.
inline void expect_limit(const char* name, const ZooGraph& animal, Truths& truths,
                         const Toggles& toggles) {
  const level_t limit = depth_limit_of(toggles);
  for (const Answer asked : {Answer::levels, Answer::parents, Answer::both}) {
    SCOPED_TRACE(animal.name + " " + toggles.text());
    const auto engine = loaded(name, *animal.graph, toggles, asked);
    HostAnswer host;
    for (const vertex_t source : animal.sources) {
      engine->traverse(source);
      const WholeAnswer answer = host.take(engine->answer());
      ASSERT_EQ(judge(*animal.graph, source, answer, truths.of(source, limit)), "");
      ASSERT_EQ(check_answer(*animal.graph, {source, limit}, answer).reason, "");
    }
  }
}

}  // namespace bfslab::tests
