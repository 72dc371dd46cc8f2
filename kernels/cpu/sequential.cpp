// SPDX-License-Identifier: Apache-2.0
// sequential: the textbook breadth-first search (cs406, section 3, Algorithm 1), one
// thread and a FIFO queue. The reference for every other engine, and a fair baseline for speed-ups.
//
// Cost: writes 4 bytes per vertex to reset, per reached vertex reads 16 bytes of offsets and moves
// 8 bytes through the queue, per edge leaving one reads 4 bytes of adjacency and one random status
// word. Wins on graphs too small or too deep for a team of threads to pay off.
//
// Deviations: each vertex enters the queue once, so the queue is an array of n ids with two ends
// that only move forward. The inner loop stops at the end of a level instead of looking up u.dist.
// The order of visits is that of Algorithm 1, and parents can be computed without levels.
#include "kernels/cpu/cpu_engine.hpp"

namespace bfslab::cpu {
namespace {

class Sequential final : public CpuEngine {
 public:
  explicit Sequential(const EngineSettings& settings)
      : CpuEngine(settings.answer, settings.answer, 1) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.status = status_bytes(), .queues = queue_.bytes()};
  }

 private:
  void allocate() override { queue_ = Buffer<vertex_t>(graph_->vertex_count()); }

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    const VertexState<A> visited = state<A>();
    queue_[0] = source;
    std::size_t head = 0;
    std::size_t tail = 1;
    for (level_t level = 0; head < tail; ++level) {
      const std::size_t level_end = tail;
      std::uint64_t edges = 0;
      if (sink != nullptr) sink->begin({level, Direction::top_down, "fifo", level_end - head});
      for (; head < level_end; ++head) {
        const vertex_t u = queue_[head];
        if constexpr (Count) edges += graph_->degree(u);
        for (const vertex_t w : graph_->neighbors(u)) {
          if (!visited.unvisited(w)) continue;
          visited.set(w, u, level + 1);
          queue_[tail++] = w;
        }
      }
      end_level<Count>(sink, {.frontier_edges = edges,
                              .edges_checked = edges,
                              .found_vertices = tail - level_end,
                              .unvisited_vertices = graph_->vertex_count() - level_end});
    }
  }

  Buffer<vertex_t> queue_;  // [n]
};

const RegisterEngine registration{{
    .name = "sequential",
    .paper = "cs406",
    .section = "3",
    .summary = "Textbook breadth-first search: one thread, one FIFO queue.",
    .estimate =
        [](const GraphFacts& facts, const Toggles&, Answer answer) {
          const auto n = static_cast<double>(facts.vertices);
          return Estimate{.bytes = status_bytes(facts, answer) + n * sizeof(vertex_t),
                          .seconds = traversal_seconds(facts, 1, 10, 4)};
        },
    .make = [](const EngineSettings& settings) { return std::make_unique<Sequential>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
