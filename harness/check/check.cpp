// SPDX-License-Identifier: Apache-2.0
#include "harness/check/check.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <stdexcept>

#include "datasets/graph/buffer.hpp"
#include "harness/check/first_violation.hpp"
#include "harness/check/tree_levels.hpp"
#include "kernels/answer_rules.hpp"

namespace bfslab {

namespace {

// Each rule returns the smallest vertex that breaks it, or kNoVertex. They rely on the ones before
// them.
class Judge {
 public:
  Judge(const CsrGraph& graph, SearchAsked search, const WholeAnswer& answer, int threads)
      : graph_(graph),
        n_(graph.vertex_count()),
        source_(search.source),
        depth_limit_(search.depth_limit),
        threads_(threads),
        levels_(answer.levels),
        parents_(answer.parents) {}

  vertex_t source_is_root() {
    const bool broken = (levels_ != nullptr && levels_[source_] != 0) ||
                        (parents_ != nullptr && parents_[source_] != source_);
    return broken ? source_ : kNoVertex;
  }

  vertex_t levels_in_range() {
    if (levels_ == nullptr) return kNoVertex;
    return violation([&](vertex_t u) {
      return (levels_[u] >= n_ && levels_[u] != kUnreached) || (levels_[u] == 0 && u != source_);
    });
  }

  vertex_t parents_in_range() {
    if (parents_ == nullptr) return kNoVertex;
    return violation([&](vertex_t u) { return parents_[u] >= n_ && parents_[u] != kNoVertex; });
  }

  vertex_t halves_agree() {
    if (levels_ == nullptr || parents_ == nullptr) return kNoVertex;
    return violation(
        [&](vertex_t u) { return (levels_[u] == kUnreached) != (parents_[u] == kNoVertex); });
  }

  // Graph500's first rule. Where levels came with the tree, rule `parents_one_level_up` excludes
  // cycles by itself.
  vertex_t parents_form_a_tree() {
    if (levels_ != nullptr) return kNoVertex;
    derived_ = Buffer<level_t>(n_);
    levels_ = derived_.data();
    return tree_levels({parents_, n_}, source_, derived_.span(), threads_);
  }

  vertex_t levels_within_limit() {
    if (depth_limit_ == kNoDepthLimit) return kNoVertex;
    return violation(
        [&](vertex_t u) { return levels_[u] != kUnreached && levels_[u] > depth_limit_; });
  }

  vertex_t parents_are_neighbors() {
    if (parents_ == nullptr) return kNoVertex;
    // In the child's row of in-neighbours if there is one: a hub has many children.
    const CsrGraph* in = graph_.incoming();
    return violation([&](vertex_t u) {
      const vertex_t parent = parents_[u];
      if (u == source_ || parent == kNoVertex) return false;
      const auto row = in != nullptr ? in->neighbors(u) : graph_.neighbors(parent);
      return !std::binary_search(row.begin(), row.end(), in != nullptr ? parent : u);
    });
  }

  vertex_t parents_one_level_up() {
    if (parents_ == nullptr) return kNoVertex;
    return violation([&](vertex_t u) {
      if (u == source_ || parents_[u] == kNoVertex) return false;
      const level_t above = levels_[parents_[u]];
      return above == kUnreached || above + 1 != levels_[u];
    });
  }

  vertex_t edges_span_one_level() {
    return violation([&](vertex_t v) {
      if (levels_[v] == kUnreached || levels_[v] == depth_limit_) return false;
      level_t deepest = 0;  // kUnreached is the deepest of all
      for (const vertex_t w : graph_.neighbors(v)) deepest = std::max(deepest, levels_[w]);
      return deepest > levels_[v] + 1;
    });
  }

  vertex_t levels_are_supported() {
    if (parents_ != nullptr) return kNoVertex;
    const CsrGraph* in = graph_.incoming();
    const Buffer<std::uint8_t> supported =
        in == nullptr ? mark_supported() : Buffer<std::uint8_t>();
    return violation([&](vertex_t u) {
      if (u == source_ || levels_[u] == kUnreached) return false;
      if (in == nullptr) return supported[u] == 0;
      return std::ranges::none_of(in->neighbors(u),
                                  [&](vertex_t w) { return levels_[w] + 1 == levels_[u]; });
    });
  }

  CheckResult refuse(Rule rule, vertex_t v) const {
    return refused(
        sentence(rule, v, graph_,
                 {source_, levels_ == nullptr ? std::span<const level_t>() : std::span(levels_, n_),
                  parents_ == nullptr ? std::span<const vertex_t>() : std::span(parents_, n_),
                  depth_limit_}));
  }

  CheckResult count() const {
    level_t deepest = 0;
    std::uint64_t reached = 0;
    std::uint64_t edges = 0;
    std::uint64_t input_edges = 0;
    std::uint64_t level_sum = 0;
    const auto inputs = graph_.input_edges();
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(max : deepest) \
    reduction(+ : reached, edges, input_edges, level_sum)
    for (vertex_t v = 0; v < n_; ++v) {
      if (levels_[v] == kUnreached) continue;
      deepest = std::max(deepest, levels_[v]);
      ++reached;
      level_sum += levels_[v];
      edges += graph_.degree(v);
      if (!inputs.empty()) input_edges += inputs[v];
    }
    return {.ok = true,
            .reason = {},
            .levels = std::uint64_t{deepest} + 1,
            .reached_vertices = reached,
            .component_edges = graph_.symmetric() ? edges / 2 : edges,
            .component_input_edges = input_edges,
            .level_sum = level_sum};
  }

 private:
  template <typename Breaks>
  vertex_t violation(const Breaks& breaks) const {
    return first_violation(n_, threads_, breaks);
  }

  // Directed graphs without a transpose need a pass over all out-edges.
  Buffer<std::uint8_t> mark_supported() const {
    Buffer<std::uint8_t> marks(n_);  // mapped pages are zero
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1024)
    for (vertex_t u = 0; u < n_; ++u) {
      if (levels_[u] == kUnreached) continue;
      for (const vertex_t w : graph_.neighbors(u)) {
        if (levels_[w] != levels_[u] + 1) continue;
        std::atomic_ref<std::uint8_t>(marks[w]).store(1, std::memory_order_relaxed);
      }
    }
    return marks;
  }

  const CsrGraph& graph_;
  vertex_t n_;
  vertex_t source_;
  level_t depth_limit_;
  int threads_;
  const level_t* levels_;
  const vertex_t* parents_;
  Buffer<level_t> derived_;
};

Judge make_judge(const CsrGraph& graph, SearchAsked search, const WholeAnswer& answer,
                 int threads) {
  if (answer.space != MemorySpace::host) {
    throw std::invalid_argument("the answer to check is not in host memory");
  }
  if (answer.levels == nullptr && answer.parents == nullptr) {
    throw std::invalid_argument("the answer to check has neither levels nor parents");
  }
  if (search.source >= graph.vertex_count() || answer.vertex_count != graph.vertex_count()) {
    throw std::invalid_argument("the answer to check belongs to another graph");
  }
  return {graph, search, answer, threads > 0 ? threads : omp_get_num_procs()};
}

struct RuleOfJudge {
  Rule rule;
  vertex_t (Judge::*breaks)();
};

constexpr RuleOfJudge kRules[] = {
    {Rule::source_is_root, &Judge::source_is_root},
    {Rule::levels_in_range, &Judge::levels_in_range},
    {Rule::parents_in_range, &Judge::parents_in_range},
    {Rule::halves_agree, &Judge::halves_agree},
    {Rule::parents_form_a_tree, &Judge::parents_form_a_tree},
    {Rule::levels_within_limit, &Judge::levels_within_limit},
    {Rule::parents_are_neighbors, &Judge::parents_are_neighbors},
    {Rule::parents_one_level_up, &Judge::parents_one_level_up},
    {Rule::edges_span_one_level, &Judge::edges_span_one_level},
    {Rule::levels_are_supported, &Judge::levels_are_supported},
};

// The rules that depths require: only a tree has them.
constexpr RuleOfJudge kTreeRules[] = {
    {Rule::source_is_root, &Judge::source_is_root},
    {Rule::parents_in_range, &Judge::parents_in_range},
    {Rule::parents_form_a_tree, &Judge::parents_form_a_tree},
};

CheckResult verdict(Judge& judge, std::span<const RuleOfJudge> rules) {
  for (const auto& [rule, breaks] : rules) {
    const vertex_t v = (judge.*breaks)();
    if (v != kNoVertex) return judge.refuse(rule, v);
  }
  return judge.count();
}

}  // namespace

CheckResult check_answer(const CsrGraph& graph, SearchAsked search, const WholeAnswer& answer,
                         int threads) {
  Judge judge = make_judge(graph, search, answer, threads);
  return verdict(judge, kRules);
}

CheckResult summarize_answer(const CsrGraph& graph, SearchAsked search, const WholeAnswer& answer,
                             int threads) {
  Judge judge = make_judge(graph, search, answer, threads);
  return answer.levels == nullptr ? verdict(judge, kTreeRules) : judge.count();
}

}  // namespace bfslab
