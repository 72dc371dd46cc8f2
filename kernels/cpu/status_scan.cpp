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
    const VertexState<A> status = state<A>();
    const vertex_t n = graph_->vertex_count();
    std::uint64_t visited_count = 1;  // both counted only for a sink
    std::uint64_t frontier = 1;
    bool changed = true;
    for (level_t level = 0; changed; ++level) {
      if (sink != nullptr) sink->begin({level, Direction::top_down, "status_scan", frontier});
      std::uint64_t edges = 0;
      changed = false;
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
      if (sink == nullptr) continue;
      // Marks may be written twice, so a level's size is not known from its own scan.
      const std::uint64_t found = changed ? level_size<A>(level + 1) : 0;
      end_level<Count>(sink, {.frontier_edges = edges,
                              .edges_checked = edges,
                              .found_vertices = found,
                              .unvisited_vertices = n - visited_count});
      visited_count += found;
      frontier = found;
    }
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
    .can = {},
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
