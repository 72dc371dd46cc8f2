// xbfs: the level loop of papers/xbfs.txt over the parts in frontier/, expand/ and bottom_up/.
//
// Figure 7 and section 4.3, as xbfs_rules.hpp decides a level:
//   bottom-up while edgeCheck / |E| >= alpha (0.1), and
//     double_scan makes its queue of unvisited vertices (off: a prefix sum over runs of statuses);
//   top-down else, and the frontier that it finds is queued
//     scan_free      while it expands,
//     single_scan    by one scan after it, if edgeCheck * lambda / |E| >= alpha, lambda being this
//                    level's edgeCheck over the last one's: the level right before bottom-up,
//     no_generation  the first top-down level behind bottom-up takes the bottom-up queue for its
//                    frontier; what it finds is queued as by scan_free.
// A technique that is switched off gives its place to the baseline's: a scan of all statuses and a
// prefix sum. With all four off, balance by degree and no async this is Enterprise.
//
// The loop runs on the host, as the paper's does: each level ends with a copy of 256 bytes to the
// host and a wait for it, which the timer includes. `launch = persistent` runs the same levels
// inside one kernel (xbfs_persistent.cu); a level sink gets its host-launched twin's.
//
// Choices and deviations:
//   * edgeCheck is not defined in the paper (errata): `edge_check` has both readings, the
//     frontier's out-degrees or these summed over all levels. |E| counts both directions.
//   * a status is the 4-byte level of the answer, so that depth is not bounded by a byte;
//   * top-down levels expand by degree class under every setting: the paper's balance is for
//     bottom-up;
//   * the hub cache, Enterprise's, has 1,024 slots and is filled at the beginning of each block;
//   * levels are kept whatever was asked for; directed graphs are searched through the transpose.
// What async breaks and how it is mended: frontier/no_generation.cuh, bottom_up/look.cuh, and
// `early` below (errata, "Async").
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/bottom_up/bottom_up.cuh"
#include "kernels/cuda/bottom_up/degree_classes.cuh"
#include "kernels/cuda/bottom_up/donation.cuh"
#include "kernels/cuda/bottom_up/static.cuh"
#include "kernels/cuda/bottom_up/thread_centric.cuh"
#include "kernels/cuda/bottom_up/warp_centric.cuh"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/expand/degree_classes.cuh"
#include "kernels/cuda/frontier/double_scan.cuh"
#include "kernels/cuda/frontier/no_generation.cuh"
#include "kernels/cuda/frontier/prefix_sum.cuh"
#include "kernels/cuda/frontier/scan_free.cuh"
#include "kernels/cuda/frontier/single_scan.cuh"
#include "kernels/cuda/level_slots.hpp"
#include "kernels/cuda/make_engine.hpp"
#include "kernels/cuda/xbfs_memory.hpp"
#include "kernels/cuda/xbfs_persistent.hpp"
#include "kernels/cuda/xbfs_rules.hpp"

namespace bfslab::cuda {
namespace {

constexpr unsigned kThreads = 256;

__global__ void place_source(vertex_t source, edge_t degree, level_t* levels, vertex_t* parents,
                             QueueView queue, LevelSlot* first) {
  levels[source] = 0;
  if (parents != nullptr) parents[source] = source;
  first->vertices = 1;
  first->edges = degree;
  if (degree == 0) return;
  const int of_class = degree_class(degree);
  queue.entries[queue.region[of_class]] = source;
  first->queued[of_class] = 1;
}

// Where the classes' regions begin, by the graph's own degrees.
QueueView regions_of(const CsrGraph& graph, vertex_t* entries) {
  std::uint32_t count[kDegreeClasses] = {};
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) ++count[degree_class(graph.degree(v))];
  QueueView queue{entries, {}};
  for (int c = 1; c < kDegreeClasses; ++c) {
    queue.region[c] = queue.region[c - 1] + count[c - 1];
  }
  return queue;
}

class Xbfs final : public Engine {
 public:
  explicit Xbfs(const EngineSettings& settings)
      : answer_(settings.answer),
        rules_{.scan_free = settings.toggles.flag("scan_free"),
               .single_scan = settings.toggles.flag("single_scan"),
               .no_generation = settings.toggles.flag("no_generation"),
               .double_scan = settings.toggles.flag("double_scan"),
               .async = settings.toggles.flag("async"),
               .cumulative = settings.toggles.choice("edge_check") == "cumulative"},
        hub_cache_(settings.toggles.flag("hub_cache")),
        by_degree_(settings.toggles.choice("balance") == "degree_classes"),
        alpha_(settings.toggles.real("alpha")),
        full_grid_(
            static_cast<unsigned>(device().multiprocessors * device().threads_per_multiprocessor) /
            kThreads) {
    const std::string& balance = settings.toggles.choice("balance");
    if (settings.toggles.choice("launch") == "persistent") {
      persistent_ = persistent_kernel(balance, rules_.async, hub_cache_);
    }
    if (balance == "static") choose_balance<StaticBalance>();
    if (balance == "thread") choose_balance<ThreadCentric>();
    if (balance == "warp") choose_balance<WarpCentric>();
    if (balance == "donation") choose_balance<Donation>();
    if (balance == "degree_classes") choose_balance<BalanceByDegree>();
  }

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink) override;

  [[nodiscard]] AnswerView answer() const override {
    return {.space = MemorySpace::device,
            .vertex_count = csr_->vertex_count(),
            .levels = wants_levels(answer_) ? levels_.data() : nullptr,
            .parents = wants_parents(answer_) ? parents_.data() : nullptr};
  }
  [[nodiscard]] MemoryUse memory() const override {
    return {.graph = graph_.bytes() + enterable_.bytes() + hubs_.bytes(),
            .status = levels_.bytes() + parents_.bytes(),
            .queues = queue_[0].bytes() + queue_[1].bytes() + bottom_up_.bytes(),
            .scratch = counts_.bytes() + offsets_.bytes() + scan_scratch_.bytes() +
                       bottom_up_queued_.bytes() + slots_.bytes()};
  }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }

 private:
  using BottomUpKernel = void (*)(BottomUp);

  template <typename Balance>
  void choose_balance() {
    look_[0][0] = &bottom_up<Balance, false, false>;
    look_[0][1] = &bottom_up<Balance, false, true>;
    look_[1][0] = &bottom_up<Balance, true, false>;
    look_[1][1] = &bottom_up<Balance, true, true>;
  }

  void reset(vertex_t source);
  void run_from_host(vertex_t source, LevelSink* sink);
  [[nodiscard]] PersistentXbfs persistent_work(vertex_t source) const;
  [[nodiscard]] const char* technique(const XbfsProgress& at, bool up) const;
  void run_bottom_up(const XbfsProgress& at, bool counts);
  bool run_top_down(const XbfsProgress& at);
  void scan_exclusive(std::size_t count);
  template <int kClasses>
  void queue_unvisited();
  void queue_by_prefix_sum(level_t wanted, const QueueView& queue, LevelSlot* slot, bool tally);
  template <typename Next>
  void expand(const XbfsProgress& at, const Next& next);
  void tell(LevelSink& sink, const XbfsProgress& at, bool up, bool counts, std::uint64_t found);

  [[nodiscard]] QueueView frontier_queue(level_t level) const {
    QueueView queue = out_regions_;
    queue.entries = queue_[level % 2].data();
    return queue;
  }
  // Enough blocks for so many threads, at least one, at most what fits on the GPU at once.
  [[nodiscard]] unsigned blocks_for(std::uint64_t threads) const {
    const std::uint64_t blocks = (threads + kThreads - 1) / kThreads;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, full_grid_));
  }

  Answer answer_;
  XbfsRules rules_;
  bool hub_cache_, by_degree_;
  double alpha_;
  unsigned full_grid_;              // blocks
  BottomUpKernel look_[2][2] = {};  // [async][counting]

  PersistentKernel persistent_;  // none: the host launches every level

  const CsrGraph* csr_ = nullptr;
  Stream stream_;
  Event begin_, end_, level_begin_, between_, level_end_;
  DeviceGraph graph_;
  DeviceBuffer<level_t> levels_;
  DeviceBuffer<vertex_t> parents_;
  DeviceBuffer<vertex_t> queue_[2];               // [n] frontiers of even and of odd levels
  DeviceBuffer<vertex_t> bottom_up_;              // [n] the last bottom-up queue
  DeviceBuffer<std::uint32_t> bottom_up_queued_;  // [kDegreeClasses]
  DeviceBuffer<std::uint32_t> enterable_;         // [ceil(n / 32)]
  DeviceBuffer<vertex_t> hubs_;
  DeviceBuffer<std::uint32_t> counts_, offsets_;
  DeviceBuffer<char> scan_scratch_;
  QueueView out_regions_, in_regions_;
  LevelSlots slots_;
};

void Xbfs::load(const GraphSource& source) {
  if (source.csr == nullptr) throw std::invalid_argument("xbfs takes a CSR, not a recipe");
  csr_ = source.csr;
  if (csr_->incoming() == nullptr) {
    throw std::invalid_argument("bottom-up on a directed graph needs its transpose");
  }
  const std::size_t n = csr_->vertex_count();
  rules_.enough_edges = alpha_ * static_cast<double>(csr_->edge_count());
  begin_.record(stream_);
  end_.record(stream_);
  graph_ = DeviceGraph(*csr_, true, stream_);
  levels_ = DeviceBuffer<level_t>(n);
  if (wants_parents(answer_)) parents_ = DeviceBuffer<vertex_t>(n);
  for (DeviceBuffer<vertex_t>& queue : queue_) queue = DeviceBuffer<vertex_t>(n);
  bottom_up_ = DeviceBuffer<vertex_t>(n);
  bottom_up_queued_ = DeviceBuffer<std::uint32_t>(kDegreeClasses);
  bottom_up_queued_.fill_bytes(0, stream_.get());
  enterable_ = DeviceBuffer<std::uint32_t>((n + 31) / 32);
  out_regions_ = regions_of(*csr_, nullptr);
  in_regions_ = by_degree_ ? regions_of(*csr_->incoming(), bottom_up_.data())
                           : QueueView{bottom_up_.data(), {}};

  const std::size_t counts = scan_counts(n);
  counts_ = DeviceBuffer<std::uint32_t>(counts);
  offsets_ = DeviceBuffer<std::uint32_t>(counts);
  std::size_t bytes = 0;
  BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts_.data(), offsets_.data(),
                                            static_cast<int>(counts), stream_.get()));
  scan_scratch_ = DeviceBuffer<char>(bytes);

  if (hub_cache_) {
    std::vector<vertex_t> order(n);
    std::iota(order.begin(), order.end(), vertex_t{0});
    const std::size_t count = std::min<std::size_t>(kHubSlots, n);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](vertex_t a, vertex_t b) {
                        const edge_t da = csr_->degree(a);
                        const edge_t db = csr_->degree(b);
                        return da != db ? da > db : a < b;
                      });
    hubs_ = DeviceBuffer<vertex_t>(count);
    if (count > 0) {
      BFSLAB_CUDA(cudaMemcpyAsync(hubs_.data(), order.data(), hubs_.bytes(), cudaMemcpyHostToDevice,
                                  stream_.get()));
    }
    stream_.wait();  // `order` goes
  }
  if (n > 0) {
    mark_enterable<<<blocks_for(n), kThreads, 0, stream_.get()>>>(graph_.incoming(),
                                                                  enterable_.data());
    BFSLAB_CUDA_LAUNCHED("mark_enterable");
  }
  stream_.wait();
}

void Xbfs::reset(vertex_t source) {
  levels_.fill_bytes(0xff, stream_.get());   // kUnreached
  parents_.fill_bytes(0xff, stream_.get());  // kNoVertex
  slots_.clear(stream_);
  place_source<<<1, 1, 0, stream_.get()>>>(source, csr_->degree(source), levels_.data(),
                                           parents_.data(), frontier_queue(0), slots_.at(0));
  BFSLAB_CUDA_LAUNCHED("place_source");
}

const char* Xbfs::technique(const XbfsProgress& at, bool up) const {
  if (up) return rules_.double_scan ? "double_scan" : "prefix_sum";
  if (rules_.takes_bottom_up_queue(at)) return "no_generation";
  if (rules_.single_scans(at)) return "single_scan";
  return rules_.queues_while_expanding(at) ? "scan_free" : "prefix_sum";
}

void Xbfs::scan_exclusive(std::size_t count) {
  std::size_t bytes = scan_scratch_.bytes();
  BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(scan_scratch_.data(), bytes, counts_.data(),
                                            offsets_.data(), static_cast<int>(count),
                                            stream_.get()));
}

// Frontier vertices of `wanted` into `queue`. `tally`: the slot's vertices and edges are unknown.
void Xbfs::queue_by_prefix_sum(level_t wanted, const QueueView& queue, LevelSlot* slot,
                               bool tally) {
  const unsigned parts = ScanLayout::of_threads(csr_->vertex_count()).parts;
  const PrefixScan scan{levels_.data(), wanted,         graph_.outgoing(),
                        false,          counts_.data(), offsets_.data()};
  prefix_count<kDegreeClasses>
      <<<parts / kThreads, kThreads, 0, stream_.get()>>>(scan, tally ? slot : nullptr);
  BFSLAB_CUDA_LAUNCHED("prefix_count");
  scan_exclusive(std::size_t{kDegreeClasses} * parts);
  prefix_scatter<kDegreeClasses>
      <<<parts / kThreads, kThreads, 0, stream_.get()>>>(scan, queue, slot->queued);
  BFSLAB_CUDA_LAUNCHED("prefix_scatter");
}

// The bottom-up queue, in one region or by degree.
template <int kClasses>
void Xbfs::queue_unvisited() {
  std::uint32_t* queued = bottom_up_queued_.data();
  if (rules_.double_scan) {
    const ScanLayout layout = ScanLayout::of_segments(csr_->vertex_count());
    const DoubleScan scan{levels_.data(),  enterable_.data(), graph_.incoming(),
                          layout.statuses, counts_.data(),    offsets_.data()};
    const unsigned blocks = layout.parts / kThreads;
    double_scan_count<kClasses><<<blocks, kThreads, 0, stream_.get()>>>(scan);
    BFSLAB_CUDA_LAUNCHED("double_scan_count");
    scan_exclusive(std::size_t{kClasses} * layout.parts);
    double_scan_place<kClasses><<<blocks, kThreads, 0, stream_.get()>>>(scan, in_regions_, queued);
    BFSLAB_CUDA_LAUNCHED("double_scan_place");
    return;
  }
  const unsigned parts = ScanLayout::of_threads(csr_->vertex_count()).parts;
  const PrefixScan scan{levels_.data(), kUnreached,     graph_.incoming(),
                        true,           counts_.data(), offsets_.data()};
  prefix_count<kClasses><<<parts / kThreads, kThreads, 0, stream_.get()>>>(scan, nullptr);
  BFSLAB_CUDA_LAUNCHED("prefix_count");
  scan_exclusive(std::size_t{kClasses} * parts);
  prefix_scatter<kClasses>
      <<<parts / kThreads, kThreads, 0, stream_.get()>>>(scan, in_regions_, queued);
  BFSLAB_CUDA_LAUNCHED("prefix_scatter");
}

void Xbfs::run_bottom_up(const XbfsProgress& at, bool counts) {
  by_degree_ ? queue_unvisited<kDegreeClasses>() : queue_unvisited<1>();
  if (counts) between_.record(stream_);
  const BottomUp work{.incoming = graph_.incoming(),
                      .outgoing = graph_.outgoing(),
                      .queue = in_regions_,
                      .queued = bottom_up_queued_.data(),
                      .levels = levels_.data(),
                      .parents = parents_.data(),
                      .level = at.level,
                      .next = slots_.at(at.level + 1),
                      .after = slots_.at(at.level + 2),
                      .cleared = slots_.at(at.level + 3),
                      .hubs = hub_cache_ ? hubs_.data() : nullptr,
                      .hub_count = static_cast<std::uint32_t>(hubs_.size())};
  const std::size_t shared = hub_cache_ ? kHubSlots * sizeof(vertex_t) : 0;
  look_[rules_.async ? 1 : 0]
       [counts ? 1 : 0]<<<blocks_for(csr_->vertex_count()), kThreads, shared, stream_.get()>>>(
           work);
  BFSLAB_CUDA_LAUNCHED("bottom_up");
}

template <typename Next>
void Xbfs::expand(const XbfsProgress& at, const Next& next) {
  if (rules_.takes_bottom_up_queue(at)) {
    expand_unfiltered<<<full_grid_, kThreads, 0, stream_.get()>>>(
        graph_.outgoing(), in_regions_, bottom_up_queued_.data(), levels_.data(), at.level,
        slots_.at(at.level + 3), next);
    BFSLAB_CUDA_LAUNCHED("expand_unfiltered");
    return;
  }
  // A queue that was just made by a scan has counts that the host has not seen.
  unsigned blocks = full_grid_;
  if (!at.was_bottom_up) {
    const LevelSlot& now = slots_.seen(at.level);
    const std::uint64_t threads[kDegreeClasses] = {
        now.queued[0], std::uint64_t{now.queued[1]} * 32, std::uint64_t{now.queued[2]} * kThreads,
        now.queued[3] > 0 ? std::uint64_t{full_grid_} * kThreads : 0};
    blocks = blocks_for(*std::max_element(threads, threads + kDegreeClasses));
  }
  expand_degree_classes<<<blocks, kThreads, 0, stream_.get()>>>(
      graph_.outgoing(), frontier_queue(at.level), slots_.at(at.level), slots_.at(at.level + 3),
      next);
  BFSLAB_CUDA_LAUNCHED("expand_degree_classes");
}

// True if a scan gathered the next frontier, early finds among it.
bool Xbfs::run_top_down(const XbfsProgress& at) {
  if (rules_.gathers_frontier(at)) {
    queue_by_prefix_sum(at.level, frontier_queue(at.level), slots_.at(at.level), false);
  }
  const Visit visit{levels_.data(), parents_.data(), at.level + 1};
  const QueueView queue = frontier_queue(at.level + 1);
  LevelSlot* const next = slots_.at(at.level + 1);
  if (rules_.queues_while_expanding(at)) {
    if (at.was_bottom_up && rules_.async) {
      seed_early<<<full_grid_, kThreads, 0, stream_.get()>>>(
          graph_.outgoing(), in_regions_, bottom_up_queued_.data(), levels_.data(), at.level + 1,
          queue, next);
      BFSLAB_CUDA_LAUNCHED("seed_early");
    }
    expand(at, ScanFree{visit, queue, next});
    return false;
  }
  expand(at, MarkOnly{visit});
  if (rules_.single_scans(at)) {
    single_scan<<<blocks_for((csr_->vertex_count() + 3) / 4), kThreads, 0, stream_.get()>>>(
        graph_.outgoing(), levels_.data(), at.level + 1, queue, next);
    BFSLAB_CUDA_LAUNCHED("single_scan");
  } else {
    queue_by_prefix_sum(at.level + 1, queue, next, true);
  }
  return true;
}

// The level is over, and its slots were read.
void Xbfs::tell(LevelSink& sink, const XbfsProgress& at, bool up, bool counts,
                std::uint64_t found) {
  if (!counts) return sink.end({});
  const LevelSlot& next = slots_.seen(at.level + 1);
  sink.end({.frontier_edges = at.edges,
            .edges_checked = up ? next.checked : at.edges,
            .found_vertices = found,
            .found_early_vertices = next.early_vertices,
            .unvisited_vertices = csr_->vertex_count() - at.visited});
  // Top-down mixes the two: one time, so that the shares of Figure 12 are of one clock.
  const Event& expands = up ? between_ : level_begin_;
  if (up) {
    sink.measure({"level", "generation_ms", ms_between(level_begin_, expands), "ms", at.level});
  }
  sink.measure({"level", "traversal_ms", ms_between(expands, level_end_), "ms", at.level});
}

void Xbfs::traverse(vertex_t source, LevelSink* sink) {
  begin_.record(stream_);
  reset(source);
  // Levels on the GPU cannot be told of: their host-launched twin is (design: "NVTX").
  if (persistent_.kernel != nullptr && sink == nullptr) {
    launch(persistent_, persistent_work(source), stream_.get());
  } else {
    run_from_host(source, sink);
  }
  end_.record(stream_);
  stream_.wait();
}

PersistentXbfs Xbfs::persistent_work(vertex_t source) const {
  return {.rules = rules_,
          .outgoing = graph_.outgoing(),
          .incoming = graph_.incoming(),
          .levels = levels_.data(),
          .parents = parents_.data(),
          .frontier = {frontier_queue(0), frontier_queue(1)},
          .bottom_up = in_regions_,
          .bottom_up_queued = bottom_up_queued_.data(),
          .enterable = enterable_.data(),
          .hubs = hub_cache_ ? hubs_.data() : nullptr,
          .hub_count = static_cast<std::uint32_t>(hubs_.size()),
          .slots = slots_.at(0),
          .sums = counts_.data(),
          .source_edges = csr_->degree(source)};
}

void Xbfs::run_from_host(vertex_t source, LevelSink* sink) {
  const bool counts = sink != nullptr && sink->counts();
  XbfsProgress at;
  at.edges = at.all_edges = csr_->degree(source);
  while (at.frontier > 0) {
    const bool up = rules_.goes_up(at);
    if (sink != nullptr) {
      sink->begin({at.level, up ? Direction::bottom_up : Direction::top_down, technique(at, up),
                   at.frontier});
    }
    if (counts) level_begin_.record(stream_);
    bool gathered = false;
    if (up) {
      run_bottom_up(at, counts);
    } else {
      gathered = run_top_down(at);
    }
    if (counts) level_end_.record(stream_);
    slots_.read(stream_);
    const LevelSlot& next = slots_.seen(at.level + 1);
    // A level may find nothing because all of it was found early; a scan has counted these already.
    const std::uint64_t found = next.vertices + (gathered ? 0 : next.early_vertices);
    const std::uint64_t edges = next.edges + (gathered ? 0 : next.early_edges);
    if (sink != nullptr) tell(*sink, at, up, counts, found);
    at.advance(found, edges, up);
  }
}

}  // namespace

std::unique_ptr<Engine> make_xbfs(const EngineSettings& settings) {
  return std::make_unique<Xbfs>(settings);
}

}  // namespace bfslab::cuda
