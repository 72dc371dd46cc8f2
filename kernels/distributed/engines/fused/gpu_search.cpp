// SPDX-License-Identifier: Apache-2.0
// The search of `fused-gpus` on one member: its rows and bits in the memory of its GPU, and one
// kernel that runs all levels and meets those of the other members (cuda/fused/members.cu). Where
// members share a GPU, the kernel runs in steps instead (host_meetings.hpp).
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/cuda/fused/member_toggles.hpp"
#include "kernels/cuda/fused/members.hpp"
#include "kernels/distributed/check/gpu_check.hpp"
#include "kernels/distributed/communicator/device_team.hpp"
#include "kernels/distributed/engines/fused/answer.hpp"
#include "kernels/distributed/engines/fused/host_meetings.hpp"
#include "kernels/distributed/engines/fused/member_levels.hpp"
#include "kernels/distributed/engines/fused/memory.hpp"
#include "kernels/distributed/engines/fused/rows.hpp"
#include "kernels/distributed/engines/fused/search.hpp"

namespace bfslab::distributed::fused {
namespace {

using cuda::DeviceBuffer;
using cuda::FusedMember;
using cuda::FusedStart;

template <typename Offset>
struct Prepared {
  cuda::FusedMembersKernel<Offset> kernel, counting;
  FusedMember<Offset> work;
};

class FusedSearch final : public MemberSearch {
 public:
  FusedSearch(Member& member, const EngineSettings& settings, const Ownership& own,
              std::shared_ptr<const MemberGpu> gpu, std::unique_ptr<Communicator> data,
              DealtRows rows, SetupTimes times)
      : member_(member),
        settings_(settings.toggles),
        parents_wanted_(wants_parents(settings.answer)),
        levels_wanted_(wants_levels(settings.answer)),
        own_(own),
        owned_(own.count(member.index())),
        gpu_(std::move(gpu)),
        stream_(gpu_->stream()),
        data_(std::move(data)),
        rows_(std::move(rows)),
        times_(std::move(times)),
        by_hosts_(share_gpus(*member.all, *gpu_)),
        team_(*member.all, *gpu_, TeamMemory::peer,
              by_hosts_ ? TeamMeetings::of_hosts : TeamMeetings::of_kernels),
        shared_(team_, rows_, owned_, parents_wanted_, copies()),
        levels_(member, vertices(), stream_),
        table_(1),
        word_(1) {
    settings_.set_graph(rows_.ranks, rows_.edges, rows_.end_degree);
    rows_.rows.wide.size() > 0 ? prepare<edge_t>() : prepare<std::uint32_t>();
    begin_.record(stream_);  // so that gpu_ms() is valid before the first search
    end_.record(stream_);
    stream_.wait();
    member.all->barrier();  // all memory is ready before a member searches
    times_.end("arrays");
  }
  ~FusedSearch() override { static_cast<void>(cudaDeviceSynchronize()); }

  void search(global_vertex_t source, MemberLog* log) override {
    begin_.record(stream_);
    source_ = static_cast<vertex_t>(source);
    is_mapped_ = false;
    const bool is_driven = log != nullptr && log->live();
    if (is_driven) {
      levels_.drive(*log, settings_.rules, *memory_, [this](FusedStart start, level_t max) {
        launch(start, max, false, true);
        if (cuda::read_back(team_.view().word, stream_) == cuda::kGaveUp) give_up();
      });
    } else {
      launch(FusedStart::fresh, std::numeric_limits<level_t>::max(), log != nullptr);
    }
    if (!settings_.maps_after) map_back();
    end_.record(stream_);
    cuda::copy(word_.data(), team_.view().word, 1, stream_);
    stream_.wait();
    if (word_[0] == cuda::kGaveUp) give_up();
    if (log != nullptr && !is_driven) levels_.report(*log);
  }

  [[nodiscard]] AnswerPart answer() const override {
    if (!is_mapped_) map_on_request();
    return {.ids = own_.ids(member_.index()),
            .space = MemorySpace::device,
            .device = gpu_->device(),
            .rank = member_.rank,
            .levels = levels_wanted_ ? memory_->levels.data() : nullptr,
            .parents = parents_wanted_ ? memory_->parents.data() : nullptr};
  }
  [[nodiscard]] Ownership ownership() const override { return own_; }
  [[nodiscard]] std::uint64_t reached_entries() const override {
    memory_->sum.fill_bytes(0, stream_.get());
    const vertex_t count = rows_.vertices_of(member_.index(), true);
    const auto add = [&](const auto* offsets) {
      sum_reached(offsets, shared_.levels.data(), count, memory_->sum.data(), stream_);
    };
    rows_.rows.wide.size() > 0 ? add(rows_.rows.wide.data()) : add(rows_.rows.narrow.data());
    return cuda::read_back(memory_->sum.data(), stream_);
  }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }
  [[nodiscard]] MemoryUse memory() const override {
    const OwnMemory& own = *memory_;
    MemoryUse use;
    use.graph = rows_.bytes() + shared_.graph_bytes();
    use.status =
        shared_.status_bytes() + cuda::bytes_of(own.levels, own.parents, all_levels_, all_parents_);
    use.queues = cuda::bytes_of(own.queues[0], own.queues[1]);
    // With what members meet by.
    use.scratch = team_.bytes() - shared_.graph_bytes() - shared_.status_bytes() +
                  own.scratch_bytes() + cuda::bytes_of(table_, levels_);
    use.sized_by_device = own.sums.bytes_by_device();
    return use;
  }
  void describe(MemberLog& log) const override {
    log.add(MemberMeasure("partition", "vertices", rows_.vertices_of(member_.index(), true)));
    log.add(MemberMeasure("partition", "edges", static_cast<double>(rows_.entries())));
    log.add(MemberMeasure("partition", "memory", static_cast<double>(rows_.bytes()), "B"));
    if (by_hosts_) log.add(MemberMeasure("partition", "shares_gpus", 1));
    for (const SetupTimes::Step& step : times_.steps()) {
      log.add(MemberMeasure("setup", step.name, step.ms, "ms"));
    }
  }

 private:
  // Returns whether answers of other members are copied in order before they are put in place.
  [[nodiscard]] bool copies() const { return member_.count() > 1 && !settings_.maps_after; }

  template <typename Offset>
  void prepare() {
    Prepared<Offset> prepared;
    std::uint32_t hot_words = settings_.hot_words;
    const auto kernel = [&](bool counts) {
      return by_hosts_ ? cuda::fused_step_kernel<Offset>(hot_words, counts)
                       : cuda::fused_members_kernel<Offset>(hot_words, 1, counts);
    };
    prepared.counting = kernel(true);
    prepared.kernel = kernel(false);
    // Arrivals of blocks are counted over all launches.
    const unsigned blocks = std::min(prepared.kernel.blocks, prepared.counting.blocks);
    prepared.kernel.blocks = prepared.counting.blocks = blocks;
    memory_ = std::make_unique<OwnMemory>(rows_, owned_, parents_wanted_, blocks, stream_);
    if (copies()) {
      all_levels_ = DeviceBuffer<std::uint8_t>(rows_.ids());
      if (parents_wanted_) all_parents_ = DeviceBuffer<vertex_t>(rows_.ids());
    }
    const auto* const offsets = offsets_of<Offset>();
    take_first(offsets, rows_.rows.columns.data(), rows_.numbers, shared_.first.data(), stream_);
    cuda::copy(shared_.places.data(), rows_.places.data(), owned_, stream_);
    prepared.work = make_work(offsets, hot_words, blocks * cuda::kFusedWarps);
    stream_.wait();
    rows_.places = {};  // the team has a copy
    prepared_ = std::move(prepared);
  }

  template <typename Offset>
  [[nodiscard]] const Offset* offsets_of() const {
    if constexpr (sizeof(Offset) == sizeof(edge_t)) {
      return rows_.rows.wide.data();
    } else {
      return rows_.rows.narrow.data();
    }
  }

  template <typename Offset>
  FusedMember<Offset> make_work(const Offset* offsets, std::uint32_t hot_words,
                                std::uint32_t warps) {
    const unsigned me = member_.index();
    const OwnMemory& own = *memory_;
    FusedMember<Offset> made;
    made.out = {offsets, rows_.rows.columns.data()};
    made.in = made.out;
    made.degree_rows = rows_.degree_rows.data();
    made.deal = rows_.deal;
    made.ones_from = rows_.deal.share(rows_.ones_from, me);
    made.labels_late = settings_.labels_late;
    made.visited = shared_.visited.data();
    made.seen = shared_.seen.data();
    made.levels = shared_.levels.data();
    made.parents = parents_wanted_ ? shared_.parents.data() : nullptr;
    made.first = shared_.first.data();
    for (unsigned i = 0; i < 2; ++i) {
      made.front[i] = shared_.front[i].data();
      made.queues[i] = own.queues[i].data();
    }
    made.queue_room = own.queues[0].size();
    made.sums = own.sums.view(32);
    made.claimed = own.claimed.data();
    made.slots = {own.slots.data()};
    made.totals = {own.totals.data()};
    made.state = own.state.data();
    made.step = own.step.data();
    made.blocks_arrived = own.blocks_arrived.data();
    made.rules = settings_.rules;
    made.hot_words = hot_words;
    made.team = team_.view();
    made.numbers = rows_.numbers;
    made.all_words = rows_.numbers / 32 * member_.count();
    made.logs_own = made.ends_met = true;
    if (copies()) made.packed = shared_.packed.data();
    made.place_owners = member_.count();
    set_leaves(made, settings_.leaves_apart, warps);
    name_others(made);
    return made;
  }

  // Sets the vertices to search: all that have edges or, if `apart`, those that are not leaves.
  template <typename Offset>
  void set_leaves(FusedMember<Offset>& work, bool apart, std::uint32_t warps) const {
    const unsigned me = member_.index();
    for (unsigned m = 0; m < member_.count(); ++m) {
      work.vertices_of[m] = rows_.vertices_of(m, !apart);
    }
    work.leaves = apart ? rows_.leaves_of[me] : 0;
    search_own(work, me, warps);
  }

  // Names the arrays of all members. Collective.
  template <typename Offset>
  void name_others(FusedMember<Offset>& made) {
    const auto each = [&](const auto& buffer, const auto& set) {
      const auto all = team_.addresses_of(buffer);
      for (unsigned m = 0; m < all.size(); ++m) set(m, all[m]);
    };
    each(shared_.first, [&](unsigned m, vertex_t* at) { made.first_of[m] = at; });
    each(shared_.visited, [&](unsigned m, std::uint32_t* at) { made.visited_by[m] = at; });
    each(shared_.seen, [&](unsigned m, std::uint32_t* at) { made.seen_by[m] = at; });
    for (unsigned i = 0; i < 2; ++i) {
      each(shared_.front[i], [&](unsigned m, std::uint32_t* at) { made.fronts[m][i] = at; });
    }
    each(shared_.levels, [&](unsigned m, level_t* at) { made.levels_of[m] = at; });
    each(shared_.parents, [&](unsigned m, vertex_t* at) { made.parents_of[m] = at; });
    each(shared_.places, [&](unsigned m, vertex_t* at) { made.places_of[m] = at; });
    each(shared_.sums, [&](unsigned m, cuda::FusedSums* at) { made.sums_of[m] = at; });
    map_ = {.own = own_,
            .me = member_.index(),
            .owned = owned_,
            .places = shared_.places.data(),
            .old_of_id = rows_.old_of_id.data(),
            .numbers = rows_.numbers,
            .members = member_.count(),
            .level_at_end = &memory_->state.data()->course.at.level,
            .all_levels = all_levels_.data(),
            .all_parents = all_parents_.data(),
            .levels = memory_->levels.data(),
            .parents = parents_wanted_ ? memory_->parents.data() : nullptr};
    each(shared_.packed, [&](unsigned m, std::uint8_t* at) { map_.packed_of[m] = at; });
    std::ranges::copy(made.levels_of, map_.levels_of);
    std::ranges::copy(made.parents_of, map_.parents_of);
  }

  void map_back() const {
    if (!std::exchange(is_mapped_, true)) map_answer(map_, source_, stream_);
  }
  // For a thread that may be another member's, whose GPU remains its current one.
  void map_on_request() const {
    int current = 0;
    BFSLAB_CUDA(cudaGetDevice(&current));
    BFSLAB_CUDA(cudaSetDevice(gpu_->device()));
    map_back();
    stream_.wait();
    BFSLAB_CUDA(cudaSetDevice(current));
  }

  // `logs`: with the log, unless the host drives the levels.
  void launch(FusedStart start, level_t max, bool logs, bool is_driven = false) {
    std::visit(
        [&]<typename Offset>(Prepared<Offset>& prepared) {
          if (start == FusedStart::fresh) {
            FusedMember<Offset> work = prepared.work;
            if (logs || is_driven) watch(work, logs, prepared.kernel.blocks * cuda::kFusedWarps);
            if (logs || is_driven || !is_plain_) {
              cuda::upload(table_.data(), &work, sizeof(work), stream_);
              is_plain_ = !logs && !is_driven;
            }
          }
          const auto* const table = reinterpret_cast<const FusedMember<Offset>*>(table_.data());
          const auto& kernel = is_driven ? prepared.counting : prepared.kernel;
          const auto enqueue = [&] { kernel.launch(stream_.get(), table, source_, start, max); };
          if (!by_hosts_) return enqueue();
          const std::uint64_t* const word = team_.view().word;
          if (!run_in_steps(*member_.all, memory_->step.data(), word, stream_, enqueue)) give_up();
        },
        prepared_);
  }

  [[noreturn]] static void give_up() {
    throw std::runtime_error(
        "fused-gpus: a GPU waited too long for another in the kernel of a search: a member has "
        "failed, or something else keeps its GPU busy");
  }

  template <typename Offset>
  void watch(FusedMember<Offset>& work, bool logs, std::uint32_t warps) {
    work.traffic = levels_.count_traffic();
    work.counted_levels = MemberLevels::kLogged;
    if (!logs) return set_leaves(work, false, warps);
    work.log = levels_.view();
  }

  // This member's vertices; member 0 has those without edges, too.
  [[nodiscard]] std::uint64_t vertices() const {
    const std::uint64_t isolated = member_.index() == 0 ? own_.vertices - rows_.ranks : 0;
    return rows_.vertices_of(member_.index(), true) + isolated;
  }

  Member& member_;
  cuda::FusedMemberSettings settings_;
  bool parents_wanted_, levels_wanted_;
  Ownership own_;
  std::uint64_t owned_;
  std::shared_ptr<const MemberGpu> gpu_;
  const cuda::Stream& stream_;
  std::unique_ptr<Communicator> data_;  // of the check
  DealtRows rows_;
  SetupTimes times_;
  bool by_hosts_;  // members meet by their hosts
  DeviceTeam team_;
  SharedMemory shared_;
  MemberLevels levels_;
  std::unique_ptr<OwnMemory> memory_;
  std::variant<Prepared<std::uint32_t>, Prepared<edge_t>> prepared_;
  DeviceBuffer<FusedMember<edge_t>> table_;  // the kernel's argument, of either width
  bool is_plain_ = false;                    // it neither logs nor is driven by the host
  DeviceBuffer<std::uint8_t> all_levels_;    // AnswerMap
  DeviceBuffer<vertex_t> all_parents_;
  cuda::PinnedBuffer<std::uint64_t> word_;
  AnswerMap map_;
  vertex_t source_ = 0;
  mutable bool is_mapped_ = true;
  cuda::Event begin_, end_;
};

std::unique_ptr<MemberSearch> make_on_gpu(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings) {
  SetupTimes times;
  const auto gpu = std::make_shared<const MemberGpu>(member);
  std::unique_ptr<Communicator> data;
  if (member.count() > 1) {
    const bool is_one_process = member.ranks == 1;
    data = make_device_communicator(is_one_process ? Transport::peer : Transport::host, *member.all,
                                    *gpu);
  }
  Communicator& over = data ? *data : *member.all;
  times.end("communicator");
  const Ownership own = vertex_owners(share, member.count());
  TupleFeed feed(member, share, gpu->stream());
  const Making making{.member = member,
                      .share = share,
                      .gpu = *gpu,
                      .data = over,
                      .limits = {},
                      .feed = feed,
                      .column_bits = cuda::bits_for(share.vertices())};
  const bool parents = wants_parents(settings.answer);
  DealtRows rows = deal_rows(making, own, parents);
  times.end("rows");
  auto search = std::make_unique<FusedSearch>(member, settings, own, gpu, std::move(data),
                                              std::move(rows), std::move(times));
  search->check_by(std::make_unique<GpuAnswerChecker>(share, own, *gpu, over));
  return search;
}

[[maybe_unused]] const bool supplied = make_search.supply(make_on_gpu);

}  // namespace
}  // namespace bfslab::distributed::fused
