// SPDX-License-Identifier: Apache-2.0
// status-scan: no queue at all; every level scans the whole status array for the vertices of its
// frontier (cs406, section 4.1.3 "Search-based", Algorithm 2).
//
// Cost: 4 bytes read per vertex and level, in order; 4 bytes of adjacency and one random status
// word per edge; one plain store per vertex found, without any atomic read-modify-write: all
// threads that find a vertex in a level write the same level. Wins on shallow graphs whose
// frontiers are a large part of all vertices. Loses badly on deep ones: levels x n reads, whatever
// the frontier (the paper's road network did not finish).
//
// Deviations:
//   * Algorithm 2 marks the source's neighbours first and then starts with dist = 0, whose scan
//     finds only the source, changes nothing, and ends the search after one level
//     (docs/errata.md#cs406-algorithm-2). Here the source is an ordinary frontier of level 0.
//   * Several threads may write a vertex's parent; each of them is one level up, and one of their
//     words remains. Levels are kept even if only parents were requested: they are the status.
#include "kernels/cpu/cpu_engine.hpp"

namespace bfslab::cpu {
namespace {

class StatusScan final : public CpuEngine {
 public:
  explicit StatusScan(const EngineSettings& settings)
      : CpuEngine(settings.answer, with_levels(settings.answer), team_size(settings.toggles)) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch_with_levels(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override { return {.status = status_bytes()}; }

 private:
  void allocate() override {}

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    run_top_down<Count>(sink, "status_scan", [&](level_t level, std::uint64_t) {
      return scan<A, Count>(level, sink != nullptr);
    });
  }

  // Marks may be written twice, so a level's size is not known from its own scan: without `sized`
  // it is 1 where the scan found anything.
  template <Answer A, bool Count>
  LevelTally scan(level_t level, bool sized) {
    const VertexState<A> status = state<A>();
    const vertex_t n = graph_->vertex_count();
    bool changed = false;
    std::uint64_t edges = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(|| : changed) \
    reduction(+ : edges)
    for (vertex_t u = 0; u < n; ++u) {
      if (status.level(u) != level) continue;
      if constexpr (Count) edges += graph_->degree(u);
      for (const vertex_t w : graph_->neighbors(u)) {
        if (!status.unvisited(w)) continue;
        status.set(w, u, level + 1);
        changed = true;
      }
    }
    const std::uint64_t found = !changed ? 0 : sized ? level_size<A>(level + 1) : 1;
    return {.found = found, .checked = edges};
  }

  template <Answer A>
  [[nodiscard]] std::uint64_t level_size(level_t level) {
    const VertexState<A> status = state<A>();
    std::uint64_t size = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : size)
    for (vertex_t v = 0; v < graph_->vertex_count(); ++v) size += status.level(v) == level ? 1 : 0;
    return size;
  }
};

const RegisterEngine registration{{
    .name = "status-scan",
    .paper = "cs406",
    .section = "4.1.3",
    .summary = "No queue: every level scans all vertices for those of its frontier.",
    .toggles = {threads_toggle()},
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          return Estimate{
              .bytes = status_bytes(facts, with_levels(answer)),
              .seconds = traversal_seconds(facts, useful_threads(toggles), 15, 1.7, 0.22)};
        },
    .make = [](const EngineSettings& settings) { return std::make_unique<StatusScan>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
