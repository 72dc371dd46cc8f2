#include "harness/check/check.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "datasets/graph/buffer.hpp"
#include "harness/check/first_violation.hpp"
#include "harness/check/tree_levels.hpp"

namespace bfslab {

namespace {

std::string level_text(level_t level) {
  return level == kUnreached ? "no level" : fmt::format("level {}", level);
}

// Each rule returns an empty text, or who breaks it and how. They rely on the ones before them.
class Judge {
 public:
  Judge(const CsrGraph& graph, vertex_t source, const AnswerView& answer, int threads)
      : graph_(graph),
        n_(graph.vertex_count()),
        source_(source),
        threads_(threads),
        levels_(answer.levels),
        parents_(answer.parents) {}

  std::string source_is_root() const {
    if (levels_ != nullptr && levels_[source_] != 0) {
      return fmt::format("the source {} has {}, not level 0", source_,
                         level_text(levels_[source_]));
    }
    if (parents_ != nullptr && parents_[source_] != source_) {
      return parents_[source_] == kNoVertex
                 ? fmt::format("the source {} has no parent; it should be its own", source_)
                 : fmt::format("the source {} has parent {}; it should be its own", source_,
                               parents_[source_]);
    }
    return {};
  }

  std::string levels_in_range() const {
    if (levels_ == nullptr) return {};
    const vertex_t v = violation([&](vertex_t u) {
      return (levels_[u] >= n_ && levels_[u] != kUnreached) || (levels_[u] == 0 && u != source_);
    });
    if (v == kNoVertex) return {};
    if (levels_[v] == 0) {
      return fmt::format("vertex {} has level 0, but the source is {}", v, source_);
    }
    return fmt::format("vertex {} has level {}, and there are only {} vertices", v, levels_[v], n_);
  }

  std::string parents_in_range() const {
    if (parents_ == nullptr) return {};
    const vertex_t v =
        violation([&](vertex_t u) { return parents_[u] >= n_ && parents_[u] != kNoVertex; });
    if (v == kNoVertex) return {};
    return fmt::format("vertex {} has parent {}, and there are only {} vertices", v, parents_[v],
                       n_);
  }

  // A vertex has a level exactly if it has a parent.
  std::string halves_agree() const {
    if (levels_ == nullptr || parents_ == nullptr) return {};
    const vertex_t v = violation(
        [&](vertex_t u) { return (levels_[u] == kUnreached) != (parents_[u] == kNoVertex); });
    if (v == kNoVertex) return {};
    return levels_[v] == kUnreached
               ? fmt::format("vertex {} has parent {}, but no level", v, parents_[v])
               : fmt::format("vertex {} has level {}, but no parent", v, levels_[v]);
  }

  // Graph500's first rule. Where levels came with the tree, rule `parents_one_level_up` excludes
  // cycles by itself.
  std::string parents_form_a_tree() {
    if (levels_ != nullptr) return {};
    derived_ = Buffer<level_t>(n_);
    levels_ = derived_.data();
    return tree_levels({parents_, n_}, source_, derived_.span(), threads_);
  }

  std::string parents_are_neighbors() const {
    if (parents_ == nullptr) return {};
    // In the child's row of in-neighbours where there is one: a hub has many children.
    const CsrGraph* in = graph_.incoming();
    const vertex_t v = violation([&](vertex_t u) {
      const vertex_t parent = parents_[u];
      if (u == source_ || parent == kNoVertex) return false;
      const auto row = in != nullptr ? in->neighbors(u) : graph_.neighbors(parent);
      return !std::binary_search(row.begin(), row.end(), in != nullptr ? parent : u);
    });
    if (v == kNoVertex) return {};
    return fmt::format("vertex {} has parent {}, but the graph has no edge {} -> {}", v,
                       parents_[v], parents_[v], v);
  }

  std::string parents_one_level_up() const {
    if (parents_ == nullptr) return {};
    const vertex_t v = violation([&](vertex_t u) {
      if (u == source_ || parents_[u] == kNoVertex) return false;
      const level_t above = levels_[parents_[u]];
      return above == kUnreached || above + 1 != levels_[u];
    });
    if (v == kNoVertex) return {};
    return fmt::format("vertex {} has level {}, but its parent {} has {}", v, levels_[v],
                       parents_[v], level_text(levels_[parents_[v]]));
  }

  // No edge leads more than one level down, or out of the reached part: on a symmetric graph the
  // levels of an edge's ends thus differ by at most one, and a component is spanned or untouched.
  std::string edges_span_one_level() const {
    const vertex_t u = violation([&](vertex_t v) {
      if (levels_[v] == kUnreached) return false;
      level_t deepest = 0;  // kUnreached is the deepest of all
      for (const vertex_t w : graph_.neighbors(v)) deepest = std::max(deepest, levels_[w]);
      return deepest > levels_[v] + 1;
    });
    if (u == kNoVertex) return {};
    for (const vertex_t w : graph_.neighbors(u)) {
      if (levels_[w] > levels_[u] + 1) {
        return fmt::format("edge {} -> {} leads from level {} to {}", u, w, levels_[u],
                           level_text(levels_[w]));
      }
    }
    throw std::logic_error("the answer changed while it was checked");
  }

  // Every reached vertex but the source has an in-neighbour one level up. A tree shows it already.
  std::string levels_are_supported() const {
    if (parents_ != nullptr) return {};
    const CsrGraph* in = graph_.incoming();
    const Buffer<std::uint8_t> supported =
        in == nullptr ? mark_supported() : Buffer<std::uint8_t>();
    const vertex_t v = violation([&](vertex_t u) {
      if (u == source_ || levels_[u] == kUnreached) return false;
      if (in == nullptr) return supported[u] == 0;
      return std::ranges::none_of(in->neighbors(u),
                                  [&](vertex_t w) { return levels_[w] + 1 == levels_[u]; });
    });
    if (v == kNoVertex) return {};
    return fmt::format("vertex {} has level {}, but no edge enters it from level {}", v, levels_[v],
                       levels_[v] - 1);
  }

  CheckResult count() const {
    level_t deepest = 0;
    std::uint64_t reached = 0;
    std::uint64_t edges = 0;
    std::uint64_t input_edges = 0;
    const auto inputs = graph_.input_edges();
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(max : deepest) \
    reduction(+ : reached, edges, input_edges)
    for (vertex_t v = 0; v < n_; ++v) {
      if (levels_[v] == kUnreached) continue;
      deepest = std::max(deepest, levels_[v]);
      ++reached;
      edges += graph_.degree(v);
      if (!inputs.empty()) input_edges += inputs[v];
    }
    return {.ok = true,
            .reason = {},
            .levels = std::uint64_t{deepest} + 1,
            .reached_vertices = reached,
            .component_edges = graph_.symmetric() ? edges / 2 : edges,
            .component_input_edges = input_edges};
  }

 private:
  template <typename Breaks>
  vertex_t violation(const Breaks& breaks) const {
    return first_violation(n_, threads_, breaks);
  }

  // For directed graphs whose transpose nobody made: a pass over all out-edges.
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
  int threads_;
  const level_t* levels_;
  const vertex_t* parents_;
  Buffer<level_t> derived_;
};

Judge make_judge(const CsrGraph& graph, vertex_t source, const AnswerView& answer, int threads) {
  if (answer.space != MemorySpace::host) {
    throw std::invalid_argument("the answer to check is not in host memory");
  }
  if (answer.levels == nullptr && answer.parents == nullptr) {
    throw std::invalid_argument("the answer to check has neither levels nor parents");
  }
  if (source >= graph.vertex_count() || answer.vertex_count != graph.vertex_count()) {
    throw std::invalid_argument("the answer to check belongs to another graph");
  }
  return {graph, source, answer, threads > 0 ? threads : omp_get_num_procs()};
}

CheckResult refused(std::string reason) {
  CheckResult result;
  result.ok = false;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

CheckResult check_answer(const CsrGraph& graph, vertex_t source, const AnswerView& answer,
                         int threads) {
  Judge judge = make_judge(graph, source, answer, threads);
  std::string reason = judge.source_is_root();
  if (reason.empty()) reason = judge.levels_in_range();
  if (reason.empty()) reason = judge.parents_in_range();
  if (reason.empty()) reason = judge.halves_agree();
  if (reason.empty()) reason = judge.parents_form_a_tree();
  if (reason.empty()) reason = judge.parents_are_neighbors();
  if (reason.empty()) reason = judge.parents_one_level_up();
  if (reason.empty()) reason = judge.edges_span_one_level();
  if (reason.empty()) reason = judge.levels_are_supported();
  return reason.empty() ? judge.count() : refused(std::move(reason));
}

CheckResult summarize_answer(const CsrGraph& graph, vertex_t source, const AnswerView& answer,
                             int threads) {
  Judge judge = make_judge(graph, source, answer, threads);
  if (answer.levels == nullptr) {  // depths need a tree, so as much of it is checked
    std::string reason = judge.source_is_root();
    if (reason.empty()) reason = judge.parents_in_range();
    if (reason.empty()) reason = judge.parents_form_a_tree();
    if (!reason.empty()) return refused(std::move(reason));
  }
  return judge.count();
}

}  // namespace bfslab
