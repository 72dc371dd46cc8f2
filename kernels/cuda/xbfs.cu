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
// prefix sum. With all four off, balance by degree and no async this is Enterprise. `decentralized`
// puts the queues of papers/dfq.txt section IV in the place of the three that are top-down.
//
// The loop runs on the host, as the paper's does: each level ends with a copy of 256 bytes to the
// host and a wait for it, which the timer includes. `launch = graph` runs the same levels, kernel
// by kernel, inside a CUDA graph (xbfs_graph.cu), `launch = persistent` inside one kernel
// (xbfs_persistent.cu); a level sink gets its host-launched twin's.
//
// Choices and deviations:
//   * edgeCheck is not defined in the paper (errata): `edge_check` has both readings, the
//     frontier's out-degrees or these summed over all levels. |E| counts both directions.
//   * a status is the 4-byte level of the answer, so that depth is not bounded by a byte;
//   * top-down levels expand by degree class under every setting: the paper's balance is for
//     bottom-up;
//   * the hub cache, Enterprise's, has 1,024 slots and is filled at the beginning of each block;
//   * levels are kept whatever was asked for; directed graphs are searched through the transpose.
//
// The baseline does Enterprise's work (sections 1.1, 2.2, 4.2 and 5.1, and the paper's reference
// 24) in fewer steps than Enterprise, and takes less time than the authors' code:
//   * the four degree classes share one kernel, where Enterprise launches one each, and one prefix
//     sum in a single pass;
//   * threads that gather a frontier count, and look again, in place of filling bins;
//   * vertices without edges enter no queue, where Definition 2.1 takes any unvisited one;
//   * one copy of one level's facts goes to the host, whatever the classes;
//   * bottom-up begins by alpha, as under the other settings, not by Enterprise's own rule.
// All are part of every setting: none of them is what Figure 11 compares.
//
// What async breaks and how it is mended: frontier/no_generation.cuh, bottom_up/look.cuh, and
// end_level() in xbfs_work.hpp (errata, "Async").
#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/bottom_up/look.cuh"
#include "kernels/cuda/device/answer.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/level_slots.hpp"
#include "kernels/cuda/make_engine.hpp"
#include "kernels/cuda/xbfs_graph.hpp"
#include "kernels/cuda/xbfs_levels.hpp"
#include "kernels/cuda/xbfs_persistent.hpp"

namespace bfslab::cuda {
namespace {

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

// Up to kHubSlots vertices of the largest degrees.
std::vector<vertex_t> hubs_of(const CsrGraph& graph) {
  std::vector<vertex_t> order(graph.vertex_count());
  std::iota(order.begin(), order.end(), vertex_t{0});
  const std::size_t count = std::min<std::size_t>(kHubSlots, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](vertex_t a, vertex_t b) {
                      const edge_t da = graph.degree(a);
                      const edge_t db = graph.degree(b);
                      return da != db ? da > db : a < b;
                    });
  order.resize(count);
  return order;
}

class Xbfs final : public Engine {
 public:
  explicit Xbfs(const EngineSettings& settings)
      : answer_(settings.answer),
        launch_(settings.toggles.choice("launch")),
        balance_(settings.toggles.choice("balance")),
        hub_cache_(settings.toggles.flag("hub_cache")),
        alpha_(settings.toggles.real("alpha")),
        rules_{.scan_free = settings.toggles.flag("scan_free"),
               .single_scan = settings.toggles.flag("single_scan"),
               .no_generation = settings.toggles.flag("no_generation"),
               .double_scan = settings.toggles.flag("double_scan"),
               .decentralized = settings.toggles.flag("decentralized"),
               .async = settings.toggles.flag("async"),
               .cumulative = settings.toggles.choice("edge_check") == "cumulative"},
        full_grid_(full_grid()),
        kernels_(balance_, rules_.async, hub_cache_) {}

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink) override;

  [[nodiscard]] AnswerView answer() const override {
    return answer_on_device(answer_, csr_->vertex_count(), levels_, parents_);
  }
  [[nodiscard]] MemoryUse memory() const override {
    return {.graph = graph_.bytes() + enterable_.bytes() + hubs_.bytes(),
            .status = levels_.bytes() + parents_.bytes(),
            .queues = queue_[0].bytes() + queue_[1].bytes() + bottom_up_.bytes(),
            .scratch = kernels_.bytes() + bottom_up_queued_.bytes() + slots_.bytes() +
                       (level_graph_ ? level_graph_->bytes() : 0)};
  }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }

 private:
  void run_from_host(vertex_t source, LevelSink* sink);
  void reset(vertex_t source);
  [[nodiscard]] const char* technique(const XbfsLevel& how) const;
  [[nodiscard]] unsigned expansion_blocks(const XbfsProgress& at, const XbfsLevel& how) const;
  void tell(LevelSink& sink, const XbfsProgress& at, const XbfsLevel& how, std::uint64_t found);

  Answer answer_;
  std::string launch_, balance_;
  bool hub_cache_;
  double alpha_;
  XbfsRules rules_;
  unsigned full_grid_;  // blocks

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
  LevelSlots slots_;
  XbfsWork work_;  // all of the above, for kernels

  XbfsLevels kernels_;
  PersistentKernel persistent_;           // launch = persistent
  std::optional<XbfsGraph> level_graph_;  // launch = graph
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
  if (hub_cache_) {
    const std::vector<vertex_t> hubs = hubs_of(*csr_);
    hubs_ = DeviceBuffer<vertex_t>(hubs.size());
    upload(hubs_.data(), hubs.data(), hubs_.bytes(), stream_);
  }
  work_.rules = rules_;
  work_.outgoing = graph_.outgoing();
  work_.incoming = graph_.incoming();
  work_.levels = levels_.data();
  work_.parents = parents_.data();
  for (int i : {0, 1}) work_.frontier[i] = regions_of(*csr_, queue_[i].data());
  work_.bottom_up = QueueView{bottom_up_.data(), {}};
  if (balance_ == "degree_classes") {
    work_.bottom_up = regions_of(*csr_->incoming(), bottom_up_.data());
  }
  work_.bottom_up_queued = bottom_up_queued_.data();
  work_.enterable = enterable_.data();
  work_.hubs = hubs_.data();
  work_.hub_count = static_cast<std::uint32_t>(hubs_.size());
  work_.slots = slots_.at(0);
  kernels_.allocate(n, work_);
  if (n > 0) {
    kernels_.find_enterable(graph_.incoming(), enterable_.data(), stream_.get());
    if (launch_ == "persistent") {
      persistent_ = persistent_kernel(balance_, rules_.async, hub_cache_);
    }
    if (launch_ == "graph") level_graph_.emplace(work_, kernels_, stream_);
  }
  stream_.wait();
}

void Xbfs::reset(vertex_t source) {
  levels_.fill_bytes(0xff, stream_.get());   // kUnreached
  parents_.fill_bytes(0xff, stream_.get());  // kNoVertex
  slots_.clear(stream_);
  kernels_.place_source(work_, source, stream_.get());
}

const char* Xbfs::technique(const XbfsLevel& how) const {
  if (how.up) return rules_.double_scan ? "double_scan" : "prefix_sum";
  if (how.streams) return "decentralized";
  if (how.takes_bottom_up_queue) return "no_generation";
  if (how.single_scans) return "single_scan";
  return how.queues_while_expanding ? "scan_free" : "prefix_sum";
}

unsigned Xbfs::expansion_blocks(const XbfsProgress& at, const XbfsLevel& how) const {
  // Neither the bottom-up queue nor one that a scan has just made has counts that the host knows.
  if (how.takes_bottom_up_queue || at.was_bottom_up || how.streams) return full_grid_;
  const LevelSlot& now = slots_.seen(at.level);
  if (now.queued[3] > 0) return full_grid_;
  return blocks_for(std::max({std::uint64_t{now.queued[0]}, std::uint64_t{now.queued[1]} * 32,
                              std::uint64_t{now.queued[2]} * kBlockThreads}));
}

// The level is over, and its slots were read.
void Xbfs::tell(LevelSink& sink, const XbfsProgress& at, const XbfsLevel& how,
                std::uint64_t found) {
  if (!sink.counts()) return sink.end({});
  const LevelSlot& next = slots_.seen(at.level + 1);
  sink.end({.frontier_edges = at.edges,
            .edges_checked = how.up ? next.checked : at.edges,
            .found_vertices = found,
            .found_early_vertices = next.early_vertices,
            .unvisited_vertices = csr_->vertex_count() - at.visited});
  // Top-down mixes the two: one time, so that the shares of Figure 12 are of one clock.
  const Event& expands = how.up ? between_ : level_begin_;
  if (how.up) {
    sink.measure({"level", "generation_ms", ms_between(level_begin_, expands), "ms", at.level});
  }
  sink.measure({"level", "traversal_ms", ms_between(expands, level_end_), "ms", at.level});
}

void Xbfs::traverse(vertex_t source, LevelSink* sink) {
  begin_.record(stream_);
  // Levels on the GPU cannot be told of: their host-launched twin is (design: "NVTX").
  if (sink != nullptr || launch_ == "host") {
    run_from_host(source, sink);
  } else if (level_graph_) {
    level_graph_->launch(source, stream_.get());
  } else {
    reset(source);
    launch(persistent_, work_, stream_.get());
  }
  end_.record(stream_);
  stream_.wait();
}

void Xbfs::run_from_host(vertex_t source, LevelSink* sink) {
  const bool counts = sink != nullptr && sink->counts();
  reset(source);
  XbfsProgress at;
  at.edges = at.all_edges = csr_->degree(source);
  while (at.frontier > 0) {
    const XbfsLevel how = rules_.level_of(rules_.kind(at));
    const LevelNumber level{.given = at.level};
    if (sink != nullptr) {
      sink->begin({at.level, how.up ? Direction::bottom_up : Direction::top_down, technique(how),
                   at.frontier});
    }
    if (counts) level_begin_.record(stream_);
    if (how.up) {
      kernels_.queue_unvisited(work_, stream_.get());
      if (counts) between_.record(stream_);
      kernels_.bottom_up(work_, level, counts, stream_.get());
    } else {
      kernels_.top_down(work_, level, how, expansion_blocks(at, how), stream_.get());
    }
    if (counts) level_end_.record(stream_);
    slots_.read(stream_);
    const XbfsProgress ran = at;
    end_level(at, how, slots_.seen(at.level + 1));
    if (sink != nullptr) tell(*sink, ran, how, at.frontier);
  }
}

}  // namespace

std::unique_ptr<Engine> make_xbfs(const EngineSettings& settings) {
  return std::make_unique<Xbfs>(settings);
}

}  // namespace bfslab::cuda
