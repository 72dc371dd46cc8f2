// SPDX-License-Identifier: Apache-2.0
// top-down: the frontier is a queue whose vertices the threads share. Each gathers its finds in a
// local queue, and prefix sums over the queues' sizes give their places in the next frontier
// (cs406, section 4.1.4). No critical section.
//
// Cost: 4 bytes of adjacency and one random status word per edge leaving a reached vertex (all of
// them: nothing stops early); per vertex found one compare-and-swap, 4 bytes into a local queue,
// and 8 bytes to copy them into the frontier. Wins while frontiers are small against the graph, on
// meshes and road networks always; loses to bottom-up where one level holds most of the graph.
//
// Deviations (cs406-cpu has the listing):
//   * Listing 1 tests and then sets the status without protection, so two threads may both enqueue
//     a vertex; here a compare-and-swap decides. It also merges in a critical section, contrary to
//     section 4.1.4; here by prefix sums, as in the text (docs/errata.md#cs406-listing-1).
//   * Local queues are chains of blocks in one arena of n ids instead of t arrays of N. Frontiers
//     follow one another in one array of n ids, since each vertex enters once.
//   * Guided chunks have at least 8 vertices, so one thread takes a frontier of 8 or less without
//     starting the others. A vertex's edges are never shared: a hub is one thread's work.
#include <optional>
#include <vector>

#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/local_queues.hpp"

namespace bfslab::cpu {
namespace {

constexpr std::size_t kChunk = 8;

class TopDown final : public CpuEngine {
 public:
  explicit TopDown(const EngineSettings& settings)
      : CpuEngine(settings.answer, settings.answer, team_size(settings.toggles)),
        sizes_(static_cast<std::size_t>(threads_)) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.status = status_bytes(),
            .queues = queue_.bytes() + local_->bytes(),
            .scratch = sizes_.size() * sizeof(std::size_t)};
  }

 private:
  void allocate() override {
    queue_ = Buffer<vertex_t>(graph_->vertex_count());
    local_.emplace(graph_->vertex_count(), threads_);
  }

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    vertex_t* frontier = queue_.data();
    frontier[0] = source;
    run_top_down<Count>(sink, "local_queues", [&](level_t level, std::size_t size) {
      const LevelTally tally = expand<A, Count>(level, frontier, size);
      frontier += size;
      return tally;
    });
  }

  // Writes its finds after the frontier and returns their number.
  template <Answer A, bool Count>
  LevelTally expand(level_t level, vertex_t* frontier, std::size_t size) {
    const VertexState<A> visited = state<A>();
    vertex_t* next = frontier + size;
    std::size_t found = 0;
    std::uint64_t edges = 0;
    local_->clear();
#pragma omp parallel num_threads(threads_) if (size > kChunk) reduction(+ : found, edges)
    {
      LocalQueues::Queue local(*local_);
#pragma omp for schedule(guided, kChunk) nowait
      for (std::size_t i = 0; i < size; ++i) {
        const vertex_t u = frontier[i];
        if constexpr (Count) edges += graph_->degree(u);
        for (const vertex_t w : graph_->neighbors(u)) {
          if (visited.claim(w, u, level + 1)) local.push(w);
        }
      }
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      sizes_[me] = local.size();
      found += local.size();
#pragma omp barrier
      std::size_t offset = 0;
      for (std::size_t t = 0; t < me; ++t) offset += sizes_[t];
      local.copy_to(next + offset);
    }
    return {.found = found, .checked = edges};
  }

  std::vector<std::size_t> sizes_;    // [t] of the local queues, at the end of a level
  Buffer<vertex_t> queue_;            // [n] all frontiers, one after another
  std::optional<LocalQueues> local_;  // created when n is known
};

const RegisterEngine registration{{
    .name = "top-down",
    .paper = "cs406",
    .section = "4.1.4",
    .summary = "Frontier queue shared among threads, local queues merged by prefix sums.",
    .toggles = {threads_toggle()},
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          const int threads = team_size(toggles);
          const auto n = static_cast<double>(facts.vertices);
          return Estimate{
              .bytes = status_bytes(facts, answer) + n * sizeof(vertex_t) +
                       static_cast<double>(LocalQueues::bytes_for(facts.vertices, threads)) +
                       static_cast<double>(threads) * sizeof(std::size_t),
              .seconds = traversal_seconds(facts, useful_threads(toggles), 15, 4.5)};
        },
    .make = [](const EngineSettings& settings) { return std::make_unique<TopDown>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
