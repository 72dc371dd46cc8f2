// SPDX-License-Identifier: Apache-2.0
// Batches of sources, and the judgement of their answers, for the tests of engines that search from
// several sources together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/check/check.hpp"
#include "harness/check/host_answer.hpp"
#include "kernels/engine.hpp"
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

}  // namespace bfslab::tests
