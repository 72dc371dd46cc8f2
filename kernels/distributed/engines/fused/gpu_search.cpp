// SPDX-License-Identifier: Apache-2.0
// The search of `fused-gpus` on one member: its rows and bits in the memory of its GPU, and one
// kernel that runs all levels and meets those of the other members (cuda/fused/members.cu). Where
// members share a GPU, the kernel runs in steps instead (host_meetings.hpp).
#include <algorithm>
#include <limits>
#include <span>
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
#include "kernels/distributed/engines/fused/in_a_row.hpp"
#include "kernels/distributed/engines/fused/member_levels.hpp"
#include "kernels/distributed/engines/fused/memory.hpp"
#include "kernels/distributed/engines/fused/rows.hpp"
#include "kernels/distributed/engines/fused/search.hpp"
#include "kernels/distributed/engines/fused/work.hpp"

namespace bfslab::distributed::fused {
namespace {

using cuda::DeviceBuffer;
using cuda::FusedMember;
using cuda::FusedStart;

template <typename Offset>
struct Prepared {
  cuda::FusedMembersKernel<Offset> kernel, counting;
  cuda::FusedMemberSearchesKernel<Offset> searches;
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
        in_a_row_(searches_of(settings.toggles), owned_, parents_wanted_),
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
    finish();
    if (log != nullptr && !is_driven) levels_.report(*log);
  }
  [[nodiscard]] std::size_t max_searches() const override { return in_a_row_.most(); }
  std::vector<Word> search_many(std::span<const vertex_t> sources) override {
    begin_.record(stream_);
    if (by_hosts_) return search_by_hosts(sources);
    is_mapped_ = true;  // each answer has its own place
    std::visit(
        [&]<typename Offset>(Prepared<Offset>& prepared) {
          name_plain(prepared);
          prepared.searches.launch(stream_.get(), table_of<Offset>(),
                                   in_a_row_.begin(sources, map_, !settings_.maps_after, stream_));
        },
        prepared_);
    finish();
    return in_a_row_.times(sources.size(), stream_);
  }
  [[nodiscard]] AnswerPart answer_of(std::size_t search) const override {
    return part_of(in_a_row_.levels(search), in_a_row_.parents(search));
  }
  [[nodiscard]] std::uint64_t reached_entries_of(std::size_t search) const override {
    return in_a_row_.reached_entries(search, stream_);
  }

  [[nodiscard]] AnswerPart answer() const override {
    if (!is_mapped_) map_on_request();
    return part_of(memory_->levels.data(), memory_->parents.data());
  }
  [[nodiscard]] Ownership ownership() const override { return own_; }
  [[nodiscard]] std::uint64_t reached_entries() const override {
    memory_->sum.fill_bytes(0, stream_.get());
    add_reached(memory_->sum.data());
    return cuda::read_back(memory_->sum.data(), stream_);
  }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }
  [[nodiscard]] MemoryUse memory() const override {
    const OwnMemory& own = *memory_;
    MemoryUse use;
    use.graph = rows_.bytes() + shared_.graph_bytes();
    use.status = shared_.status_bytes() + in_a_row_.status_bytes() +
                 cuda::bytes_of(own.levels, own.parents, all_levels_, all_parents_);
    use.queues = cuda::bytes_of(own.queues[0], own.queues[1]);
    // With what members meet by.
    use.scratch = team_.bytes() - shared_.graph_bytes() - shared_.status_bytes() +
                  own.scratch_bytes() + in_a_row_.scratch_bytes() + cuda::bytes_of(table_, levels_);
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
  // Returns the maximum of searches in one launch; 0 where they have a launch each.
  [[nodiscard]] static std::size_t searches_of(const Toggles& toggles) {
    const std::int64_t searches = toggles.integer("searches");
    return searches > 1 ? static_cast<std::size_t>(searches) : 0;
  }
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
    unsigned blocks = std::min(prepared.kernel.blocks, prepared.counting.blocks);
    if (in_a_row_.most() > 0 && !by_hosts_) {
      prepared.searches = cuda::fused_member_searches_kernel<Offset>(hot_words);
      blocks = std::min(blocks, prepared.searches.blocks);
    }
    prepared.kernel.blocks = prepared.counting.blocks = prepared.searches.blocks = blocks;
    memory_ = std::make_unique<OwnMemory>(rows_, owned_, parents_wanted_, blocks, stream_);
    if (copies()) {
      all_levels_ = DeviceBuffer<std::uint8_t>(rows_.ids());
      if (parents_wanted_) all_parents_ = DeviceBuffer<vertex_t>(rows_.ids());
    }
    const DeviceBuffer<Offset>& offsets = offsets_of<Offset>();
    take_first(offsets.data(), rows_.rows.columns.data(), rows_.numbers, shared_.first.data(),
               stream_);
    cuda::copy(shared_.places.data(), rows_.places.data(), owned_, stream_);
    prepared.work = make_work(offsets.data(), rows_, shared_, *memory_, settings_, team_.view());
    prepared.work.hot_words = hot_words;
    set_leaves(prepared.work, rows_, settings_.leaves_apart, blocks * cuda::kFusedWarps);
    map_ = {.me = member_.index(),
            .members = member_.count(),
            .owned = owned_,
            .numbers = rows_.numbers,
            .places = shared_.places.data(),
            .old_of_id = rows_.old_of_id.data(),
            .all_levels = all_levels_.data(),
            .all_parents = all_parents_.data()};
    name_others(team_, shared_, offsets, rows_.rows.columns, prepared.work, map_);
    stream_.wait();
    rows_.places = {};  // the team has a copy
    prepared_ = std::move(prepared);
  }

  template <typename Offset>
  [[nodiscard]] const DeviceBuffer<Offset>& offsets_of() const {
    if constexpr (sizeof(Offset) == sizeof(edge_t)) {
      return rows_.rows.wide;
    } else {
      return rows_.rows.narrow;
    }
  }

  [[nodiscard]] AnswerPart part_of(const level_t* levels, const vertex_t* parents) const {
    return {.ids = own_.ids(member_.index()),
            .space = MemorySpace::device,
            .device = gpu_->device(),
            .rank = member_.rank,
            .levels = levels_wanted_ ? levels : nullptr,
            .parents = parents_wanted_ ? parents : nullptr};
  }

  // Puts the last search's answer in place.
  void map_to(level_t* levels, vertex_t* parents) const {
    map_answer(map_, source_, &memory_->state.data()->course.at.level, levels,
               parents_wanted_ ? parents : nullptr, stream_);
  }
  void map_back() const {
    if (!std::exchange(is_mapped_, true)) map_to(memory_->levels.data(), memory_->parents.data());
  }
  // Queues the addition of the lengths of this member's rows that the last search has reached.
  void add_reached(unsigned long long* sum) const {
    const vertex_t count = rows_.vertices_of(member_.index(), true);
    const auto add = [&](const auto* offsets) {
      sum_reached(offsets, shared_.levels.data(), count, sum, stream_);
    };
    rows_.rows.wide.size() > 0 ? add(rows_.rows.wide.data()) : add(rows_.rows.narrow.data());
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

  template <typename Offset>
  [[nodiscard]] const FusedMember<Offset>* table_of() const {
    return reinterpret_cast<const FusedMember<Offset>*>(table_.data());
  }
  // Uploads the kernel's argument, unless it is there, for searches that are not watched.
  template <typename Offset>
  void name_plain(const Prepared<Offset>& prepared) {
    if (!std::exchange(is_plain_, true)) {
      cuda::upload(table_.data(), &prepared.work, sizeof(prepared.work), stream_);
    }
  }
  // Searches in a row where hosts meet, one after the other.
  std::vector<Word> search_by_hosts(std::span<const vertex_t> sources) {
    const cuda::FusedMemberSearches row = in_a_row_.begin(sources, map_, false, stream_);
    std::vector<Word> times;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      source_ = sources[i];
      is_mapped_ = true;  // its answer has its own place
      one_begin_.record(stream_);
      launch(FusedStart::fresh, std::numeric_limits<level_t>::max(), false);
      if (settings_.maps_after) one_end_.record(stream_);
      map_to(row.levels + i * owned_, row.parents + i * owned_);
      if (!settings_.maps_after) one_end_.record(stream_);
      add_reached(row.reached + i);
      finish();
      times.push_back(static_cast<Word>(ms_between(one_begin_, one_end_) * 1e6));
    }
    return times;
  }
  // Ends the time of a launch, and waits for it.
  void finish() {
    end_.record(stream_);
    cuda::copy(word_.data(), team_.view().word, 1, stream_);
    stream_.wait();
    if (word_[0] == cuda::kGaveUp) give_up();
  }

  // `logs`: with the log, unless the host drives the levels.
  void launch(FusedStart start, level_t max, bool logs, bool is_driven = false) {
    std::visit(
        [&]<typename Offset>(Prepared<Offset>& prepared) {
          if (start == FusedStart::fresh && !logs && !is_driven) name_plain(prepared);
          if (start == FusedStart::fresh && (logs || is_driven)) {
            FusedMember<Offset> work = prepared.work;
            watch(work, logs, prepared.kernel.blocks * cuda::kFusedWarps);
            cuda::upload(table_.data(), &work, sizeof(work), stream_);
            is_plain_ = false;
          }
          const auto& kernel = is_driven ? prepared.counting : prepared.kernel;
          const auto enqueue = [&] {
            kernel.launch(stream_.get(), table_of<Offset>(), source_, start, max);
          };
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
    if (!logs) {
      work.begins_at_row = work.lists_few = false;
      return set_leaves(work, rows_, false, warps);
    }
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
  InARow in_a_row_;
  std::unique_ptr<OwnMemory> memory_;
  std::variant<Prepared<std::uint32_t>, Prepared<edge_t>> prepared_;
  DeviceBuffer<FusedMember<edge_t>> table_;  // the kernel's argument, of either width
  bool is_plain_ = false;                    // it neither logs nor is driven by the host
  DeviceBuffer<std::uint8_t> all_levels_;    // AnswerMap
  DeviceBuffer<vertex_t> all_parents_;
  cuda::PinnedBuffer<std::uint64_t> word_;
  cuda::FusedMemberAnswers map_;
  vertex_t source_ = 0;
  mutable bool is_mapped_ = true;
  cuda::Event begin_, end_;
  cuda::Event one_begin_, one_end_;  // of one search in a row
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
