// SPDX-License-Identifier: Apache-2.0
// fused-members: the levels of `fused` by several members, each with a part of the rows, which meet
// in every level. Here the members are groups of blocks of one launch on one GPU (members.cu), so
// that what they exchange can be tested and counted where there is one GPU; nothing is faster for
// it.
//
// Set-up deals out the graph of search_graph.hpp (members_graph.hpp). The kernel's arguments are a
// table of the members, each with the addresses of all others' arrays.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/cuda/bottom_up/first_neighbors.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/engines/fused/answer_map.cuh"
#include "kernels/cuda/engines/fused/members_graph.hpp"
#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/fused/member_toggles.hpp"
#include "kernels/cuda/fused/members.hpp"
#include "kernels/cuda/fused/order.hpp"
#include "kernels/cuda/traversal/gpu_engine.hpp"

namespace bfslab::cuda {
namespace {

constexpr std::uint64_t kLimitNs = 20'000'000'000;  // maximum wait for other members, and blocks

// The memory of one member, as on a GPU of its own, beside its part of the graph.
struct MemberMemory {
  DeviceBuffer<std::uint32_t> visited, seen, front[2];
  DeviceBuffer<vertex_t> queues[2];
  DegreeSums sums;
  DeviceBuffer<unsigned long long> claimed, blocks_arrived;
  DeviceBuffer<LevelSlot> slots;
  DeviceBuffer<FusedSums> sums_of_all;
  DeviceBuffer<std::uint64_t> arrived, word;
  DeviceBuffer<std::uint64_t*> arrived_of_all;
  DeviceBuffer<FusedMemberCourse> state;
  DeviceBuffer<vertex_t> found, found_from;

  [[nodiscard]] std::uint64_t queue_bytes() const { return bytes_of(queues[0], queues[1]); }
  [[nodiscard]] std::uint64_t status_bytes() const {
    return bytes_of(visited, seen, front[0], front[1]);
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const {
    return bytes_of(sums, claimed, blocks_arrived, slots, sums_of_all, arrived, word,
                    arrived_of_all, state, found, found_from);
  }
};

template <typename Offset>
struct PreparedMembers {
  FusedMembersKernel<Offset> kernel, counting;
  std::vector<FusedMember<Offset>> members;
  DeviceBuffer<FusedMember<Offset>> table;    // as they are
  DeviceBuffer<FusedMember<Offset>> watched;  // with a log, or with leaves
};

class FusedMembers final : public GpuEngine {
 public:
  explicit FusedMembers(const EngineSettings& settings)
      : GpuEngine("fused-members", settings.answer, true),
        count_(static_cast<unsigned>(settings.toggles.integer("members"))),
        settings_(settings.toggles) {}

 private:
  void allocate() override {
    if (vertices() == 0) return;
    {
      const SearchGraph ordered = make_search_graph(device_graph(),
                                                    {.symmetric = csr().symmetric(),
                                                     .by_degree = true,
                                                     .ids = {},
                                                     .leaves_apart = settings_.leaves_apart},
                                                    stream());
      release_graph();
      graph_ = deal_out(ordered, count_, stream());
    }
    settings_.set_graph(graph_.ranks, csr().edge_count(), mean_end_degree(csr()));
    const std::size_t ids = graph_.deal.ids(graph_.ranks);
    status_ = StatusArrays(ids, wants_parents(asked()));
    given_ = given_order({.new_of_old = graph_.place_of_old.data(),
                          .old_of_new = graph_.old_of_id.data(),
                          .vertices = vertices(),
                          .searched = static_cast<vertex_t>(ids),
                          .inner = static_cast<vertex_t>(ids)},
                         stream());
    graph_.narrow ? prepare<std::uint32_t>() : prepare<edge_t>();
  }

  template <typename Offset>
  void prepare() {
    std::uint32_t hot_words = settings_.hot_words;
    const FusedMembersKernel<Offset> counting =
        fused_members_kernel<Offset>(hot_words, count_, true);
    FusedMembersKernel<Offset> kernel = fused_members_kernel<Offset>(hot_words, count_, false);
    // Arrivals of blocks are counted over all launches.
    kernel.blocks = std::min(kernel.blocks, counting.blocks);
    PreparedMembers<Offset> prepared;
    prepared.kernel = kernel;
    prepared.counting = counting;
    prepared.counting.blocks = kernel.blocks;
    for (unsigned m = 0; m < count_; ++m) allocate_member(kernel.blocks);
    connect();
    for (unsigned m = 0; m < count_; ++m) {
      prepared.members.push_back(make_member<Offset>(m, hot_words, kernel.blocks * kFusedWarps));
    }
    prepared.table = uploaded(std::span<const FusedMember<Offset>>(prepared.members), stream());
    prepared.watched = DeviceBuffer<FusedMember<Offset>>(count_);
    prepared_ = std::move(prepared);
  }

  void allocate_member(unsigned blocks) {
    const std::size_t m = memory_.size();
    const std::size_t words = graph_.numbers / 32;
    const edge_t edges = graph_.columns_from[m + 1] - graph_.columns_from[m];
    MemberMemory made;
    made.visited = DeviceBuffer<std::uint32_t>(words);
    made.seen = DeviceBuffer<std::uint32_t>(words * count_);
    for (DeviceBuffer<std::uint32_t>& each : made.front) {
      each = DeviceBuffer<std::uint32_t>(words * count_);
    }
    for (DeviceBuffer<vertex_t>& each : made.queues) {
      each = DeviceBuffer<vertex_t>(graph_.numbers + edges / kFusedSegment + 1);
    }
    made.sums = DegreeSums(graph_.numbers, blocks);
    made.claimed = DeviceBuffer<unsigned long long>(kFusedClaims);
    made.blocks_arrived = zeroed<unsigned long long>(1, stream());
    made.slots = DeviceBuffer<LevelSlot>(kSlots);
    made.sums_of_all = DeviceBuffer<FusedSums>(std::size_t{2} * count_);
    made.arrived = zeroed<std::uint64_t>(count_, stream());
    made.word = zeroed<std::uint64_t>(1, stream());
    made.state = zeroed<FusedMemberCourse>(1, stream());
    if (settings_.passes_lists) {
      made.found = DeviceBuffer<vertex_t>(kFusedFewEdges);
      if (wants_parents(asked())) made.found_from = DeviceBuffer<vertex_t>(kFusedFewEdges);
    }
    memory_.push_back(std::move(made));
  }

  // Gives each member the addresses of all counters of meetings.
  void connect() {
    std::vector<std::uint64_t*> arrived;
    for (const MemberMemory& each : memory_) arrived.push_back(each.arrived.data());
    for (MemberMemory& each : memory_) {
      each.arrived_of_all = uploaded(std::span<std::uint64_t* const>(arrived), stream());
    }
  }

  template <typename Offset>
  FusedMember<Offset> make_member(unsigned m, std::uint32_t hot_words, std::uint32_t warps) {
    const MemberMemory& own = memory_[m];
    const vertex_t numbers = graph_.numbers;
    FusedMember<Offset> made;
    made.out.row_offsets = offsets_of<Offset>(m);
    made.out.columns = graph_.columns.data() + graph_.columns_from[m];
    made.in = made.out;
    made.degree_rows = graph_.degree_rows.data() + m * (std::size_t{kTabledDegrees} + 1);
    made.leaves = graph_.deal.share(graph_.ranks, m) - graph_.deal.share(graph_.searched, m);
    made.ones_from = graph_.deal.share(graph_.ones_from, m);
    made.labels_late = settings_.labels_late;
    made.begins_at_row = settings_.begins_at_row;
    made.lists_few = settings_.lists_few;
    search_ranks(made, graph_.searched, m, warps);
    made.visited = own.visited.data();
    made.front[0] = own.front[0].data();
    made.front[1] = own.front[1].data();
    made.queues[0] = own.queues[0].data();
    made.queues[1] = own.queues[1].data();
    made.queue_room = own.queues[0].size();
    made.sums = own.sums.view(32);
    made.claimed = own.claimed.data();
    made.slots = {own.slots.data()};
    made.rules = settings_.rules;
    made.hot_words = hot_words;
    made.places_of[0] = graph_.place_of_old.data();
    made.deal = graph_.deal;
    made.team = {m, count_, own.arrived_of_all.data(), own.word.data(), kLimitNs};
    made.blocks_arrived = own.blocks_arrived.data();
    made.numbers = numbers;
    made.all_words = numbers / 32 * count_;
    made.seen = own.seen.data();
    made.found = own.found.data();
    made.found_from = own.found_from.data();
    made.state = own.state.data();
    if (m == 0) made.totals = work().slots;
    name_others(made);
    made.first = made.first_of[m];
    made.levels = status_.view().levels + std::size_t{m} * numbers;
    made.parents = made.parents_of[m];
    return made;
  }

  template <typename Offset>
  [[nodiscard]] const Offset* offsets_of(unsigned m) const {
    const std::size_t from = m * (std::size_t{graph_.numbers} + 1);
    if constexpr (sizeof(Offset) == sizeof(edge_t)) {
      return graph_.wide_offsets.data() + from;
    } else {
      return graph_.narrow_offsets.data() + from;
    }
  }

  // Names the arrays of all members.
  template <typename Offset>
  void name_others(FusedMember<Offset>& made) const {
    const StatusView status = status_.view();
    for (unsigned m = 0; m < count_; ++m) {
      const std::size_t from = std::size_t{m} * graph_.numbers;
      made.columns_of[m] = graph_.columns.data() + graph_.columns_from[m];
      made.offsets_of[m] = offsets_of<Offset>(m);
      made.found_of[m] = memory_[m].found.data();
      made.found_from_of[m] = memory_[m].found_from.data();
      made.slots_of[m] = memory_[m].slots.data();
      made.fronts[m][0] = memory_[m].front[0].data();
      made.fronts[m][1] = memory_[m].front[1].data();
      made.seen_by[m] = memory_[m].seen.data();
      made.visited_by[m] = memory_[m].visited.data();
      made.levels_of[m] = status.levels + from;
      made.parents_of[m] = status.parents != nullptr ? status.parents + from : nullptr;
      made.first_of[m] = graph_.first.data() + from;
      made.sums_of[m] = memory_[m].sums_of_all.data();
    }
  }

  // Sets the vertices that the members search: those of the first `ranks` ranks.
  template <typename Offset>
  void search_ranks(FusedMember<Offset>& made, vertex_t ranks, unsigned m,
                    std::uint32_t warps) const {
    for (unsigned k = 0; k < count_; ++k) made.vertices_of[k] = graph_.deal.share(ranks, k);
    search_own(made, m, warps);
  }

  void add_memory(MemoryUse& use) const override {
    use.graph += graph_.bytes() + given_.bytes();
    use.status += status_.bytes();
    for (const MemberMemory& each : memory_) {
      use.status += each.status_bytes();
      use.queues += each.queue_bytes();
      use.scratch += each.scratch_bytes();
      use.sized_by_device += each.sums.bytes_by_device();
    }
    use.scratch += traffic_.bytes();
    std::visit(
        [&](const auto& prepared) { use.scratch += bytes_of(prepared.table, prepared.watched); },
        prepared_);
  }

  [[nodiscard]] bool drives_itself() const override { return true; }
  [[nodiscard]] bool logs_levels() const override { return true; }
  void run_on_device(vertex_t source, const LevelLogView& log) override {
    source_ = source;
    counts_ = false;
    unmapped_ = true;
    if (log.head != nullptr) count_traffic();
    launch(FusedStart::fresh, std::numeric_limits<level_t>::max(), log.head != nullptr, log);
  }

  // The host drives levels of all vertices with edges, since each level's counts are read when it
  // ends, and leaves apart are labelled after all levels.
  void begin(vertex_t source, bool /*watched*/, bool counts) override {
    source_ = source;
    counts_ = counts;
    unmapped_ = true;
    if (counts) count_traffic();
    ruled_by_ = {};
    ruled_by_.edges = ruled_by_.all_edges = csr().degree(source);
    launch(FusedStart::fresh, 0, true, {});
  }
  [[nodiscard]] LevelPlan plan(const Progress& /*at*/) const override {
    return plan_of(settings_.rules.kind(ruled_by_));
  }
  void launch_level(const Progress& /*at*/) override { launch(FusedStart::resumes, 1, true, {}); }
  void close_level(Progress& at) override {
    const LevelSlot& next = seen(at.level + 1);
    const bool up = settings_.rules.kind(ruled_by_) == kFusedUp;
    at.advance(next.vertices, next.edges, up);
    ruled_by_.advance(next.vertices, up ? 0 : next.edges, up);
  }

  [[nodiscard]] LevelPlan read_log(Progress& at, const LevelRecord& ran,
                                   const LevelSlot& next) const override {
    at.advance(next.vertices + next.unvisited, 0, ran.kind == kFusedUp);  // with leaves
    return plan_of(static_cast<FusedKind>(ran.kind));
  }
  [[nodiscard]] std::uint64_t bytes_sent(level_t level) const override {
    return traffic_of(level).words * sizeof(std::uint32_t);
  }
  void measure_log(LevelSink& sink, const Progress& ran, const LevelSlot& /*slot*/,
                   double /*generation_ms*/, double /*traversal_ms*/) override {
    sink.measure({.part = "all",
                  .metric = "meetings",
                  .value = static_cast<double>(traffic_of(ran.level).meetings),
                  .level = ran.level});
  }
  void measure_level(LevelSink& sink, const Progress& ran) override {
    measure_log(sink, ran, {}, 0, 0);
  }
  void count_traffic() {
    if (traffic_.size() == 0) traffic_ = DeviceBuffer<FusedTraffic>(kCountedLevels);
    traffic_.fill_bytes(0, stream().get());
  }
  [[nodiscard]] FusedTraffic traffic_of(level_t level) const {
    if (level >= traffic_.size()) return {};
    return read_back(traffic_.data() + level, stream());
  }

  static LevelPlan plan_of(FusedKind kind) {
    if (kind == kFusedUp) return {Direction::bottom_up, "first_neighbors"};
    return {Direction::top_down, "merge_path"};
  }

  void queue_verdict() override {
    if (!settings_.maps_after) map_back();
  }
  void queue_completion() const override { map_back(); }
  void judge() override {
    if (memory_.empty()) return;
    if (read_back(memory_[0].word.data(), stream()) == ~std::uint64_t{0}) {
      throw std::runtime_error("members of one search waited for each other for 20 s and gave up");
    }
  }

  void map_back() const {
    if (!std::exchange(unmapped_, false)) return;
    const StatusView status = status_.view();
    const AnswerMap map{.given = GivenOrderView::of(given_),
                        .new_of_old = graph_.place_of_old.data(),
                        .old_of_new = graph_.old_of_id.data(),
                        .vertices = vertices(),
                        .levels = status.levels,
                        .parents = status.parents};
    map_answer(map, source_, work().status, stream());
  }

  // `watched`: with the log, if there is one, or by the host.
  void launch(FusedStart start, level_t max, bool watched, const LevelLogView& log) {
    std::visit(
        [&]<typename Offset>(PreparedMembers<Offset>& prepared) {
          if (watched && start == FusedStart::fresh) watch(prepared, log);
          const auto* const table = watched ? prepared.watched.data() : prepared.table.data();
          (counts_ ? prepared.counting : prepared.kernel)
              .launch(stream().get(), table, source_, start, max);
        },
        prepared_);
  }

  template <typename Offset>
  void watch(PreparedMembers<Offset>& prepared, const LevelLogView& log) {
    std::vector<FusedMember<Offset>> members = prepared.members;
    for (unsigned m = 0; m < count_; ++m) {
      members[m].log = log;
      if (log.head != nullptr || counts_) {
        members[m].traffic = traffic_.data();
        members[m].counted_levels = kCountedLevels;
      }
      if (log.head == nullptr) {
        members[m].leaves = 0;
        members[m].begins_at_row = members[m].lists_few = false;
        search_ranks(members[m], graph_.ranks, m, prepared.kernel.blocks * kFusedWarps);
      }
    }
    upload(prepared.watched.data(), members.data(), prepared.watched.bytes(), stream());
  }

  static constexpr level_t kCountedLevels = 4096;  // whose traffic is counted

  unsigned count_;
  FusedMemberSettings settings_;
  MembersGraph graph_;
  GivenOrder given_;
  StatusArrays status_;  // of one member after the other
  std::vector<MemberMemory> memory_;
  std::variant<PreparedMembers<std::uint32_t>, PreparedMembers<edge_t>> prepared_;
  DeviceBuffer<FusedTraffic> traffic_;  // by level
  vertex_t source_ = 0;
  bool counts_ = false;
  Progress ruled_by_;  // the rule's state, whether or not counts are requested
  mutable bool unmapped_ = false;
};

[[maybe_unused]] const bool fused_members_supplied =
    make_fused_members.supply([](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<FusedMembers>(settings);
    });

}  // namespace

}  // namespace bfslab::cuda
