// SPDX-License-Identifier: Apache-2.0
// fused: techniques of the five papers and of later work in one search that the device controls:
// one cooperative kernel, sets of vertices as bits, ids by degree.
//
// kernel.cu runs the levels and rules.hpp chooses how: top-down by a sweep or by claims (sweep.cuh,
// claim.cuh), or bottom-up (bottom_up.cuh). One block or one cluster runs small levels one after
// another without the grid (one_block.cuh, cluster.cuh). A graph that fits in shared memory is
// searched there (resident.hpp); otherwise search_graph.hpp makes the graph that is searched. If
// ids are ordered, one more kernel maps the answer to the graph's own ids, inside the timer or
// after it (`map_back`). Only bits are reset: a level is written once, when its vertex is found or,
// if it is never reached, at the end. A twin of the kernel counts on request; another twin searches
// from many sources in one launch. Sources that are searched together have a kernel of their own
// (batch.hpp).
//
// Cost: 4 bits per vertex reset; top-down 4 bytes per edge and a bit of 2 MB for 17 million
// vertices; bottom-up 4 bytes per unvisited vertex in order, a bit that is in shared memory for
// most, and the reads of the misses; per level one barrier bottom-up, one to four top-down.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "datasets/graph/near_ids.hpp"
#include "kernels/cuda/bottom_up/first_neighbors.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/engines/fused/batch.hpp"
#include "kernels/cuda/engines/fused/kernel.cuh"
#include "kernels/cuda/engines/fused/profile.cuh"
#include "kernels/cuda/engines/fused/resident.hpp"
#include "kernels/cuda/engines/fused/search_graph.hpp"
#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/fused/order.hpp"
#include "kernels/cuda/traversal/gpu_engine.hpp"
#include "kernels/direction_rule.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::cuda {
namespace {

// A search's kernels, for offsets of one width.
template <typename Offset>
struct Prepared {
  FusedKernel<Offset> kernel, counting;
  FusedSearchesKernel<Offset> searches;
  FusedWork<Offset> work;
  bool begins_in_cluster = false;
};

class Fused final : public GpuEngine {
 public:
  explicit Fused(const EngineSettings& settings)
      : GpuEngine("fused", settings.answer, settings.toggles.flag("bottom_up"),
                  std::max(static_cast<std::size_t>(settings.toggles.integer("searches")),
                           batch_of(settings.toggles))),
        batch_size_(batch_of(settings.toggles)),
        depth_limit_(depth_limit_of(settings.toggles)),
        order_(settings.toggles.choice("order")),
        maps_after_(settings.toggles.choice("map_back") == "after"),
        hot_words_(static_cast<std::uint32_t>(settings.toggles.integer("hot_kib")) * 256),
        clusters_(settings.toggles.flag("cluster") && !is_limited()),
        degree_table_(settings.toggles.flag("degree_table")),
        begins_at_row_(settings.toggles.flag("first_row")),
        leaves_apart_(settings.toggles.flag("leaves_apart") && batch_size_ == 1 && !is_limited()),
        lists_few_(settings.toggles.flag("list_few")),
        labels_late_(settings.toggles.flag("late_labels") && !is_limited()),
        marks_first_(settings.toggles.flag("first_parents")),
        hub_first_(settings.toggles.flag("hub_first")),
        cut_degree_(static_cast<std::uint64_t>(settings.toggles.integer("cut_degree"))),
        persistent_(settings.toggles.choice("launch") == "persistent"),
        may_be_resident_(fused_may_be_resident(settings.toggles)),
        resident_blocks_(fused_resident_blocks(settings.toggles)),
        rules_{.bottom_up = settings.toggles.flag("bottom_up"),
               .small = settings.toggles.flag("small"),
               .alpha = settings.toggles.real("alpha"),
               .careful = settings.toggles.real("alpha") == 0,
               .beta = settings.toggles.real("beta")} {}

 private:
  void prepare() override {
    if (batch_size_ > 1 && asked() != Answer::levels) {
      throw Unsupported("batch above 1 finds levels, not parents: set \"answer\": \"levels\"");
    }
  }
  void allocate() override {
    few_neighbors_ = has_few_neighbors(csr());
    if (may_be_resident_) {
      resident_ = make_resident_graph(csr(), device_graph().outgoing(), resident_blocks_,
                                      wants_parents(asked()), stream());
    }
    if (resident_blocks_ != 0 && !resident_ && vertices() > 0) {
      throw Unsupported("resident_blocks=" + std::to_string(resident_blocks_) +
                        ": the graph does not fit into the shared memory of that many blocks of "
                        "this GPU: choose more (16 at most), or resident_blocks=auto");
    }
    const FusedRules asked_rules = rules_;
    prepare_graph(order_ == "degree" || (order_ == "auto" && !few_neighbors_));
    if (order_ == "auto" && graph_.by_degree && !ordering_pays_) {
      rules_ = asked_rules;
      prepare_graph(false);
    }
    release_graph();
  }

  // Makes the graph that is searched, and all that its size decides.
  void prepare_graph(bool by_degree) {
    std::vector<vertex_t> ids;
    if (order_ == "rcm") ids = reverse_cuthill_mckee(csr());
    graph_ = make_search_graph(
        device_graph(),
        {.symmetric = csr().symmetric(),
         .by_degree = by_degree,
         .ids = ids,
         .with_incoming = rules_.bottom_up,
         .hub_first = hub_first_,
         .leaves_apart = leaves_apart_,
         .maps_leaves = !maps_after_,
         .first_parents = marks_first_ && wants_parents(asked()),
         .cut_degree = persistent_ && batch_size_ == 1 ? cut_degree_ : 0,
         .cut_rows = {.blocks = static_cast<unsigned>(device().multiprocessors),
                      .max_words = max_cut_words_here()},
         .max_packed = std::min(max_packed(few_neighbors_, csr().edge_count()), max_packed_here())},
        stream());
    const std::size_t n = graph_.vertices;
    for (auto& each : bits_) each = DeviceBuffer<std::uint32_t>((n + 31) / 32);
    status_ = graph_.ordered() ? StatusArrays(n, wants_parents(asked())) : StatusArrays();
    const std::size_t segments = rules_.bottom_up ? csr().edge_count() / kFusedSegment : 0;
    for (DeviceBuffer<vertex_t>& each : queues_) each = DeviceBuffer<vertex_t>(n + segments + 1);
    course_ = DeviceBuffer<FusedCourse>(1);
    claimed_ = DeviceBuffer<unsigned long long>(kFusedClaims);
    for (DeviceBuffer<edge_t>& each : edges_before_) {
      each = zeroed<edge_t>(std::min<std::size_t>(n, kClaimedEdges) + 1, stream());
    }
    rules_.vertices = static_cast<double>(n);
    rules_.edges = static_cast<double>(csr().edge_count());
    rules_.packed = graph_.packed_to;
    rules_.cut_degree = graph_.cut_rows.ranges > 0 ? cut_degree_ : 0;
    end_degree_ = mean_end_degree(csr());
    if (labels_late_) rules_.end_degree = end_degree_;
    close_leaves();
    if (batch_size_ > 1) {
      const CsrGraph* const incoming = rules_.bottom_up ? csr().incoming() : nullptr;
      batch_ =
          FusedBatch(graph_, vertices(),
                     incoming != nullptr ? row_lengths(*incoming, 1) : RowLengths{}, depth_limit_);
    }
    graph_.narrow ? prepare_kernel<std::uint32_t>() : prepare_kernel<edge_t>();
  }

  template <typename Offset>
  void prepare_kernel() {
    // Fewer bits fit in the first-level cache anyway.
    std::uint32_t hot_words = graph_.vertices > FusedRules::kManyVertices ? hot_words_ : 0;
    const FusedShape shape{.packed = rules_.packed, .cut_words = graph_.cut_rows.max_words};
    using Kernels = FusedKernels<Offset>;
    const FusedKernel<Offset> counting = Kernels::search(hot_words, shape, true);
    const FusedSearchesKernel<Offset> searches = Kernels::searches(hot_words, shape);
    const FusedKernel<Offset> kernel = Kernels::search(hot_words, shape, false);
    sums_ =
        DegreeSums(graph_.vertices, std::max({kernel.blocks, counting.blocks, searches.blocks}));
    const bool in_cluster = clusters_ && rules_.small && (shape.packed > 0 || few_neighbors_) &&
                            Kernels::cluster_runs_here(shape.packed);
    Prepared<Offset> made{.kernel = kernel,
                          .counting = counting,
                          .searches = searches,
                          .work = make_work<Offset>(hot_words, kernel.blocks * kFusedWarps),
                          .begins_in_cluster = in_cluster};
    if (rules_.bottom_up && !resident_ && (rules_.careful || rules_.beta == 0)) {
      FusedRules& rules = made.work.rules;
      if (rules.careful) {
        rules.alpha = made.work.up_chunk == 1 ? FusedRules::kAlphaAtOnce
                      : !graph_.ordered()     ? FusedRules::kAlphaAsGiven
                      : rules.cut_degree > 0  ? FusedRules::kAlphaByDegree
                                              : FusedRules::alpha_by_degree(rules.vertices);
      }
      const double hub_degree = graph_.by_degree || hub_first_ ? end_degree_ : 0;
      const auto costs = FusedLevelCosts::of(rules.vertices, hub_degree);
      const auto sampled = sampled_searches(kernel, made.work, csr(), stream());
      rules_ = rules = best_turns(rules, sampled, costs);
      ordering_pays_ = batch_size_ > 1 || ordering_pays(rules, sampled, !maps_after_, costs);
    }
    prepared_ = made;
  }

  // The kernels' arguments. `warps` of the grid.
  template <typename Offset>
  FusedWork<Offset> make_work(std::uint32_t hot_words, std::uint32_t warps) {
    const StatusView status = searched_status();
    const vertex_t searched = graph_.vertices - graph_.leaves;
    const std::uint32_t words = words_of(searched);
    const std::uint32_t chunk = words_per_turn(words, warps);
    const std::uint32_t up_chunk = words_bottom_up(chunk, words, warps);
    return {.out = rows_of<Offset>(graph_.out),
            .in = rows_of<Offset>(graph_.incoming()),
            .first = graph_.first.data(),
            .degree_rows = degree_table_ ? graph_.degree_rows.data() : nullptr,
            .packed = graph_.packed.data(),
            .unreachable = graph_.unreachable.data(),
            .vertices = searched,
            .leaves = graph_.leaves,
            .reachable = graph_.reachable - graph_.leaves,
            .ones_from = graph_.ones_from,
            .begins_at_row = begins_at_row_,
            .maps_leaves = graph_.given.leaves.size() > 0,
            .lists_few = lists_few_,
            .labels_late = labels_late_,
            .depth_limit = depth_limit_,
            .words = words,
            .chunk = std::max(chunk, 8U),
            .up_chunk = up_chunk,
            .misses = up_chunk < 8 ? 2U : 64U,  // else some warps have no work
            .visited = bits_[0].data(),
            .cut_rows = graph_.cut_rows.view(),
            .front = {bits_[1].data(), bits_[2].data()},
            .levels = status.levels,
            .parents = status.parents,
            .first_mark = graph_.given.first_parents.size() > 0 ? kFirstParent : 0,
            .queues = {queues_[0].data(), queues_[1].data()},
            .queue_room = queues_[0].size(),
            .sums = sums_.view(32),
            .claimed = claimed_.data(),
            .edges_before = {edges_before_[0].data(), edges_before_[1].data()},
            .slots = work().slots,
            .course = course_.data(),
            .log = {},
            .rules = rules_,
            .hot_words = hot_words,
            .new_of_old = graph_.ordered() ? graph_.new_of_old.data() : nullptr,
            .source = 0};
  }

  // Returns the words of a warp's turn bottom-up, at most `chunk`. In ids by degree, turns of the
  // first vertices take the longest by far. Smaller turns divide these among more warps.
  [[nodiscard]] std::uint32_t words_bottom_up(std::uint32_t chunk, std::uint32_t words,
                                              std::uint32_t warps) const {
    constexpr std::uint32_t kTurns = 4;  // at least, of each warp
    if (chunk <= 8 || !graph_.by_degree || end_degree_ < FusedLevelCosts::kHubs) return chunk;
    return words > kTurns * warps * 8 ? 16 : 8;
  }

  [[nodiscard]] static std::uint32_t words_of(vertex_t vertices) {
    return static_cast<std::uint32_t>((std::size_t{vertices} + 31) / 32);
  }

  // Visits all leaves for good, and leaves them out of all frontiers. A search resets other words.
  // One that the host drives has set theirs.
  void close_leaves() {
    if (graph_.leaves == 0 || !std::exchange(leaves_open_, false)) return;
    const auto fill = [&](DeviceBuffer<std::uint32_t>& bits, int byte) {
      BFSLAB_CUDA(cudaMemsetAsync(bits.data(), byte, bits.bytes(), stream().get()));
    };
    fill(bits_[0], 0xFF);
    for (int parity : {0, 1}) fill(bits_[1 + parity], 0);
  }

  // Returns the arguments of a search that the host drives level by level. Leaves are vertices like
  // others there, since each level's counts are read when it ends, and rows are not cut, since
  // ranges have no leaves.
  template <typename Offset>
  [[nodiscard]] FusedWork<Offset> with_leaves(FusedWork<Offset> work) const {
    work.rules.cut_degree = 0;
    work.vertices += std::exchange(work.leaves, 0);
    work.reachable = graph_.reachable;
    work.words = words_of(work.vertices);
    return work;
  }

  void add_memory(MemoryUse& use) const override {
    use.graph += graph_.bytes();
    use.sized_by_device += graph_.cut_rows.bytes();  // by the number of blocks
    if (resident_) {
      use.graph += resident_->parts.bytes();
      use.scratch += resident_->candidates.bytes();
      use.sized_by_device += bytes_of(resident_->parts, resident_->candidates);
    }
    use.status += status_.bytes();
    for (const DeviceBuffer<std::uint32_t>& each : bits_) use.status += each.bytes();
    for (const DeviceBuffer<vertex_t>& each : queues_) use.queues += each.bytes();
    use.scratch += sums_.bytes() + course_.bytes() + claimed_.bytes();
    for (const DeviceBuffer<edge_t>& each : edges_before_) use.scratch += each.bytes();
    use.sized_by_device += sums_.bytes_by_device();
    batch_.add_memory(use);
  }

  [[nodiscard]] bool drives_itself() const override { return persistent_; }
  [[nodiscard]] bool logs_levels() const override { return true; }
  [[nodiscard]] bool sums_edges() const override { return false; }
  void run_on_device(vertex_t source, const LevelLogView& log) override {
    source_ = source;
    counts_ = by_host_ = false;
    in_own_ids_ = graph_.ordered() && !resident_;
    close_leaves();  // after one that has ended early
    if (resident_) {
      ResidentSearches search = searches_of(*resident_);
      search.source = source;
      search.answers = work().status;
      search.log = log;
      launch_resident(search, kFusedResident, stream().get());
      return;
    }
    constexpr level_t kAll = std::numeric_limits<level_t>::max();
    const bool in_cluster = std::visit(
        [&]<typename Offset>(Prepared<Offset>& prepared) {
          if (!prepared.begins_in_cluster) return false;
          prepared.work.source = source_;
          prepared.work.log = log;
          FusedKernels<Offset>::launch_cluster(prepared.work, stream().get());
          return true;
        },
        prepared_);
    launch({}, in_cluster ? FusedStart::resumes : FusedStart::fresh, kAll, log);
  }
  // A search that begins in a cluster has a separate launch.
  bool run_searches(const vertex_t* sources, std::size_t count, const StatusView& kept,
                    unsigned long long* times_ns) override {
    close_leaves();
    if (resident_) {
      ResidentSearches searches = searches_of(*resident_);
      searches.sources = sources;
      searches.count = static_cast<std::uint32_t>(count);
      searches.answers = kept;
      searches.times_ns = times_ns;
      launch_resident(searches, kFusedResident, stream().get());
      return true;
    }
    return std::visit(
        [&](auto& prepared) {
          if (prepared.begins_in_cluster) return false;
          prepared.work.log = {};
          const bool in_time = graph_.ordered() && !maps_after_;
          prepared.searches.launch(stream().get(), prepared.work,
                                   {.sources = sources,
                                    .count = static_cast<std::uint32_t>(count),
                                    .map = answer_map(),
                                    .maps_in_time = in_time,
                                    .kept = kept,
                                    .times_ns = times_ns});
          return true;
        },
        prepared_);
  }
  [[nodiscard]] level_t depth_limit() const override { return depth_limit_; }
  [[nodiscard]] bool searches_together() const override { return batch_size_ > 1; }
  void run_together(const vertex_t* sources, std::size_t count, const StatusView& kept) override {
    batch_.launch({sources, static_cast<std::uint32_t>(count), kept.levels}, stream());
  }
  [[nodiscard]] LevelPlan read_log(Progress& at, const LevelRecord& ran,
                                   const LevelSlot& next) const override {
    const std::uint64_t searched = std::max<std::uint64_t>(next.queued[0], next.vertices);
    at.advance(searched + next.unvisited, 0, ran.kind == kFusedUp);  // with leaves
    return plan_of(static_cast<FusedKind>(ran.kind));
  }

  void begin(vertex_t source, bool /*watched*/, bool counts) override {
    source_ = source;
    counts_ = counts;
    by_host_ = leaves_open_ = true;
    in_own_ids_ = graph_.ordered();
    ruled_by_ = {};
    ruled_by_.edges = ruled_by_.all_edges = csr().degree(source);
    launch({}, FusedStart::fresh, 0, {});
  }
  [[nodiscard]] LevelPlan plan(const Progress& /*at*/) const override {
    return plan_of(rules_.kind(ruled_by_));
  }
  void launch_level(const Progress& /*at*/) override {
    launch(ruled_by_, FusedStart::level, 1, {});
  }
  void close_level(Progress& at) override {
    const LevelSlot& next = seen(at.level + 1);
    const bool up = rules_.kind(ruled_by_) == kFusedUp;
    const bool is_late = !up && next.queued[0] == 0;  // or none was found
    const std::uint64_t found = up || is_late ? next.vertices : next.queued[0];
    at.advance(found, next.edges, up);
    ruled_by_.advance(found, up ? 0 : next.edges, up);
    ruled_by_.is_queued = !up && !is_late;
  }
  // Maps the answer to the graph's own ids, inside the timer or on request.
  void queue_verdict() override {
    close_leaves();
    unmapped_ = in_own_ids_;
    if (!maps_after_) map_back();
  }
  void queue_completion() const override { map_back(); }

  static LevelPlan plan_of(FusedKind kind) {
    if (kind == kFusedUp) return {Direction::bottom_up, "first_neighbors"};
    if (kind == kFusedResident) return {Direction::top_down, "resident"};
    if (kind == kFusedCut) return {Direction::top_down, "cut_rows"};
    return {Direction::top_down, kind == kFusedSmall ? "one_block" : "merge_path"};
  }

  // In the ids of the searched graph.
  [[nodiscard]] StatusView searched_status() const {
    return graph_.ordered() ? status_.view() : work().status;
  }

  [[nodiscard]] AnswerMap answer_map() const {
    const StatusView status = searched_status();
    return {.given = GivenOrderView::of(graph_.given),
            .new_of_old = graph_.new_of_old.data(),
            .old_of_new = graph_.old_of_new.data(),
            .inner = graph_.vertices - graph_.leaves,
            .vertices = vertices(),
            .levels = status.levels,
            .parents = status.parents};
  }

  void map_back() const {
    if (!std::exchange(unmapped_, false)) return;
    map_answer(answer_map(), source_, work().status, stream());
  }

  void launch(const Progress& at, FusedStart start, level_t max, const LevelLogView& log) {
    std::visit(
        [&](auto& prepared) {
          prepared.work.source = source_;
          prepared.work.log = log;
          (counts_ ? prepared.counting : prepared.kernel)
              .launch(stream().get(), by_host_ ? with_leaves(prepared.work) : prepared.work, at,
                      start, max);
        },
        prepared_);
  }

  [[nodiscard]] bool is_limited() const { return depth_limit_ != kNoDepthLimit; }

  std::size_t batch_size_;
  level_t depth_limit_;
  std::string order_;
  bool maps_after_;
  std::uint32_t hot_words_;
  bool clusters_, degree_table_, begins_at_row_, leaves_apart_, lists_few_, labels_late_,
      marks_first_, hub_first_, persistent_, may_be_resident_;
  std::uint64_t cut_degree_;    // 0: no rows are cut
  unsigned resident_blocks_;    // 0: chosen by the graph
  bool few_neighbors_ = false;  // no vertex has many
  bool ordering_pays_ = true;   // as far as searches of the graph by degree say
  double end_degree_ = 0;       // the mean degree of the vertices that edges lead to
  FusedRules rules_;
  SearchGraph graph_;
  std::optional<ResidentGraph> resident_;  // if the graph fits
  StatusArrays status_;                    // in its own ids
  DeviceBuffer<std::uint32_t> bits_[3];
  DeviceBuffer<vertex_t> queues_[2];
  DeviceBuffer<FusedCourse> course_;
  DeviceBuffer<unsigned long long> claimed_;
  DeviceBuffer<edge_t> edges_before_[2];
  DegreeSums sums_;
  FusedBatch batch_;  // if searches run together
  std::variant<Prepared<std::uint32_t>, Prepared<edge_t>> prepared_;
  vertex_t source_ = 0;
  bool counts_ = false;
  bool by_host_ = false;     // the host drives the running search
  bool leaves_open_ = true;  // close_leaves() has work
  Progress ruled_by_;        // the rule's state, whether or not counts are requested
  bool in_own_ids_ = false;  // whether the running search finds its answer in the graph's own ids
  mutable bool unmapped_ = false;  // the answer is not yet in the graph's own ids
};

[[maybe_unused]] const bool fused_supplied =
    make_fused.supply([](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<Fused>(settings);
    });

}  // namespace

}  // namespace bfslab::cuda
