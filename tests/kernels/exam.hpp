// SPDX-License-Identifier: Apache-2.0
// An exam: a graph, sources, and the answers that every engine must give.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/engine.hpp"

namespace bfslab::tests {

struct Setting {
  Toggles toggles;
  Answer answer = Answer::levels;

  [[nodiscard]] std::string text() const;
};

// levels, parents, both: what the engine can give.
std::vector<Answer> answers_of(const EngineInfo& info);

GraphFacts facts_of(const CsrGraph& graph);

// The required result of a traversal from one source.
struct Truth {
  std::vector<level_t> levels;
  std::uint64_t reached = 0;
  std::uint64_t edges = 0;
  level_t deepest = 0;
};

// The refusals (kernels/unsupported.hpp) of one test's settings. Counted and printed, and never
// able to hide a wrong answer: only settings that the engine's table names may refuse, and a test
// in which all refused fails.
class Refusals {
 public:
  explicit Refusals(const EngineInfo& info) : info_(info) {}
  ~Refusals();
  Refusals(const Refusals&) = delete;
  Refusals& operator=(const Refusals&) = delete;

  // Returns whether `call` ended without Unsupported. Rethrows it if `toggles` must not refuse.
  bool accepts(const Toggles& toggles, const std::function<void()>& call);
  // The same for what a test is about.
  bool runs(const Toggles& toggles, const std::function<void()>& call);

 private:
  const EngineInfo& info_;
  std::uint64_t ran_ = 0;
  std::uint64_t refused_ = 0;
  std::map<std::string, std::uint64_t> reasons_;
  std::map<std::string, bool> settings_;  // by their text: whether one ever ran
};

// A graph and its truths, each found once.
class Exam {
 public:
  Exam(const CsrGraph& graph, const std::vector<vertex_t>& sources);

  // One engine object runs all sources and the first one again: each must find a clean state, after
  // a refusal too. `on` is this graph, perhaps without its transpose. Answers in device memory are
  // copied out. Without `refusals` no refusal is accepted. A setting that cannot be loaded is tried
  // once more with its numbers at their defaults, so that its other values are examined.
  void take(const EngineInfo& info, const Setting& setting, const CsrGraph& on,
            Refusals* refusals = nullptr) const;

  // The highest level from the first source.
  [[nodiscard]] level_t deepest() const { return truths_.front().second.deepest; }

 private:
  void take_many(Engine& engine, const Setting& setting) const;
  // `view` is in host memory.
  void expect_right(vertex_t source, const Truth& truth, const WholeAnswer& view,
                    Answer answer) const;

  const CsrGraph& graph_;
  std::vector<std::pair<vertex_t, Truth>> truths_;
};

}  // namespace bfslab::tests
