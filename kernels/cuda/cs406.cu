// cs406-cuda: the four GPU implementations of papers/cs406.txt section 4.2.
//
//   status_scan  (4.2.1, Algorithm 3, Listing 2) a thread a vertex of the graph: those on the level
//                walk their edges. No queue.
//   top_down     (4.2.2) a thread a vertex of the frontier, which is a queue: as many threads are
//                launched as the frontier has vertices.
//   bottom_up    (4.2.3, Algorithm 4, Listing 4) a thread a vertex of the graph: the unvisited ones
//                look for an in-neighbour on the level, and stop at the first.
//   hybrid       (4.2.4, with 4.1.6's rule) bottom_up while the frontier has at least `threshold`
//                (5 %) of all vertices, status_scan else: the status array is the only frontier.
//
// The host launches a kernel a level and reads back how many vertices it found ("load" in the
// listings), which ends the search at 0. Blocks have 1024 threads, ceil(N / 1024) of them;
// `geometry = device` launches what the GPU runs at once, and threads take vertices in turns.
//
// Cost: status_scan and bottom_up read 4 bytes a vertex and level; an edge that is looked at costs
// 4 bytes of adjacency, which threads of a warp read 32 places at once, and a random status word; a
// vertex found costs an atomic on its status. bottom_up reads the rows of all unvisited vertices to
// their end while the frontier is small. Each level costs a launch and a read-back. The hybrid wins
// on graphs of few levels and no hubs; on deep ones only top_down is of use, and a hub is one
// thread's work everywhere.
//
// Deviations:
//   * N / 1024 blocks leave out the tail of the vertices (errata): here the number is rounded up.
//   * Listings 2 and, for the CPU, 1 test a status and set it without protection, so that several
//     threads may count, or enqueue, one vertex. Table 7's MTEPS x seconds gives 54 M edges looked
//     at on coPapersDBLP, which has 30 M: queued twice. Here a compare-and-swap decides: the load,
//     and with it the hybrid's rule, is exact, and a queue of n entries never overflows.
//   * load is added up in the block and enters memory by an atomic a block (4.2.1 speaks of a
//     reduction, the listings have an atomic a vertex); in top_down by one a warp, whose places it
//     gives out.
//   * The paper does not say how its top-down fills the next queue: here by that atomic.
//   * Directed graphs are searched bottom-up through the transpose.
#include <algorithm>
#include <stdexcept>

#include "kernels/cuda/device/answer.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/frontier/visit.cuh"
#include "kernels/cuda/level_slots.hpp"
#include "kernels/cuda/make_engine.hpp"

namespace bfslab::cuda {
namespace {

constexpr unsigned kPaperThreads = 1024;  // of a block

// What a kernel is given of a level.
struct Step {
  CsrView outgoing;
  CsrView incoming;  // bottom_up
  Visit visit;       // of the level after this one
  level_t level = 0;
  LevelSlot* next = nullptr;     // what is found
  LevelSlot* cleared = nullptr;  // of the level after the next
  bool counts = false;           // edges and checks as well
};

// What a thread found.
struct Found {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;  // their out-degrees; counted on request
  unsigned long long checked = 0;
};

// f(i) for all i < count, a thread each; threads of a smaller grid take several.
template <typename F>
__device__ void share_out(std::size_t count, F&& f) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    f(static_cast<vertex_t>(i));
  }
}

__device__ void count_found(const Step& step, vertex_t v, Found& found) {
  ++found.vertices;
  if (step.counts) found.edges += degree_of(step.outgoing, v);
}

// Walks u's edges; claimed(w) for each vertex that this thread is the one to find.
template <typename F>
__device__ void walk_row(const Step& step, vertex_t u, F&& claimed) {
  const edge_t end = step.outgoing.row_offsets[u + std::size_t{1}];
  for (edge_t e = step.outgoing.row_offsets[u]; e < end; ++e) {
    const vertex_t w = step.outgoing.columns[e];
    if (step.visit.claim(w, u)) claimed(w);
  }
}

// Adds up what the threads found. All threads of the block.
__device__ void end_step(const Step& step, const Found& found) {
  __syncwarp();
  add_of_block(found.vertices, &step.next->vertices);
  if (step.counts) {
    add_of_block(found.edges, &step.next->edges);
    add_of_block(found.checked, &step.next->checked);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *step.cleared = LevelSlot{};
}

__global__ void __launch_bounds__(kPaperThreads) status_scan(Step step) {
  Found found;
  share_out(step.outgoing.vertices, [&](vertex_t u) {
    if (fresh_level(step.visit.levels, u) != step.level) return;
    walk_row(step, u, [&](vertex_t w) { count_found(step, w, found); });
  });
  end_step(step, found);
}

__global__ void __launch_bounds__(kPaperThreads)
    top_down(Step step, const vertex_t* frontier, std::uint32_t size, QueueView next) {
  Found found;
  share_out(size, [&](vertex_t i) {
    walk_row(step, frontier[i], [&](vertex_t w) {
      count_found(step, w, found);
      append(next, step.next->queued, 0, w);
    });
  });
  end_step(step, found);
}

__global__ void __launch_bounds__(kPaperThreads) bottom_up(Step step) {
  Found found;
  share_out(step.incoming.vertices, [&](vertex_t v) {
    if (fresh_level(step.visit.levels, v) != kUnreached) return;
    const edge_t begin = step.incoming.row_offsets[v];
    const edge_t end = step.incoming.row_offsets[v + std::size_t{1}];
    edge_t e = begin;
    for (; e < end; ++e) {
      const vertex_t u = step.incoming.columns[e];
      if (fresh_level(step.visit.levels, u) != step.level) continue;
      step.visit.set(v, u);  // v is this thread's alone
      count_found(step, v, found);
      break;
    }
    found.checked += min(e + 1, end) - begin;
  });
  end_step(step, found);
}

__global__ void place_source(vertex_t source, Visit visit, vertex_t* queue) {
  visit.set(source, source);
  if (queue != nullptr) *queue = source;
}

enum class Algorithm : std::uint8_t { status_scan, top_down, bottom_up, hybrid };

Algorithm algorithm_of(const std::string& name) {
  if (name == "status_scan") return Algorithm::status_scan;
  if (name == "top_down") return Algorithm::top_down;
  if (name == "bottom_up") return Algorithm::bottom_up;
  if (name == "hybrid") return Algorithm::hybrid;
  throw std::invalid_argument("no algorithm " + name);
}

class Cs406 final : public Engine {
 public:
  explicit Cs406(const EngineSettings& settings)
      : answer_(settings.answer),
        algorithm_(algorithm_of(settings.toggles.choice("algorithm"))),
        threshold_(settings.toggles.real("threshold")),
        by_the_paper_(settings.toggles.choice("geometry") == "paper"),
        threads_(by_the_paper_ ? kPaperThreads : kBlockThreads) {}

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink) override;

  [[nodiscard]] AnswerView answer() const override {
    return answer_on_device(answer_, csr_->vertex_count(), levels_, parents_);
  }
  [[nodiscard]] MemoryUse memory() const override {
    return {.graph = graph_.bytes(),
            .status = levels_.bytes() + parents_.bytes(),
            .queues = queue_[0].bytes() + queue_[1].bytes(),
            .scratch = slots_.bytes()};
  }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }

 private:
  [[nodiscard]] bool goes_up(std::uint64_t frontier) const {
    if (algorithm_ != Algorithm::hybrid) return algorithm_ == Algorithm::bottom_up;
    return static_cast<double>(frontier) >= threshold_ * static_cast<double>(csr_->vertex_count());
  }
  // A thread for each of `count`, or what the GPU runs at once.
  [[nodiscard]] unsigned blocks_of(std::uint64_t count) const {
    if (!by_the_paper_) return blocks_for(count);
    return static_cast<unsigned>(std::max<std::uint64_t>((count + threads_ - 1) / threads_, 1));
  }
  void run(level_t level, bool up, std::uint64_t frontier, bool counts);

  Answer answer_;
  Algorithm algorithm_;
  double threshold_;
  bool by_the_paper_;  // a grid of N / 1024 x 1024
  unsigned threads_;   // of a block

  const CsrGraph* csr_ = nullptr;
  Stream stream_;
  Event begin_, end_;
  DeviceGraph graph_;
  DeviceBuffer<level_t> levels_;
  DeviceBuffer<vertex_t> parents_;
  DeviceBuffer<vertex_t> queue_[2];  // [n] top_down: frontiers of even and of odd levels
  LevelSlots slots_;
};

void Cs406::load(const GraphSource& source) {
  if (source.csr == nullptr) throw std::invalid_argument("cs406-cuda takes a CSR, not a recipe");
  csr_ = source.csr;
  const bool both_ways = algorithm_ == Algorithm::bottom_up || algorithm_ == Algorithm::hybrid;
  if (both_ways && csr_->incoming() == nullptr) {
    throw std::invalid_argument("bottom-up on a directed graph needs its transpose");
  }
  const std::size_t n = csr_->vertex_count();
  begin_.record(stream_);
  end_.record(stream_);
  graph_ = DeviceGraph(*csr_, both_ways, stream_);
  levels_ = DeviceBuffer<level_t>(n);
  if (wants_parents(answer_)) parents_ = DeviceBuffer<vertex_t>(n);
  if (algorithm_ == Algorithm::top_down) {
    for (DeviceBuffer<vertex_t>& queue : queue_) queue = DeviceBuffer<vertex_t>(n);
  }
  stream_.wait();
}

void Cs406::run(level_t level, bool up, std::uint64_t frontier, bool counts) {
  const Step step{.outgoing = graph_.outgoing(),
                  .incoming = up ? graph_.incoming() : CsrView{},
                  .visit = {levels_.data(), parents_.data(), level + 1},
                  .level = level,
                  .next = slots_.at(level + 1),
                  .cleared = slots_.at(level + 2),
                  .counts = counts};
  if (algorithm_ == Algorithm::top_down) {
    top_down<<<blocks_of(frontier), threads_, 0, stream_.get()>>>(
        step, queue_[level % 2].data(), static_cast<std::uint32_t>(frontier),
        QueueView{queue_[(level + 1) % 2].data(), {}});
    BFSLAB_CUDA_LAUNCHED("top_down");
  } else if (up) {
    bottom_up<<<blocks_of(csr_->vertex_count()), threads_, 0, stream_.get()>>>(step);
    BFSLAB_CUDA_LAUNCHED("bottom_up");
  } else {
    status_scan<<<blocks_of(csr_->vertex_count()), threads_, 0, stream_.get()>>>(step);
    BFSLAB_CUDA_LAUNCHED("status_scan");
  }
}

void Cs406::traverse(vertex_t source, LevelSink* sink) {
  const bool counts = sink != nullptr && sink->counts();
  begin_.record(stream_);
  levels_.fill_bytes(0xff, stream_.get());   // kUnreached
  parents_.fill_bytes(0xff, stream_.get());  // kNoVertex
  slots_.clear(stream_);
  place_source<<<1, 1, 0, stream_.get()>>>(source, Visit{levels_.data(), parents_.data(), 0},
                                           queue_[0].data());
  BFSLAB_CUDA_LAUNCHED("place_source");

  std::uint64_t frontier = 1;
  std::uint64_t edges = csr_->degree(source);  // the frontier's; kept only where the sink counts
  std::uint64_t visited = 1;
  for (level_t level = 0; frontier > 0; ++level) {
    const bool up = goes_up(frontier);
    if (sink != nullptr) {
      sink->begin({level, up ? Direction::bottom_up : Direction::top_down,
                   algorithm_ == Algorithm::top_down ? "queue" : "status_scan", frontier});
    }
    run(level, up, frontier, counts);
    slots_.read(stream_);
    const LevelSlot& next = slots_.seen(level + 1);
    if (sink != nullptr) {
      LevelFacts facts;
      if (counts) {
        facts = {.frontier_edges = edges,
                 .edges_checked = up ? next.checked : edges,
                 .found_vertices = next.vertices,
                 .unvisited_vertices = csr_->vertex_count() - visited};
      }
      sink->end(facts);
    }
    frontier = next.vertices;
    edges = next.edges;
    visited += frontier;
  }
  end_.record(stream_);
  stream_.wait();
}

}  // namespace

std::unique_ptr<Engine> make_cs406(const EngineSettings& settings) {
  static_cast<void>(device());  // where there is no GPU: refused before streams are made
  return std::make_unique<Cs406>(settings);
}

}  // namespace bfslab::cuda
