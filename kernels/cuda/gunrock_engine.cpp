// gunrock: Gunrock's BFS (Wang et al., TOPC 2017, sections 4 and 5), reimplemented over the parts
// in frontier/, expand/ and bottom_up/. A level is bulk-synchronous:
//   push  advance: every edge of the queue, shared out evenly (load_balanced: section 5.1.2) or by
//         degree (thread_warp_cta: 5.1.1), marks neighbours without a claim and lists them as
//         candidates; filter: each candidate once into the next queue (frontier/filter.cuh);
//   pull  where the frontier is large, unvisited vertices look for a parent instead
//         (bottom_up/unvisited_list.cuh), by the rule of gunrock_rules.hpp.
//
// As in Gunrock the host drives the levels and waits for each one's size, and do_a = 0.001 and
// do_b = 0.2 are its defaults; tuned values of its authors differ by graph.
//
// Deviations: advance and filter are two halves of one cooperative kernel with a barrier of the
// grid between them, where Gunrock launches kernels, so that a level costs one launch and one
// read-back of 20 us together and not several (`launch = persistent` takes these away too); the
// filter is exact; advance lists only neighbours that look unvisited; queues have bounds that hold
// for any graph (n entries, and one candidate for each edge) where Gunrock's grow while it runs.
//
// Cost a pushed vertex: 4 bytes of queue twice, 16 of offsets and 8 of their sums; an edge: 4, and
// a random status word; a candidate: 8, and a random bit. Wins on skewed graphs, by its pulls.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "kernels/cuda/device/answer.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/gunrock_work.hpp"
#include "kernels/cuda/level_slots.hpp"
#include "kernels/cuda/make_engine.hpp"

namespace bfslab::cuda {
namespace {

class Gunrock final : public Engine {
 public:
  explicit Gunrock(const EngineSettings& settings)
      : answer_(settings.answer),
        idempotent_(settings.toggles.flag("idempotent")),
        load_balanced_(settings.toggles.choice("advance") == "load_balanced"),
        persistent_(settings.toggles.choice("launch") == "persistent") {
    kernel_ = gunrock_kernel(settings.toggles.choice("advance"));
    work_.rules = {.direction_optimised = settings.toggles.flag("direction_optimised"),
                   .do_a = settings.toggles.real("do_a"),
                   .do_b = settings.toggles.real("do_b")};
  }

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink) override;

  [[nodiscard]] AnswerView answer() const override {
    return answer_on_device(answer_, csr_->vertex_count(), levels_, parents_);
  }
  [[nodiscard]] MemoryUse memory() const override {
    std::uint64_t bitmaps = 0;
    for (const auto& bitmap : frontier_) bitmaps += bitmap.bytes();
    return {.graph = graph_.bytes(),
            .status = levels_.bytes() + parents_.bytes(),
            .queues = queue_[0].bytes() + queue_[1].bytes() + candidates_.bytes() +
                      unvisited_[0].bytes() + unvisited_[1].bytes() + bitmaps,
            .scratch = slots_.bytes() + counts_.bytes() + filter_bits_.bytes() +
                       edges_before_.bytes() + block_edges_.bytes()};
  }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }

 private:
  void make_push();
  void make_pull();
  void launch(const GunrockWork& work, GunrockProgress at, level_t most) const;
  void run_from_host(edge_t source_edges, LevelSink* sink);
  [[nodiscard]] const char* technique(bool pull) const;

  Answer answer_;
  bool idempotent_, load_balanced_, persistent_;
  GunrockKernel kernel_ = nullptr;
  unsigned blocks_ = 0;

  const CsrGraph* csr_ = nullptr;
  Stream stream_;
  Event begin_, end_;
  DeviceGraph graph_;
  DeviceBuffer<level_t> levels_;
  DeviceBuffer<vertex_t> parents_;
  DeviceBuffer<vertex_t> queue_[2];    // [n] frontiers of even and of odd levels
  DeviceBuffer<vertex_t> candidates_;  // [m + 1]
  DeviceBuffer<std::uint32_t> filter_bits_;
  DeviceBuffer<edge_t> edges_before_, block_edges_;
  DeviceBuffer<vertex_t> unvisited_[2];                        // [n]
  DeviceBuffer<std::uint32_t> frontier_[Unvisited::kBitmaps];  // [ceil(n / 32)]
  DeviceBuffer<std::uint32_t> counts_;                         // of unvisited and of candidates
  LevelSlots slots_;
  GunrockWork work_;
};

void Gunrock::make_push() {
  const std::size_t n = csr_->vertex_count();
  Search& search = work_.search;
  search.graph = graph_.outgoing();
  search.items.count = csr_->vertex_count();
  search.levels = levels_.data();
  search.parents = parents_.data();
  search.slots = slots_.at(0);
  for (int parity = 0; parity < 2; ++parity) {
    queue_[parity] = DeviceBuffer<vertex_t>(n);
    search.queue[parity].entries = queue_[parity].data();
  }
  search.collect = idempotent_ ? Collect::filter : Collect::scan_free;
  if (idempotent_) {
    if (csr_->edge_count() >= std::numeric_limits<std::uint32_t>::max()) {
      throw InputError("gunrock: candidates of " + std::to_string(csr_->edge_count()) +
                       " edges, and 32 bits count at most 4,294,967,295; set `idempotent` off");
    }
    candidates_ = DeviceBuffer<vertex_t>(csr_->edge_count() + 1);
    filter_bits_ = DeviceBuffer<std::uint32_t>((n + 31) / 32);
    search.candidates = candidates_.data();
    search.filter_bits = filter_bits_.data();
  }
  if (load_balanced_) {
    edges_before_ = DeviceBuffer<edge_t>(n + 1);
    block_edges_ = DeviceBuffer<edge_t>(blocks_);
    search.edges_before = edges_before_.data();
    search.block_edges = block_edges_.data();
  }
  counts_ = DeviceBuffer<std::uint32_t>(kSlots + 2);
  work_.unvisited.count = counts_.data();
  search.candidate_count = counts_.data() + kSlots;
}

void Gunrock::make_pull() {
  const std::size_t n = csr_->vertex_count();
  work_.rules.vertices = static_cast<double>(n);
  work_.rules.edges = static_cast<double>(csr_->edge_count());
  if (!work_.rules.direction_optimised) return;
  work_.unvisited.incoming = graph_.incoming();
  for (int parity = 0; parity < 2; ++parity) {
    unvisited_[parity] = DeviceBuffer<vertex_t>(n);
    work_.unvisited.list[parity] = unvisited_[parity].data();
  }
  for (unsigned i = 0; i < Unvisited::kBitmaps; ++i) {
    frontier_[i] = DeviceBuffer<std::uint32_t>((n + 31) / 32);
    work_.unvisited.frontier[i] = frontier_[i].data();
  }
}

void Gunrock::load(const GraphSource& source) {
  if (source.csr == nullptr) throw std::invalid_argument("gunrock takes a CSR, not a recipe");
  csr_ = source.csr;
  const bool pulls = work_.rules.direction_optimised;
  if (pulls && csr_->incoming() == nullptr) {
    throw std::invalid_argument("pulling on a directed graph needs its transpose");
  }
  begin_.record(stream_);
  end_.record(stream_);
  int of_multiprocessor = 0;
  BFSLAB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &of_multiprocessor, reinterpret_cast<const void*>(kernel_), kGunrockThreads, 0));
  blocks_ = static_cast<unsigned>(of_multiprocessor * device().multiprocessors);
  graph_ = DeviceGraph(*csr_, pulls, stream_);
  levels_ = DeviceBuffer<level_t>(csr_->vertex_count());
  if (wants_parents(answer_)) parents_ = DeviceBuffer<vertex_t>(csr_->vertex_count());
  make_push();
  make_pull();
  stream_.wait();
}

void Gunrock::launch(const GunrockWork& work, GunrockProgress at, level_t most) const {
  GunrockWork argument = work;
  void* arguments[] = {&argument, &at, &most};
  BFSLAB_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel_), dim3(blocks_),
                                          dim3(kGunrockThreads), arguments, 0, stream_.get()));
}

void Gunrock::traverse(vertex_t source, LevelSink* sink) {
  begin_.record(stream_);
  reset(work_, source, csr_->degree(source), stream_.get());
  // Levels on the GPU cannot be told of: their host-launched twin is (design: "NVTX").
  if (persistent_ && sink == nullptr) {
    launch(work_, {}, std::numeric_limits<level_t>::max());
  } else {
    run_from_host(csr_->degree(source), sink);
  }
  end_.record(stream_);
  stream_.wait();
}

const char* Gunrock::technique(bool pull) const {
  if (pull) return "unvisited_list";
  if (load_balanced_) return idempotent_ ? "load_balanced_filter" : "load_balanced";
  return idempotent_ ? "thread_warp_cta_filter" : "thread_warp_cta";
}

void Gunrock::run_from_host(edge_t source_edges, LevelSink* sink) {
  const bool counts = sink != nullptr && sink->counts();
  GunrockWork work = work_;
  work.search.counts = counts;  // advance claims, so that it knows what it found
  GunrockProgress at;
  edge_t edges = source_edges;
  while (at.frontier > 0) {
    const bool pull = work.rules.pulls(at);
    if (sink != nullptr) {
      sink->begin({at.level, pull ? Direction::bottom_up : Direction::top_down, technique(pull),
                   at.frontier});
    }
    launch(work, at, 1);
    slots_.read(stream_);
    const LevelSlot& next = slots_.seen(at.level + 1);
    const std::uint64_t found = pull ? next.vertices : next.queued[0];
    if (sink != nullptr) {
      sink->end(counts ? LevelFacts{.frontier_edges = edges,
                                    .edges_checked = pull ? next.checked : edges,
                                    .found_vertices = found,
                                    .unvisited_vertices = csr_->vertex_count() - at.visited}
                       : LevelFacts{});
    }
    edges = next.edges;
    at.advance(found, pull);
  }
}

}  // namespace

std::unique_ptr<Engine> make_gunrock(const EngineSettings& settings) {
  static_cast<void>(device());  // where there is no GPU: refused before streams are made
  return std::make_unique<Gunrock>(settings);
}

}  // namespace bfslab::cuda
