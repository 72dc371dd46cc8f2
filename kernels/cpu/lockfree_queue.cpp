// SPDX-License-Identifier: Apache-2.0
// lockfree-queue: one queue for all threads (cs406, section 4.1.1), Boost.Lockfree's, a
// Michael-Scott linked list. Every vertex passes through it, so all threads contend for its head
// and tail. The paper abandoned it for that reason, and any table that includes it confirms this.
//
// Cost: one status word and 4 bytes of adjacency per edge and an atomic claim per vertex; for every
// vertex found two compare-and-swaps on the queue's ends and two on its list of free nodes, all on
// cache lines that every core contends for; 64 bytes of queue per vertex. It never wins; it shows
// the cost of contention.
//
// Deviations: the paper does not say how a level ends. Here a level takes exactly the number of
// vertices in its frontier from the queue. The queue is first-in-first-out and the finds of a level
// are pushed after the whole frontier, so the next level follows it. Threads reserve pops in
// batches from a counter, and a join ends the level. Nodes are allocated at set-up, in slabs:
// Boost's default allocates each one within the traversal.
#include <boost/lockfree/queue.hpp>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/cpu/cpu_engine.hpp"

namespace bfslab::cpu {
namespace {

constexpr std::size_t kNodeBytes = BOOST_LOCKFREE_CACHELINE_BYTES;  // a node is aligned to a line
constexpr std::size_t kSlabNodes = 4096;
constexpr std::size_t kBatch = 8;  // vertices that a thread draws at once; fewer run on one thread

constexpr std::size_t slabs_for(std::uint64_t vertices) {
  return (vertices + 1 + kSlabNodes - 1) / kSlabNodes;  // and the list's dummy node
}

// Hands out queue nodes one after another from mapped slabs, and frees them all at once. It need
// not be thread safe: the queue allocates while it is constructed and then uses its free list.
template <typename T>
class SlabAllocator {
 public:
  using value_type = T;
  SlabAllocator() = default;
  template <typename U>
  explicit SlabAllocator(const SlabAllocator<U>&) {}

  T* allocate(std::size_t count) {
    static_assert(sizeof(T) == kNodeBytes);
    if (slabs_->empty() || used_ + count > kSlabNodes) {
      slabs_->emplace_back(kSlabNodes * sizeof(T));
      used_ = 0;
    }
    T* node = reinterpret_cast<T*>(slabs_->back().data()) + used_;
    used_ += count;
    return node;
  }
  void deallocate(T*, std::size_t) {}

 private:
  std::shared_ptr<std::vector<Buffer<std::byte>>> slabs_ =
      std::make_shared<std::vector<Buffer<std::byte>>>();
  std::size_t used_ = 0;
};

class LockfreeQueue final : public CpuEngine {
 public:
  explicit LockfreeQueue(const EngineSettings& settings)
      : CpuEngine(settings.answer, settings.answer, team_size(settings.toggles)) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.status = status_bytes(),
            .queues = slabs_for(graph_->vertex_count()) * kSlabNodes * kNodeBytes};
  }

 private:
  using Queue = boost::lockfree::queue<vertex_t, boost::lockfree::allocator<SlabAllocator<int>>>;

  void allocate() override { queue_ = std::make_unique<Queue>(graph_->vertex_count()); }

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    vertex_t left_over = 0;
    while (queue_->pop(left_over)) {  // only after a sink threw
    }
    queue_->bounded_push(source);
    run_top_down<Count>(sink, "global_queue", [&](level_t level, std::size_t frontier) {
      return expand<A, Count>(level, frontier);
    });
  }

  template <Answer A, bool Count>
  LevelTally expand(level_t level, std::size_t frontier) {
    const VertexState<A> visited = state<A>();
    std::uint64_t found = 0;
    std::uint64_t edges = 0;
    std::atomic<std::size_t> drawn{0};
#pragma omp parallel num_threads(threads_) if (frontier > kBatch) reduction(+ : found, edges)
    for (;;) {
      const std::size_t first = drawn.fetch_add(kBatch, std::memory_order_relaxed);
      if (first >= frontier) break;
      const std::size_t last = std::min(first + kBatch, frontier);
      for (std::size_t i = first; i < last; ++i) {
        vertex_t u = 0;
        queue_->pop(u);
        if constexpr (Count) edges += graph_->degree(u);
        for (const vertex_t w : graph_->neighbors(u)) {
          if (!visited.claim(w, u, level + 1)) continue;
          queue_->bounded_push(w);
          ++found;
        }
      }
    }
    return {.found = found, .checked = edges};
  }

  std::unique_ptr<Queue> queue_;
};

const RegisterEngine registration{{
    .name = "lockfree-queue",
    .paper = "cs406",
    .section = "4.1.1",
    .summary = "All threads share one lock-free queue (Boost.Lockfree).",
    .toggles = {threads_toggle()},
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          const auto slabs = static_cast<double>(slabs_for(facts.vertices));
          return Estimate{.bytes = status_bytes(facts, answer) + slabs * kSlabNodes * kNodeBytes,
                          .seconds = traversal_seconds(facts, useful_threads(toggles), 120, 5)};
        },
    .make =
        [](const EngineSettings& settings) { return std::make_unique<LockfreeQueue>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
