// SPDX-License-Identifier: Apache-2.0
// A search whose levels run in one kernel (one_kernel.cuh), on the host's side: the memory that the
// members share, the launch, and the records of levels.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernels/distributed/engines/delegate/gpu_memory.cuh"
#include "kernels/distributed/engines/delegate/one_kernel.cuh"

namespace bfslab::distributed::delegate {

inline constexpr std::uint64_t kShortRow = 32;  // entries that a thread takes by itself

inline LevelFacts level_of(const LevelRecord& record, const LevelCounts& next, bool alone,
                           Progress& progress) {
  LevelFacts level;
  level.clock = Clock::device_timer;
  level.load = progress.take(record.counts, true);
  level.backward = record.backward;
  set_edges(level.done, record.active, record.backward, record.counts, level.load);
  level.done[EdgeClass::dn].found = record.counts.found_by_dn;
  level.done[EdgeClass::nn].found = next.normals - record.counts.found_by_dn;
  level.own_delegates_found = next.own_delegates;
  const auto ms = [&record](unsigned from, unsigned to) {
    return static_cast<double>(record.ns[to] - record.ns[from]) * 1e-6;
  };
  // Without a meeting within the level, dd is one visit.
  const bool twice = record.ns[met_within] != 0;
  level.steps = {{"lists", ms(begun, lists_taken)},
                 {"masks", ms(lists_taken, masks_taken)},
                 {"frontier", ms(all_edges_summed, labelled)},
                 {"queues", ms(labelled, queued)},
                 {"dn", ms(queued, dn_visited)},
                 {"dd", ms(dn_visited, twice ? own_dd_visited : dd_visited)},
                 {"meeting_within", twice ? ms(own_dd_visited, met_within) : 0},
                 {"dd_of_others", twice ? ms(met_within, dd_visited) : 0},
                 {"nd", ms(found_counted, nd_visited)},
                 {"nn", ms(nd_visited, nn_visited)},
                 {"meeting", ms(nn_visited, met)}};
  auto& [compute, local_exchange, lists, masks, meetings] = level.phase_ms;  // by Phase
  lists = ms(begun, lists_taken);
  masks = alone ? 0 : ms(lists_taken, masks_taken);
  meetings = ms(nn_visited, met) + (twice ? ms(own_dd_visited, met_within) : 0);
  compute = -lists - masks - meetings;
  for (const LevelFacts::Step& step : level.steps) compute += step.ms;
  return level;
}

class OneKernelSearch {
 public:
  // Completes `memory` by what the members share. Collective over `all`.
  OneKernelSearch(GpuMemory& memory, Communicator& all)
      : memory_(memory), team_(all, memory.gpu, memory.settings.team_memory) {
    done_.fill_bytes(0, memory.stream.get());
    const std::size_t words = memory.status.visited.size();
    for (unsigned parity = 0; parity < 2; ++parity) {
      known_[parity] = team_.share<std::uint32_t>(words);
      touched_[parity] = team_.share<std::uint32_t>((words + 31) / 32);
      known_[parity].own.fill_bytes(0, memory.stream.get());
      touched_[parity].own.fill_bytes(0, memory.stream.get());
    }
    memory.found = known_[1].own.data();
    reports_ = team_.share<LevelReport>(std::size_t{kLevelSlots} * memory.members);
    if (memory.parents_wanted) {
      delegate_parents_ = team_.share<vertex_t>(memory.graph.delegate_count());
      memory.delegate_parents = delegate_parents_.own.data();
    }
    share_lists(all);
    memory.stream.wait();
  }

  // Queues a search that begins as in `reset`.
  void launch(const ResetView& reset, const DirectionRule& rule, bool recorded) {
    if (recorded && records_.size() == 0) records_ = DeviceBuffer<LevelRecord>(kMaxRecords);
    OneKernelArgs args = this->args(reset);
    args.rule = rule;
    args.records = recorded ? records_.data() : nullptr;
    one_kernel(memory_.merge_blocks).launch(memory_.stream.get(), args);
  }

  // Waits for it. Returns its levels, where recorded, or the first kMaxRecords of them. Throws
  // std::runtime_error where a member gave up.
  std::vector<LevelFacts> finish(bool recorded) {
    const OneKernelArgs::Done done = cuda::read_back(done_.data(), memory_.stream);
    meetings_ = done.meetings;
    if (done.gave_up) {
      throw std::runtime_error(
          "delegate-cuda: a GPU waited too long for another in the kernel of a search: a member "
          "has failed, or something else keeps its GPU busy");
    }
    if (!recorded) return {};
    std::vector<LevelRecord> records(std::min(done.levels, kMaxRecords));
    cuda::download(records.data(), records_.data(), records.size() * sizeof(LevelRecord),
                   memory_.stream);
    std::vector<LevelFacts> levels;
    Progress progress = memory_.progress();
    const bool alone = memory_.members == 1;
    std::uint64_t open = memory_.graph.delegate_count();
    for (std::size_t i = 0; i < records.size(); ++i) {
      const bool last = i + 1 == records.size();
      // The finds of the last level that was kept are not known where more levels followed.
      if (last && done.levels > kMaxRecords) break;
      levels.push_back(
          level_of(records[i], last ? LevelCounts{} : records[i + 1].counts, alone, progress));
      if (alone) continue;
      // The level's lists, and its mask, unless all delegates were found before. Every other member
      // counts as reading the whole mask, of which it reads what was touched.
      const std::uint64_t entries = records[i].sent_upto - (i > 0 ? records[i - 1].sent_upto : 0);
      open -= records[i].counts.delegates;
      LevelFacts& level = levels.back();
      level.list_bytes = entries * memory_.entry_bytes();
      level.mask_bytes = open > 0 ? (memory_.members - 1) * memory_.status.visited.bytes() : 0;
      level.bytes_sent = level.list_bytes + level.mask_bytes;
    }
    return levels;
  }

  // [members] the parents of delegates in the memory of each, and how the search ended.
  [[nodiscard]] vertex_t* const* delegate_parents() const {
    return delegate_parents_.of_all.data();
  }
  [[nodiscard]] const OneKernelArgs::Done* done() const { return done_.data(); }
  void add_to(MemoryUse& use) const {
    const std::uint64_t status =
        cuda::bytes_of(known_[0].own, known_[1].own, delegate_parents_.own);
    use.status += status;
    use.queues += received_.bytes();
    use.scratch += team_.bytes() - status - received_.bytes() +
                   cuda::bytes_of(reports_.of_all, known_[0].of_all, known_[1].of_all,
                                  touched_[0].of_all, touched_[1].of_all, sent_to_, received_from_,
                                  delegate_parents_.of_all, records_, small_, done_);
    use.sized_by_device += records_.bytes();
  }

 private:
  // Each member has one list of what it receives, in the order of the senders.
  void share_lists(Communicator& all) {
    const unsigned members = memory_.members;
    const SentLists& sent = memory_.sent;
    std::vector<Word> own_bytes(members);  // bytes that this member may send to each
    for (unsigned to = 0; to < members; ++to) {
      const std::uint64_t begin = sent.first[to] * memory_.entry_bytes();
      own_bytes[to] =
          (to + 1 < members ? sent.first[to + 1] * memory_.entry_bytes() : sent.bytes) - begin;
    }
    std::vector<Word> bytes(std::size_t{members} * members);  // [from][to]
    all.all_gather(std::as_bytes(std::span(own_bytes)), std::as_writable_bytes(std::span(bytes)));
    std::vector<Word> my_place(members);  // in what each receives
    std::vector<Word> place_of(members);  // in what this one does
    std::uint64_t incoming = 0;
    for (unsigned from = 0; from < members; ++from) {
      place_of[from] = incoming;
      incoming += bytes[from * members + memory_.me];
      for (unsigned to = 0; from < memory_.me && to < members; ++to) {
        my_place[to] += bytes[from * members + to];
      }
    }
    received_ = team_.allocate<std::byte>(std::max(incoming, sent.bytes));
    sent_to_ = team_.of_all(received_, my_place);
    std::vector<std::byte*> from_each(members);
    for (unsigned from = 0; from < members; ++from) {
      from_each[from] = received_.data() + place_of[from];
    }
    received_from_ = uploaded(std::span<std::byte* const>(from_each), memory_.stream);
    memory_.sent.lie_in(received_.data(), members, memory_.stream);
  }

  [[nodiscard]] OneKernelArgs args(const ResetView& reset) const {
    OneKernelArgs args;
    args.reset = reset;
    args.reset.begins = true;
    args.begin = memory_.level_begin();
    args.normals = memory_.normals();
    args.places = memory_.with_place();
    args.normal_names = memory_.normal_names();
    args.sent = memory_.sent_view();
    args.sent.lists = sent_to_.data();
    args.sources = memory_.arrays.sources;
    args.stripes = {Divisor(memory_.members)};
    args.delegate_count = memory_.graph.delegate_count();
    args.counts = memory_.counts.data();
    args.small = small_.data();
    args.reports = reports_.own.data();
    args.received = received_from_.data();
    args.long_rows = memory_.arrays.long_rows();
    for (unsigned i = 0; i < 2; ++i) args.left_rows[i] = memory_.left_rows[i].data();
    args.sums = memory_.sums.view(32);
    args.other_sums = memory_.other_sums.view(32);
    args.short_rows = memory_.graph.threshold <= kShortRow;
    args.team = team_.view();
    args.all.reports = reports_.of_all.data();
    args.dn_look = memory_.normals_look();
    for (unsigned parity = 0; parity < 2; ++parity) {
      args.delegates[parity] = memory_.delegates();
      args.delegates[parity].known = known_[parity].own.data();
      if (memory_.members > 1) args.delegates[parity].touched = touched_[parity].own.data();
      args.all.known[parity] = known_[parity].of_all.data();
      args.all.touched[parity] = touched_[parity].of_all.data();
      // Delegates that others knew when this parity's masks were written last have been visited
      // since, so that these masks can be read at any time.
      LookingDelegates looking{LookingDelegates::all, args.stripes, memory_.me,
                               memory_.members > 1 ? args.all.known[parity] : nullptr};
      DelegatesLook<false> nd = memory_.nd_look();
      DelegatesLook<true> dd = memory_.dd_look();
      nd.delegates = dd.delegates = args.delegates[parity];
      args.nd_look[parity][1] = nd;
      nd.looking = looking;
      args.nd_look[parity][0] = nd;
      if (parity == 0) args.first_dd_look = dd;
      for (const auto set :
           {LookingDelegates::all, LookingDelegates::own, LookingDelegates::others}) {
        looking.set = set;
        dd.looking = looking;
        args.dd_look[parity][set] = dd;
      }
    }
    args.reset.also_known = args.delegates[0].known;
    args.reset.touched = args.delegates[0].touched;
    args.meetings = meetings_;
    args.done = done_.data();
    return args;
  }

  GpuMemory& memory_;
  DeviceTeam team_;
  std::uint64_t meetings_ = 0;
  // By the parity of levels: delegates that are known, and DelegateView::touched of them.
  TeamArray<std::uint32_t> known_[2], touched_[2];
  TeamArray<LevelReport> reports_;        // [kLevelSlots][members]
  TeamArray<vertex_t> delegate_parents_;  // [d]; none without parents
  TeamBuffer<std::byte> received_;        // what each other sends; by hosts, what it sends each
  DeviceBuffer<std::byte*> sent_to_, received_from_;  // where, in the memory of each and in this
  DeviceBuffer<LevelRecord> records_;                 // once a search is recorded
  DeviceBuffer<SmallLevelCounts> small_{1};
  DeviceBuffer<OneKernelArgs::Done> done_{1};
};

}  // namespace bfslab::distributed::delegate
