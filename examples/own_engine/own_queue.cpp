// SPDX-License-Identifier: Apache-2.0
// own-queue: an engine outside of bfslab's tree. All threads share one queue. A level whose
// frontier is large may instead ask each unvisited vertex for a neighbour on the level (bottom-up).
#include <omp.h>

#include <algorithm>
#include <atomic>

#include "kernels/plugin.hpp"

using namespace bfslab;

namespace {

class OwnQueue final : public Engine {
 public:
  explicit OwnQueue(const EngineSettings& settings)
      : asked_(settings.answer),
        threads_(static_cast<int>(settings.toggles.integer("threads"))),
        bottom_up_(settings.toggles.flag("bottom_up")) {}

  void load(const GraphSource& source) override {
    graph_ = source.csr;
    if (threads_ == 0) threads_ = omp_get_num_procs();
    if (graph_->incoming() == nullptr) bottom_up_ = false;  // no transpose of a directed graph
    levels_ = Buffer<level_t>(graph_->vertex_count());
    if (wants_parents(asked_)) parents_ = Buffer<vertex_t>(graph_->vertex_count());
    queue_ = Buffer<vertex_t>(graph_->vertex_count());
  }

  void traverse(vertex_t source, LevelSink* sink) override {
    std::ranges::fill(levels_, kUnreached);
    std::ranges::fill(parents_, kNoVertex);
    tail_ = 0;
    visit(source, source, 0);
    std::size_t begin = 0;
    for (level_t level = 0; begin < tail_; ++level) {
      const std::size_t end = tail_;
      const bool up = bottom_up_ && (end - begin) * 20 >= graph_->vertex_count();
      const LevelStart start{level, up ? Direction::bottom_up : Direction::top_down,
                             up ? "own_looks" : "own_queue", end - begin};
      if (sink != nullptr) sink->begin(start);
      const std::uint64_t checked = up ? look(level) : expand(level, begin, end);
      if (sink != nullptr) sink->end(sink->counts() ? counted(begin, end, checked) : LevelFacts{});
      begin = end;
    }
  }

  AnswerView answer() const override {
    return answer_on_host(asked_, graph_->vertex_count(), levels_.data(), parents_.data());
  }
  MemoryUse memory() const override {
    return {.status = levels_.bytes() + parents_.bytes(), .queues = queue_.bytes()};
  }

 private:
  level_t level_of(vertex_t v) { return std::atomic_ref(levels_[v]).load(); }
  // Sets the level of `v` and enqueues it, unless another thread has done so.
  void visit(vertex_t v, vertex_t parent, level_t level) {
    level_t unvisited = kUnreached;
    if (!std::atomic_ref(levels_[v]).compare_exchange_strong(unvisited, level)) return;
    if (wants_parents(asked_)) parents_[v] = parent;
    queue_[tail_.fetch_add(1)] = v;
  }
  // Visits the neighbours of the frontier. Returns the number of edges read.
  std::uint64_t expand(level_t level, std::size_t begin, std::size_t end) {
    std::uint64_t checked = 0;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 64) reduction(+ : checked)
    for (std::size_t i = begin; i < end; ++i) {
      for (const vertex_t w : graph_->neighbors(queue_[i])) {
        if (level_of(w) == kUnreached) visit(w, queue_[i], level + 1);
      }
      checked += graph_->degree(queue_[i]);
    }
    return checked;
  }
  // Visits the unvisited vertices that have an in-neighbour on the level. Returns the same.
  std::uint64_t look(level_t level) {
    std::uint64_t checked = 0;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1024) reduction(+ : checked)
    for (vertex_t v = 0; v < graph_->vertex_count(); ++v) {
      if (level_of(v) != kUnreached) continue;
      for (const vertex_t u : graph_->incoming()->neighbors(v)) {
        ++checked;
        if (level_of(u) != level) continue;
        visit(v, u, level + 1);
        break;
      }
    }
    return checked;
  }
  LevelFacts counted(std::size_t begin, std::size_t end, std::uint64_t checked) const {
    std::uint64_t edges = 0;
    for (std::size_t i = begin; i < end; ++i) edges += graph_->degree(queue_[i]);
    return {edges, checked, tail_ - end, 0, graph_->vertex_count() - end};
  }

  Answer asked_;
  int threads_;
  bool bottom_up_;
  const CsrGraph* graph_ = nullptr;
  Buffer<level_t> levels_;            // [n]
  Buffer<vertex_t> parents_, queue_;  // [n]; parents only if they are requested
  std::atomic<std::size_t> tail_ = 0;
};

}  // namespace

BFSLAB_PLUGIN({
    .name = "own-queue",
    .summary = "One queue for all threads; bottom-up where the frontier is large.",
    .can = {.needs_transpose = true},
    .toggles = {Toggle::integer("threads", 0, 0, 4096, "OpenMP threads; 0 uses every processor"),
                Toggle::flag("bottom_up", false, "Large levels look from the unvisited vertices")},
    .estimate = [](const GraphFacts& facts, const Toggles&, Answer answer) -> Estimate {
      return {.bytes = static_cast<double>(facts.vertices) * (wants_parents(answer) ? 12 : 8),
              .seconds = static_cast<double>(facts.edges) * 4e-9 + 1e-5};
    },
    .make = [](const EngineSettings& settings) { return std::make_unique<OwnQueue>(settings); },
})
