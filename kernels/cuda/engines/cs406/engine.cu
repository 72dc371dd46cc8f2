// SPDX-License-Identifier: Apache-2.0
// cs406-cuda: the four GPU implementations of cs406, section 4.2.
//
//   status_scan  (4.2.1, Algorithm 3, Listing 2) one thread per vertex of the graph: those on the
//                level walk their edges. No queue.
//   top_down     (4.2.2) one thread per vertex of the frontier, which is a queue.
//   bottom_up    (4.2.3, Algorithm 4, Listing 4) one thread per vertex of the graph: unvisited ones
//                look for an in-neighbour on the level, and stop at the first.
//   hybrid       (4.2.4, with 4.1.6's rule) bottom_up while the frontier has at least `threshold`
//                (5 %) of all vertices, otherwise status_scan: the status array is the only
//                frontier.
//
// The host launches one kernel per level and reads back how many vertices it found ("load" in the
// listings); 0 ends the search. There are ceil(N / 1024) blocks of 1024 threads. `geometry =
// device` launches what the GPU runs at once, and threads take vertices in turns.
//
// Cost: status_scan and bottom_up read 4 bytes per vertex and level. An edge that is looked at
// costs 4 bytes of adjacency, which the threads of a warp read at 32 places at once, and a random
// status word; a vertex found costs an atomic on its status. bottom_up reads the rows of all
// unvisited vertices to their end while the frontier is small. Each level costs a launch and a
// read-back. The hybrid wins on graphs of few levels and no hubs. On deep graphs only top_down is
// useful, and a hub is always one thread's work.
//
// Deviations:
//   * N / 1024 blocks omit the last vertices (docs/errata.md#cs406-grid): here the number is
//     rounded up.
//   * Listings 2 and, for the CPU, 1 test a status and set it without protection, so that several
//     threads may count, or enqueue, one vertex. Table 7's MTEPS x seconds gives 54 M edges looked
//     at on coPapersDBLP, which has 30 M, so vertices were queued twice. Here a compare-and-swap
//     decides: the load, and so the hybrid's rule, is exact, and a queue of n entries never
//     overflows.
//   * The load is summed in the block and added by one atomic per block (4.2.1 mentions a
//     reduction, the listings have one atomic per vertex); top_down has one per warp, which also
//     gives its places.
//   * The paper does not say how its top-down fills the next queue; here that atomic does.
//   * Directed graphs are searched bottom-up through the transpose.
#include <algorithm>
#include <stdexcept>

#include "kernels/cuda/bottom_up/look.cuh"
#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/expand/thread.cuh"
#include "kernels/cuda/traversal/gpu_engine.hpp"
#include "kernels/cuda/traversal/reset.cuh"

namespace bfslab::cuda {
namespace {

constexpr unsigned kPaperThreads = 1024;  // per block

// The edge action: claims the neighbour, and counts the claimed vertices.
struct ClaimAndCount {
  static constexpr int kBatch = 1;

  const Traversal& work;
  Visit visit;
  LevelSlot* next;
  bool queues;  // claimed vertices enter the next queue
  bool counts;  // counts out-degrees as well
  const QueueView& queue;
  unsigned long long vertices = 0;
  unsigned long long edges = 0;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return visit.open_among(to);
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) {
    if (!visit.claim(to, from)) return;
    ++vertices;
    if (counts) edges += degree_of(work.outgoing, to);
    if (!queues) return;
    const std::uint32_t at = append_place(next->queued);
    stress_pause();
    queue.entries[at] = to;
  }
  __device__ void finish() {
    __syncwarp();
    add_of_block(vertices, &next->vertices);
    if (counts) add_of_block(edges, &next->edges);
  }
};

__device__ ClaimAndCount action_of(const Traversal& work, level_t level, bool queues, bool counts) {
  return {.work = work,
          .visit = {work.status, level + 1},
          .next = work.slot(level + 1),
          .queues = queues,
          .counts = counts,
          .queue = work.queue_of(level + 1)};
}

__device__ void clear_ahead(const Traversal& work, level_t level) {
  if (thread_in_grid() == 0) work.slots.clear_ahead_of(level);
}

// Threads take vertices in turns if the grid is smaller.
__global__ void __launch_bounds__(kPaperThreads)
    status_scan(const __grid_constant__ Traversal work, level_t level, bool counts) {
  ClaimAndCount action = action_of(work, level, false, counts);
  const VertexRows rows{work.outgoing};
  for (std::size_t u = thread_in_grid(); u < work.outgoing.vertices; u += threads_in_grid()) {
    if (fresh_level(work.status.levels, static_cast<vertex_t>(u)) != level) continue;
    visit_edges(action, work.outgoing, rows.range_of(static_cast<vertex_t>(u)), 0, 1);
  }
  action.finish();
  clear_ahead(work, level);
}

__global__ void __launch_bounds__(kPaperThreads)
    top_down(const __grid_constant__ Traversal work, level_t level, std::uint32_t size,
             bool counts) {
  ClaimAndCount action = action_of(work, level, true, counts);
  ThreadExpansion({}).run<GridScope>(VertexRows{work.outgoing}, work.queue_of(level).entries, size,
                                     action);
  action.finish();
  clear_ahead(work, level);
}

template <bool kCounts>
__global__ void __launch_bounds__(kPaperThreads)
    bottom_up(const __grid_constant__ Traversal work, level_t level) {
  const BottomUp look{.traversal = work, .queue = work.queue[0], .level = level};
  Looker<false, kCounts> looker{look, {}};
  for (std::size_t v = thread_in_grid(); v < work.incoming.vertices; v += threads_in_grid()) {
    if (work.status.levels[v] == kUnreached) looker.by_thread(static_cast<vertex_t>(v));
  }
  __syncwarp();
  looker.finish();
  clear_ahead(work, level);
}

enum class Algorithm : std::uint8_t { status_scan, top_down, bottom_up, hybrid };

Algorithm algorithm_of(const std::string& name) {
  if (name == "status_scan") return Algorithm::status_scan;
  if (name == "top_down") return Algorithm::top_down;
  if (name == "bottom_up") return Algorithm::bottom_up;
  if (name == "hybrid") return Algorithm::hybrid;
  throw std::invalid_argument("no algorithm " + name);
}

class Cs406 final : public GpuEngine {
 public:
  explicit Cs406(const EngineSettings& settings, Algorithm algorithm)
      : GpuEngine("cs406-cuda", settings.answer,
                  algorithm == Algorithm::bottom_up || algorithm == Algorithm::hybrid),
        algorithm_(algorithm),
        threshold_(settings.toggles.real("threshold")),
        by_the_paper_(settings.toggles.choice("geometry") == "paper"),
        threads_(by_the_paper_ ? kPaperThreads : kBlockThreads) {}

 private:
  void allocate() override {
    work_ = work();
    if (algorithm_ != Algorithm::top_down) return;
    for (int parity = 0; parity < 2; ++parity) {
      queue_[parity] = WholeQueue(vertices());
      work_.queue[parity] = queue_[parity].view();
    }
  }
  void add_memory(MemoryUse& use) const override {
    use.queues += queue_[0].bytes() + queue_[1].bytes();
  }

  void begin(vertex_t source, bool /*watched*/, bool counts) override {
    counts_ = counts;
    reset(work_, {.given = source},
          algorithm_ == Algorithm::top_down ? SourceIn::whole_queue : SourceIn::no_queue,
          stream().get());
  }

  [[nodiscard]] bool goes_up(std::uint64_t frontier) const {
    if (algorithm_ != Algorithm::hybrid) return algorithm_ == Algorithm::bottom_up;
    return static_cast<double>(frontier) >= threshold_ * static_cast<double>(vertices());
  }
  [[nodiscard]] LevelPlan plan(const Progress& at) const override {
    return {goes_up(at.frontier) ? Direction::bottom_up : Direction::top_down,
            algorithm_ == Algorithm::top_down ? "queue" : "status_scan"};
  }

  // Returns the blocks for one thread for each of `count`, or those that the GPU runs at once.
  [[nodiscard]] unsigned blocks_of(std::uint64_t count) const {
    if (!by_the_paper_) return blocks_for(count);
    return static_cast<unsigned>(std::max<std::uint64_t>((count + threads_ - 1) / threads_, 1));
  }
  void launch_level(const Progress& at) override {
    cudaStream_t queued = stream().get();
    if (algorithm_ == Algorithm::top_down) {
      BFSLAB_LAUNCH_SIZED(top_down, blocks_of(at.frontier), threads_, 0, queued, work_, at.level,
                          static_cast<std::uint32_t>(at.frontier), counts_);
    } else if (goes_up(at.frontier)) {
      const auto kernel = counts_ ? &bottom_up<true> : &bottom_up<false>;
      BFSLAB_LAUNCH_SIZED(kernel, blocks_of(vertices()), threads_, 0, queued, work_, at.level);
    } else {
      BFSLAB_LAUNCH_SIZED(status_scan, blocks_of(vertices()), threads_, 0, queued, work_, at.level,
                          counts_);
    }
  }
  void close_level(Progress& at) override {
    const LevelSlot& next = seen(at.level + 1);
    at.advance(next.vertices, next.edges, goes_up(at.frontier));
  }

  Algorithm algorithm_;
  double threshold_;
  bool by_the_paper_;  // a grid of N / 1024 x 1024
  unsigned threads_;   // per block
  bool counts_ = false;
  WholeQueue queue_[2];
  Traversal work_;
};

[[maybe_unused]] const bool cs406_supplied =
    make_cs406.supply([](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<Cs406>(settings, algorithm_of(settings.toggles.choice("algorithm")));
    });

}  // namespace

}  // namespace bfslab::cuda
