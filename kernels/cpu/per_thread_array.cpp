// SPDX-License-Identifier: Apache-2.0
// per-thread-array: every thread has a private queue, a row of a t x N matrix, and expands its own
// finds (cs406, section 4.1.2). Nothing is ever moved between rows, which is the point: without
// rebalancing, a thread whose vertices have no unvisited neighbours stays idle from then on.
//
// Cost: 4 bytes of adjacency and one random status word per edge, one compare-and-swap and 4 bytes
// of queue per vertex found, no merge and no shared counter; address space for t * N ids, of which
// only the parts written are ever backed by memory. Wins where the source's neighbours lead to
// parts of equal size, as in a star of equal branches; on skewed graphs one thread works most.
//
// Deviations, where the paper is silent:
//   * The source's neighbour list is cut into t equal slices, one per thread. If the source were
//   put
//     into one row, only that thread would ever find anything, as with a source of degree 1.
//   * A level ends when every thread has finished its part of it (a join); the search ends when no
//     thread found anything in a level. Letting threads run ahead would give wrong levels.
//   * A vertex is claimed by compare-and-swap, so it lies in one row only and a row of N suffices.
//   * One thread runs a level of at most 8 vertices in all rows together, row by row.
#include <vector>

#include "kernels/cpu/cpu_engine.hpp"

namespace bfslab::cpu {
namespace {

constexpr std::size_t kWorthATeam = 8;

class PerThreadArray final : public CpuEngine {
 public:
  explicit PerThreadArray(const EngineSettings& settings)
      : CpuEngine(settings.answer, settings.answer, team_size(settings.toggles)),
        rows_(static_cast<std::size_t>(threads_)) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {
        .status = status_bytes(), .queues = matrix_.bytes(), .scratch = rows_.size() * sizeof(Row)};
  }

  // A cache line per row, since its thread writes it at the end of every level.
  struct alignas(64) Row {
    std::size_t begin = 0;  // [begin, end): this level's frontier within the row
    std::size_t end = 0;
    std::uint64_t edges = 0;  // checked in this level; counted only for a counting sink
  };

 private:
  void allocate() override { matrix_ = Buffer<vertex_t>(rows_.size() * graph_->vertex_count()); }

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    for (Row& row : rows_) row = {};
    run_top_down<Count>(sink, "own_queue", [&](level_t level, std::size_t frontier) {
      expand_rows<A, Count>(source, level, level == 0 ? graph_->degree(source) : frontier);
      LevelTally tally;
      for (const Row& row : rows_) {
        tally.found += row.end - row.begin;
        tally.checked += row.edges;
      }
      return tally;
    });
  }

  // One row per thread; the stride only matters if OpenMP provided fewer threads.
  template <Answer A, bool Count>
  void expand_rows(vertex_t source, level_t level, std::size_t work) {
#pragma omp parallel num_threads(threads_) if (work > kWorthATeam)
    {
      const auto team = static_cast<std::size_t>(omp_get_num_threads());
      for (auto r = static_cast<std::size_t>(omp_get_thread_num()); r < rows_.size(); r += team) {
        level == 0 ? share_source<A, Count>(source, r) : expand_row<A, Count>(level, r);
      }
    }
  }

  template <Answer A, bool Count>
  void share_source(vertex_t source, std::size_t r) {
    const auto neighbors = graph_->neighbors(source);
    const std::size_t first = neighbors.size() * r / rows_.size();
    const std::size_t last = neighbors.size() * (r + 1) / rows_.size();
    const VertexState<A> visited = state<A>();
    vertex_t* queue = row_queue(r);
    std::size_t end = 0;
    for (const vertex_t w : neighbors.subspan(first, last - first)) {
      if (visited.claim(w, source, 1)) queue[end++] = w;
    }
    rows_[r] = {.begin = 0, .end = end, .edges = Count ? last - first : 0};
  }

  template <Answer A, bool Count>
  void expand_row(level_t level, std::size_t r) {
    const VertexState<A> visited = state<A>();
    vertex_t* queue = row_queue(r);
    const Row row = rows_[r];
    std::size_t end = row.end;
    std::uint64_t edges = 0;
    for (std::size_t i = row.begin; i < row.end; ++i) {
      const vertex_t u = queue[i];
      if constexpr (Count) edges += graph_->degree(u);
      for (const vertex_t w : graph_->neighbors(u)) {
        if (visited.claim(w, u, level + 1)) queue[end++] = w;
      }
    }
    rows_[r] = {.begin = row.end, .end = end, .edges = edges};
  }

  [[nodiscard]] vertex_t* row_queue(std::size_t r) {
    return matrix_.data() + r * graph_->vertex_count();
  }

  std::vector<Row> rows_;    // [t]
  Buffer<vertex_t> matrix_;  // [t * n]
};

const RegisterEngine registration{{
    .name = "per-thread-array",
    .paper = "cs406",
    .section = "4.1.2",
    .summary =
        "A queue for every thread (a t x N matrix), each expanding only what it found itself.",
    .toggles = {threads_toggle()},
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          const double rows = team_size(toggles);
          const double row = static_cast<double>(facts.vertices) * sizeof(vertex_t);
          return Estimate{
              .bytes = status_bytes(facts, answer) + rows * (row + sizeof(PerThreadArray::Row)),
              .seconds = traversal_seconds(facts, useful_threads(toggles), 10, 4)};
        },
    .make =
        [](const EngineSettings& settings) { return std::make_unique<PerThreadArray>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
