// An exam: a graph, sources, and the answers that every engine has to give.
#pragma once

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

// What a traversal from one source has to come to.
struct Truth {
  std::vector<level_t> levels;
  std::uint64_t reached = 0;
  std::uint64_t edges = 0;
  level_t deepest = 0;
};

// A graph and its truths, each found once.
class Exam {
 public:
  Exam(const CsrGraph& graph, const std::vector<vertex_t>& sources);

  // One engine object runs all sources and the first one again: each must find a clean state.
  // `on` is this graph, perhaps without its transpose. Answers in device memory are copied out.
  void take(const EngineInfo& info, const Setting& setting, const CsrGraph& on) const;

 private:
  // `view` is in host memory.
  void expect_right(vertex_t source, const Truth& truth, const AnswerView& view,
                    Answer answer) const;

  const CsrGraph& graph_;
  std::vector<std::pair<vertex_t, Truth>> truths_;
};

}  // namespace bfslab::tests
