// SPDX-License-Identifier: Apache-2.0
// xbfs: the level loop of XBFS over the parts in frontier/, expand/ and bottom_up/.
//
// Figure 7 and section 4.3; rules.hpp decides how a level runs:
//   bottom-up while edgeCheck / |E| >= alpha (0.1), and
//     double_scan makes its queue of unvisited vertices (off: a prefix sum over runs of statuses);
//   otherwise top-down, and the frontier that it finds is queued
//     scan_free      during the expansion,
//     single_scan    by one scan after it, if edgeCheck * lambda / |E| >= alpha, where lambda is
//                    this level's edgeCheck over the last one's: right before bottom-up,
//     no_generation  the first top-down level after bottom-up takes the bottom-up queue as its
//                    frontier; its finds are queued as by scan_free.
// The baseline's technique, a scan of all statuses and a prefix sum, replaces each one that is
// switched off.
//
// Crossings with other papers, off by default: `queue` and `expand` run the top-down levels by the
// kernels of top_down/, with DFQ's queues and any expansion. The next level, if it is top-down,
// gathers or streams what such a level leaves unqueued. `balance` = unvisited_list is Gunrock's
// pull, `first_neighbors` the bottom-up level of `fused`, and `thread_bounded` thread-centric
// balance without its cliff.
//
// The loop runs on the host, as the paper's does: each level ends with a copy of the slots to the
// host and a wait for it, which the timer includes. `launch = graph` runs the same levels, kernel
// by kernel, inside a CUDA graph (traversal/level_graph.cuh). `launch = persistent` runs them
// inside one kernel (persistent.cu), which logs its levels' times if a sink asks.
//
// Choices and deviations:
//   * The paper does not define edgeCheck (docs/errata.md#xbfs-edge-check): `edge_check` has both
//     readings, the frontier's out-degrees or these summed over all levels. |E| counts both
//     directions.
//   * A status is the 4-byte level of the answer, so that a byte does not bound the depth.
//   * Top-down levels expand by degree class unless `expand` is set: the paper's balance is for
//     bottom-up.
//   * The hub cache, Enterprise's, has 1,024 slots and is filled at the beginning of each block.
//   * Levels are always kept; directed graphs are searched bottom-up through the transpose.
//
// The baseline, Enterprise (sections 1.1, 2.2, 4.2 and 5.1, and the paper's reference 24), is the
// preset `enterprise`: all four off, balance by degree, no async, and
//   bins           threads sort what a scan finds into bins, one for each degree class;
//   class_kernels  each class has kernels, a prefix sum and a stream of its own;
//   hub_cache      bottom-up looks hubs up in shared memory;
//   edgeless       vertices without edges are queued for bottom-up, as by Definition 2.1;
//   rule           bottom-up from the first level whose frontier has gamma |E| edges, to the end.
// class_steps.hpp has its steps and its waits. The preset `enterprise_tuned` switches these five
// off and does the same work in fewer steps: threads count, and look again; one kernel takes all
// classes, and one prefix sum; direction goes by alpha. docs/errata.md#xbfs-enterprise says what
// deviates.
//
// The faults of async and their remedies: frontier/no_generation.cuh, bottom_up/look.cuh,
// and XbfsWork::close() (docs/errata.md#xbfs-async).
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "kernels/cuda/bottom_up/look.cuh"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/engines/xbfs/levels.hpp"
#include "kernels/cuda/engines/xbfs/memory.hpp"
#include "kernels/cuda/engines/xbfs/persistent.hpp"
#include "kernels/cuda/traversal/gpu_engine.hpp"
#include "kernels/cuda/traversal/level_graph.cuh"

namespace bfslab::cuda {
namespace {

// Returns up to kHubSlots vertices of the largest degrees.
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

// The driver of the levels: the host, a CUDA graph, or one kernel.
enum class Launch : std::uint8_t { host, graph, persistent };
Launch launch_named(const std::string& name) {
  if (name == "host") return Launch::host;
  return name == "graph" ? Launch::graph : Launch::persistent;
}

XbfsSettings settings_of(const Toggles& toggles) {
  XbfsSettings settings;
  settings.balance = balance_of(toggles);
  settings.expand = &expansion(toggles.choice("expand"));
  settings.hub_cache = toggles.flag("hub_cache");
  settings.class_kernels = toggles.flag("class_kernels");
  XbfsRules& rules = settings.rules;
  rules.scan_free = toggles.flag("scan_free");
  rules.single_scan = toggles.flag("single_scan");
  rules.no_generation = toggles.flag("no_generation");
  rules.double_scan = toggles.flag("double_scan");
  rules.async = toggles.flag("async");
  rules.bins = toggles.flag("bins");
  rules.edgeless = toggles.flag("edgeless");
  rules.one_way = toggles.choice("rule") == "enterprise";
  rules.cumulative = toggles.choice("edge_check") == "cumulative";
  rules.queue = static_cast<Queue>(row_of(kQueues, toggles.choice("queue")));
  rules.keeps_list = settings.by_list() || settings.by_first();
  rules.searches = rules.queue != Queue::central || !settings.by_class();
  return settings;
}

class Xbfs final : public GpuEngine {
 public:
  explicit Xbfs(const EngineSettings& settings)
      : GpuEngine("xbfs", settings.answer, true),
        launch_(launch_named(settings.toggles.choice("launch"))),
        settings_(settings_of(settings.toggles)),
        enough_(settings.toggles.real(settings_.rules.one_way ? "gamma" : "alpha")),
        levels_(settings_) {}

 private:
  void prepare() override { levels_.choose_grids(); }
  void allocate() override;
  void allocate_bottom_up();
  void add_memory(MemoryUse& use) const override {
    use.graph += enterable_.bytes() + hubs_.bytes();
    use.queues += queue_[0].bytes() + queue_[1].bytes() + bottom_up_.bytes() + unvisited_.bytes() +
                  first_neighbors_.bytes();
    use.scratch += bottom_up_queued_.bytes() + (graph_ ? graph_->bytes() : 0);
    levels_.add_memory(use);
  }

  [[nodiscard]] bool drives_itself() const override { return launch_ != Launch::host; }
  void run_on_device(vertex_t source, const LevelLogView& log) override {
    if (graph_) return graph_->launch(source, stream().get());
    begin(source, false, false);
    XbfsWork work = work_;
    work.log = log;
    persistent_.launch(stream().get(), work);
  }
  [[nodiscard]] bool logs_levels() const override { return launch_ == Launch::persistent; }
  [[nodiscard]] LevelPlan read_log(Progress& at, const LevelRecord& ran,
                                   const LevelSlot& next) const override {
    const XbfsLevel level_rule = work_.rules.level_of(ran.kind);
    XbfsWork::close(at, level_rule, next);
    return plan_of(level_rule);
  }
  void measure_log(LevelSink& sink, const Progress& ran, const LevelSlot& /*slot*/,
                   double generation_ms, double traversal_ms) override {
    tell_shares(sink, ran, generation_ms, traversal_ms);
  }
  [[nodiscard]] bool sums_edges() const override { return true; }

  void begin(vertex_t source, bool /*watched*/, bool counts) override {
    counts_ = counts;
    reset(work_, {.given = source}, source_in(), stream().get(), levels_.reset_extra());
  }
  [[nodiscard]] LevelPlan plan(const Progress& at) const override { return plan_of(level_of(at)); }
  void launch_level(const Progress& at) override;
  void close_level(Progress& at) override { XbfsWork::close(at, level_of(at), seen(at.level + 1)); }
  void measure_level(LevelSink& sink, const Progress& ran) override;
  void queue_verdict() override {
    if (PreparedTopDown* parts = levels_.overflowing()) parts->fetch_overflow(stream().get());
  }
  void judge() override {
    if (const PreparedTopDown* parts = levels_.overflowing()) parts->refuse_overflow();
  }

  [[nodiscard]] LevelPlan plan_of(const XbfsLevel& level_rule) const;
  static void tell_shares(LevelSink& sink, const Progress& ran, double generation_ms,
                          double traversal_ms);
  [[nodiscard]] XbfsLevel level_of(const Progress& at) const {
    return work_.rules.level_of(work_.rules.kind(at));
  }
  [[nodiscard]] SourceIn source_in() const {
    return settings_.by_class() ? SourceIn::class_queue : SourceIn::whole_queue;
  }
  [[nodiscard]] unsigned expansion_blocks(const Progress& at, const XbfsLevel& level_rule) const;

  Launch launch_;
  XbfsSettings settings_;
  double enough_;  // alpha, or gamma
  bool counts_ = false;

  Event level_begin_, between_, level_end_;
  WholeQueue queue_[2];                           // [n] frontiers of even and of odd levels
  WholeQueue bottom_up_;                          // [n] the last bottom-up queue
  UnvisitedList unvisited_;                       // replaces bottom_up_
  FirstNeighborsMemory first_neighbors_;          // replaces either
  DeviceBuffer<std::uint32_t> bottom_up_queued_;  // [kDegreeClasses]
  DeviceBuffer<std::uint32_t> enterable_;         // [ceil(n / 32)]
  DeviceBuffer<vertex_t> hubs_;
  XbfsWork work_;  // all of the above, for kernels

  XbfsLevels levels_;
  PersistentKernel persistent_;      // launch = persistent
  std::optional<LevelGraph> graph_;  // launch = graph
};

void Xbfs::allocate() {
  const std::size_t n = vertices();
  static_cast<Traversal&>(work_) = work();
  work_.rules = settings_.rules;
  work_.rules.enough_edges = enough_ * static_cast<double>(csr().edge_count());
  work_.items.count = vertices();
  for (int parity = 0; parity < 2; ++parity) {
    queue_[parity] = WholeQueue(n);
    work_.queue[parity] =
        settings_.by_class() ? queue_[parity].view_by_degree(csr()) : queue_[parity].view();
  }
  allocate_bottom_up();
  if (settings_.hub_cache) {
    const std::vector<vertex_t> hubs = hubs_of(csr());
    hubs_ = uploaded(std::span(hubs), stream());
    work_.hubs = hubs_.data();
    work_.hub_count = static_cast<std::uint32_t>(hubs.size());
  }
  levels_.allocate(csr(), work_, stream());
  if (n == 0) return;
  if (settings_.rules.edgeless) {
    enterable_.fill_bytes(0xff, stream().get());  // as if some edge entered each
  } else {
    levels_.find_enterable(work_.incoming, enterable_.data(), stream().get());
  }
  if (settings_.by_first()) {
    take_first_entries(work_.incoming.row_offsets, work_.incoming.columns, n,
                       work_.first_neighbors.first, stream());
  }
  if (launch_ == Launch::persistent) {
    persistent_ = persistent_kernel(settings_.balance, settings_.rules.async, settings_.hub_cache);
  }
  if (launch_ != Launch::graph) return;
  graph_.emplace(work_, source_in(), levels_.reset_extra(), stream(),
                 [&](unsigned kind, LevelNumber level) {
                   const XbfsLevel level_rule = work_.rules.level_of(kind);
                   if (level_rule.up) {
                     levels_.queue_unvisited(work_, level, level_rule, stream().get());
                     levels_.bottom_up(work_, level, false, stream().get());
                   } else {
                     levels_.top_down(work_, level, level_rule, full_grid(), stream().get());
                   }
                 });
}

// The queue of the unvisited, or what takes its place.
void Xbfs::allocate_bottom_up() {
  const std::size_t n = vertices();
  if (settings_.by_list()) {
    unvisited_ = UnvisitedList(n);
    work_.unvisited = unvisited_.view();
    for (int parity = 0; parity < 2; ++parity) work_.lists[parity] = {work_.unvisited.list[parity]};
  } else if (settings_.by_first()) {
    first_neighbors_ = FirstNeighborsMemory(n);
    work_.first_neighbors = first_neighbors_.view();
  } else {
    bottom_up_ = WholeQueue(n);
    work_.bottom_up = bottom_up_.view();
  }
  if (settings_.balance == BalanceBy::degrees) {
    work_.bottom_up = bottom_up_.view_by_degree(*csr().incoming());
    work_.bottom_up_classes = kDegreeClasses;
  }
  bottom_up_queued_ = DeviceBuffer<std::uint32_t>(kDegreeClasses);
  bottom_up_queued_.fill_bytes(0, stream().get());
  work_.bottom_up_queued = bottom_up_queued_.data();
  enterable_ = DeviceBuffer<std::uint32_t>((n + 31) / 32);
  work_.enterable = enterable_.data();
}

LevelPlan Xbfs::plan_of(const XbfsLevel& level_rule) const {
  const char* const by_scans = settings_.rules.bins ? "bins" : "prefix_sum";
  if (level_rule.up) {
    if (settings_.by_list()) return {Direction::bottom_up, "unvisited_list"};
    if (settings_.by_first()) return {Direction::bottom_up, "first_neighbors"};
    return {Direction::bottom_up, settings_.rules.double_scan ? "double_scan" : by_scans};
  }
  const auto named = [](const char* technique) {
    return LevelPlan{Direction::top_down, technique};
  };
  if (level_rule.streams) return named("decentralized");
  if (level_rule.takes_bottom_up_queue) return named("no_generation");
  if (level_rule.single_scans || level_rule.gathers_by_single_scan) return named("single_scan");
  if (!level_rule.queues_while_expanding) return named(by_scans);
  return named(settings_.rules.queue == Queue::hierarchical ? "hierarchical_scan_free"
                                                            : "scan_free");
}

unsigned Xbfs::expansion_blocks(const Progress& at, const XbfsLevel& level_rule) const {
  if (at.level == 0) return blocks_for(at.edges);
  // The host knows no counts of the bottom-up queue, or of a queue that a scan has just made.
  if (level_rule.takes_bottom_up_queue || at.was_bottom_up) return full_grid();
  const LevelSlot& now = seen(at.level);
  if (now.queued[3] > 0) return full_grid();
  return blocks_for(std::max({std::uint64_t{now.queued[0]}, std::uint64_t{now.queued[1]} * 32,
                              std::uint64_t{now.queued[2]} * kBlockThreads}));
}

void Xbfs::launch_level(const Progress& at) {
  const XbfsLevel level_rule = level_of(at);
  const LevelNumber level{.given = at.level};
  levels_.begin_count();
  if (counts_) level_begin_.record(stream());
  if (level_rule.up) {
    levels_.queue_unvisited(work_, level, level_rule, stream().get());
    if (counts_) between_.record(stream());
    levels_.bottom_up(work_, level, counts_, stream().get());
  } else {
    levels_.top_down(work_, level, level_rule, expansion_blocks(at, level_rule), stream().get());
  }
  if (counts_) level_end_.record(stream());
}

void Xbfs::measure_level(LevelSink& sink, const Progress& ran) {
  const bool up = level_of(ran).up;
  const Event& expands = up ? between_ : level_begin_;
  tell_shares(sink, ran, up ? ms_between(level_begin_, expands) : 0.0,
              ms_between(expands, level_end_));
  if (!settings_.rules.searches) {
    sink.measure({"level", "kernels", static_cast<double>(levels_.kernels()), "1", ran.level});
  }
  if (!up || settings_.by_list() || settings_.by_first()) return;
  const auto tickets = static_cast<double>(seen(ran.level + 1).tickets);
  if (tickets > 0) sink.measure({"balance", "tickets", tickets, "1", ran.level});
  std::uint32_t queued[kDegreeClasses] = {};
  download(queued, bottom_up_queued_.data(), sizeof(queued), stream());
  const auto all = std::accumulate(std::begin(queued), std::end(queued), std::uint64_t{0});
  sink.measure({"level", "queued_unvisited", static_cast<double>(all), "1", ran.level});
}

// Top-down does not separate the two: one time, so that the shares of Figure 12 use one clock.
void Xbfs::tell_shares(LevelSink& sink, const Progress& ran, double generation_ms,
                       double traversal_ms) {
  if (generation_ms > 0) {
    sink.measure({"level", "generation_ms", generation_ms, "ms", ran.level});
  }
  sink.measure({"level", "traversal_ms", traversal_ms, "ms", ran.level});
}

[[maybe_unused]] const bool xbfs_supplied =
    make_xbfs.supply([](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<Xbfs>(settings);
    });

}  // namespace

}  // namespace bfslab::cuda
