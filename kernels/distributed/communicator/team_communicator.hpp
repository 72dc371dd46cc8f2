// SPDX-License-Identifier: Apache-2.0
// The communicator of a member of a team (team.hpp). It calls within a process through memory, and
// among processes by one thread of each.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/distributed/communicator/processes.hpp"
#include "kernels/distributed/communicator/reduction_rounds.hpp"
#include "kernels/distributed/communicator/thread_barrier.hpp"

namespace bfslab::distributed {

// The place of a member: its process among those of the communicator, and its number among the
// threads of that process.
struct MemberPlace {
  unsigned process = 0;
  unsigned slot = 0;
};

struct TeamGroup {
  // `active_`: active_turns() for the number of threads.
  TeamGroup(std::vector<MemberPlace> members_, unsigned process_, Processes* processes_,
            int active_)
      : members(std::move(members_)), process(process_), processes(processes_), active(active_) {
    for (unsigned i = 0; i < members.size(); ++i) {
      if (at.size() <= members[i].process) at.resize(members[i].process + 1);
      std::vector<unsigned>& there = at[members[i].process];
      if (there.size() <= members[i].slot) there.resize(members[i].slot + 1);
      there[members[i].slot] = i;
    }
    slots = std::vector<Slot>(at[process].size());
    barrier.emplace(static_cast<unsigned>(slots.size()), active);
  }

  // The data that a member shows to the others of its process during a call.
  struct alignas(64) Slot {
    std::span<Word> words;
    std::span<Word> pending;  // for begin_all_reduce
    std::span<std::byte> in;
    // Lists of all_to_all: of this call and the previous one, which others may still read.
    std::vector<Bytes> lists[2];
  };

  [[nodiscard]] bool one_process() const { return at.size() == 1; }
  [[nodiscard]] bool one_each() const { return members.size() == at.size(); }
  // Returns true if also each member has the number of its process.
  [[nodiscard]] bool in_order() const {
    for (unsigned i = 0; i < members.size(); ++i) {
      if (members[i].process != i) return false;
    }
    return one_each();
  }

  std::vector<MemberPlace> members;       // by number
  std::vector<std::vector<unsigned>> at;  // [process][slot]: its number
  unsigned process = 0;                   // number of this process
  Processes* processes = nullptr;         // the communicator's; unused with one process
  int active = 0;
  std::unique_ptr<Processes> owned;  // the same, if this group owns it
  std::vector<Slot> slots;
  std::optional<Barrier> barrier;
  std::vector<Word> reduced;
  std::vector<Word> pending;
  // all_to_all among several processes: packed messages, received chunks, and each member's lists.
  std::vector<std::vector<Chunk>> packed;
  std::vector<Chunk> received;
  std::vector<std::vector<Bytes>> lists;  // [slot][from]
  // split(): [slot] the member's new group, and its slot in that group.
  std::vector<std::pair<std::shared_ptr<TeamGroup>, unsigned>> children;
};

inline std::size_t chunks_of(std::size_t bytes) {
  return (bytes + sizeof(Chunk) - 1) / sizeof(Chunk);
}

class TeamCommunicator final : public Communicator {
 public:
  using Register = std::function<void(const std::shared_ptr<TeamGroup>&)>;

  TeamCommunicator(std::shared_ptr<TeamGroup> group, unsigned slot, Register note)
      : group_(std::move(group)),
        slot_(slot),
        index_(group_->at[group_->process][slot]),
        doublings_(
            times_sent(doubling_rounds(group_->process, static_cast<unsigned>(group_->at.size())))),
        note_(std::move(note)) {}

  [[nodiscard]] unsigned index() const override { return index_; }
  [[nodiscard]] unsigned size() const override {
    return static_cast<unsigned>(group_->members.size());
  }

  void barrier() override {
    meet();
    if (!group_->one_process()) {
      if (leads()) group_->processes->barrier();
      meet();
    }
  }

  void all_reduce(std::span<Word> values, Reduction reduction) override {
    count_reduction(values.size());
    if (local() == 1) return group_->processes->all_reduce(values, reduction);
    own_slot().words = values;
    reduce_here(&TeamGroup::Slot::words, group_->reduced, values.size(), reduction);
    if (!group_->one_process()) {
      if (leads()) group_->processes->all_reduce(group_->reduced, reduction);
      meet();
    }
    std::ranges::copy(group_->reduced, values.begin());
    meet();
  }

  void begin_all_reduce(std::span<Word> values, Reduction reduction) override {
    count_reduction(values.size());
    own_slot().pending = values;
    if (local() == 1) return group_->processes->begin_all_reduce(values, reduction);
    reduce_here(&TeamGroup::Slot::pending, group_->pending, values.size(), reduction);
    if (leads()) group_->processes->begin_all_reduce(group_->pending, reduction);
  }

  void finish_all_reduce() override {
    if (leads()) group_->processes->finish_all_reduce();
    if (local() == 1) return;
    meet();
    std::ranges::copy(group_->pending, own_slot().pending.begin());
    meet();
  }

  void exclusive_scan(std::span<Word> values, Reduction reduction) override {
    // The transport scans in the order of the processes.
    if (group_->in_order()) {
      for (unsigned above = 1; index_ + above < size(); above *= 2) {
        count_sent(values.size_bytes());
      }
      return group_->processes->exclusive_scan(values, reduction);
    }
    std::vector<Word> all(values.size() * size());
    all_gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
    std::ranges::fill(values, identity(reduction));
    for (unsigned below = 0; below < index_; ++below) {
      const Word* const theirs = all.data() + below * values.size();
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = combine(reduction, values[i], theirs[i]);
      }
    }
  }

  void broadcast(std::span<std::byte> bytes, unsigned root) override {
    if (index_ == root) count_sent((size() - 1) * bytes.size());
    const MemberPlace source = group_->members[root];
    if (local() == 1) return group_->processes->broadcast(bytes, source.process);
    own_slot().in = bytes;
    meet();
    const bool here = source.process == group_->process;
    const std::span<std::byte> first = group_->slots[here ? source.slot : 0].in;
    if (!group_->one_process()) {
      if (leads()) group_->processes->broadcast(first, source.process);
      meet();
    }
    if (first.data() != bytes.data()) copy_bytes(first, bytes);
    meet();
  }

  void all_gather(Bytes own, std::span<std::byte> all) override {
    std::vector<Bytes> lists(size(), own);
    const std::vector<Bytes> received = all_to_all(lists);
    for (unsigned from = 0; from < size(); ++from) {
      copy_bytes(received[from], all.subspan(from * own.size()));
    }
    meet();  // before a member changes bytes that others copy
  }

  std::vector<Bytes> all_to_all(std::span<const Bytes> lists) override {
    for (unsigned to = 0; to < size(); ++to) {
      if (to != index_) count_sent(lists[to].size());
    }
    if (group_->one_each()) return alone_to_all(lists);
    turn_ = 1 - turn_;
    own_slot().lists[turn_].assign(lists.begin(), lists.end());
    meet();
    if (!group_->one_process()) {
      if (leads()) exchange_lists();
      meet();
      return group_->lists[slot_];
    }
    std::vector<Bytes> received(size());
    for (unsigned from = 0; from < size(); ++from) {
      received[from] = group_->slots[group_->members[from].slot].lists[turn_][index_];
    }
    return received;
  }

  void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) override {
    if (group_->one_each()) {
      if (to != index_) count_sent(out.size());
      return group_->processes->exchange(group_->members[to].process, out,
                                         group_->members[from].process, in);
    }
    std::vector<Bytes> lists(size());
    lists[to] = out;
    copy_bytes(all_to_all(lists)[from], in);
    meet();
  }

  std::unique_ptr<Communicator> split(unsigned color, unsigned key) override {
    struct Choice {
      Word color, key;
    };
    const Choice choice{color, key};
    std::vector<Choice> choices(size());
    all_gather(std::as_bytes(std::span(&choice, 1)), std::as_writable_bytes(std::span(choices)));
    if (leads()) {
      group_->children.assign(local(), {});
      std::vector<Word> colors;
      for (const unsigned member : group_->at[group_->process])
        colors.push_back(choices[member].color);
      std::ranges::sort(colors);
      colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
      // In the order of the colors on every process, so that processes cannot deadlock.
      for (const Word each : colors) {
        std::vector<unsigned> chosen;
        for (unsigned i = 0; i < size(); ++i) {
          if (choices[i].color == each) chosen.push_back(i);
        }
        std::ranges::stable_sort(chosen, {}, [&](unsigned i) { return choices[i].key; });
        make_child(chosen, static_cast<unsigned>(each));
      }
    }
    meet();
    auto [child, slot] = group_->children[slot_];
    meet();
    if (leads()) group_->children.clear();
    return std::make_unique<TeamCommunicator>(std::move(child), slot, note_);
  }

 private:
  [[nodiscard]] TeamGroup::Slot& own_slot() { return group_->slots[slot_]; }
  [[nodiscard]] unsigned local() const { return static_cast<unsigned>(group_->slots.size()); }
  [[nodiscard]] bool leads() const { return slot_ == 0; }
  void meet() { group_->barrier->wait(); }
  // The others of this process read all but its own stripe of a member's words, and the reduction
  // of that stripe; one member speaks with the other processes.
  void count_reduction(std::size_t words) {
    const std::size_t stripe = words * (slot_ + 1) / local() - words * slot_ / local();
    count_sent((words - stripe + stripe * (local() - 1)) * sizeof(Word));
    if (leads()) count_sent(doublings_ * words * sizeof(Word));
  }

  // Combines the words of this process's threads; each thread reduces one stripe of `size` words.
  void reduce_here(std::span<Word> TeamGroup::Slot::*shown, std::vector<Word>& into,
                   std::size_t size, Reduction reduction) {
    if (leads()) into.resize(size);
    meet();
    const std::size_t begin = size * slot_ / local();
    const std::size_t end = size * (slot_ + 1) / local();
    const std::span<Word> first = group_->slots[0].*shown;
    std::copy(first.begin() + static_cast<std::ptrdiff_t>(begin),
              first.begin() + static_cast<std::ptrdiff_t>(end),
              into.begin() + static_cast<std::ptrdiff_t>(begin));
    for (std::size_t other = 1; other < group_->slots.size(); ++other) {
      const std::span<const Word> values = group_->slots[other].*shown;
      for (std::size_t i = begin; i < end; ++i) into[i] = combine(reduction, into[i], values[i]);
    }
    meet();
  }

  // all_to_all with one member per process: its lists are the messages.
  std::vector<Bytes> alone_to_all(std::span<const Bytes> lists) {
    std::vector<Bytes> messages(size());
    for (unsigned to = 0; to < size(); ++to) messages[group_->members[to].process] = lists[to];
    const std::vector<Bytes> places = group_->processes->all_to_all(messages, group_->received);
    std::vector<Bytes> received(size());
    for (unsigned from = 0; from < size(); ++from) {
      received[from] = from == index_ ? lists[from] : places[group_->members[from].process];
    }
    return received;
  }

  // Called by one thread for all of this process. A message holds the sizes of its lists, [slot
  // here] [slot there], then the lists, each aligned to 16 bytes.
  void exchange_lists() {
    const auto processes = static_cast<unsigned>(group_->at.size());
    group_->packed.resize(processes);
    std::vector<Bytes> messages(processes);
    for (unsigned to = 0; to < processes; ++to) {
      if (to == group_->process) continue;
      messages[to] = pack(group_->at[to], group_->packed[to]);
    }
    const std::vector<Bytes> places = group_->processes->all_to_all(messages, group_->received);
    group_->lists.assign(local(), std::vector<Bytes>(size()));
    for (unsigned from = 0; from < processes; ++from) {
      const std::vector<unsigned>& there = group_->at[from];
      if (from == group_->process) {
        for (unsigned s = 0; s < there.size(); ++s) {
          for (unsigned t = 0; t < local(); ++t) {
            group_->lists[t][there[s]] = group_->slots[s].lists[turn_][there[t]];
          }
        }
      } else {
        unpack(there, places[from]);
      }
    }
  }

  Bytes pack(const std::vector<unsigned>& there, std::vector<Chunk>& into) {
    const std::size_t header = chunks_of(local() * there.size() * sizeof(Word));
    std::size_t chunks = header;
    for (const TeamGroup::Slot& from : group_->slots) {
      for (const unsigned to : there) chunks += chunks_of(from.lists[turn_][to].size());
    }
    if (into.size() < chunks) into.resize(chunks);
    auto* sizes = reinterpret_cast<Word*>(into.data());
    std::size_t at = header;
    for (const TeamGroup::Slot& from : group_->slots) {
      for (const unsigned to : there) {
        const Bytes list = from.lists[turn_][to];
        *sizes++ = list.size();
        const std::span<Chunk> place = std::span(into).subspan(at, chunks_of(list.size()));
        copy_bytes(list, std::as_writable_bytes(place));
        at += place.size();
      }
    }
    return std::as_bytes(std::span(into).first(chunks));
  }

  void unpack(const std::vector<unsigned>& there, Bytes message) {
    const auto* sizes = reinterpret_cast<const Word*>(message.data());
    std::size_t at = chunks_of(there.size() * local() * sizeof(Word)) * sizeof(Chunk);
    for (const unsigned from : there) {
      for (unsigned t = 0; t < local(); ++t) {
        group_->lists[t][from] = message.subspan(at, *sizes);
        at += chunks_of(*sizes++) * sizeof(Chunk);
      }
    }
  }

  // Makes the group of `chosen`, in their order. They are members of this communicator, at least
  // one of this process.
  void make_child(const std::vector<unsigned>& chosen, unsigned tag) {
    std::vector<unsigned> processes;  // ascending
    for (const unsigned i : chosen) processes.push_back(group_->members[i].process);
    std::ranges::sort(processes);
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    const auto number_of = [&](unsigned process) {
      return static_cast<unsigned>(std::ranges::lower_bound(processes, process) -
                                   processes.begin());
    };
    std::vector<unsigned> threads(processes.size(), 0);
    std::vector<MemberPlace> places;
    std::vector<unsigned> slots;  // this process's slots in this communicator
    for (const unsigned i : chosen) {
      const unsigned process = number_of(group_->members[i].process);
      places.push_back({process, threads[process]++});
      if (group_->members[i].process == group_->process) slots.push_back(group_->members[i].slot);
    }
    std::unique_ptr<Processes> made =
        processes.size() == 1 ? alone() : group_->processes->group(processes, tag);
    auto child = std::make_shared<TeamGroup>(std::move(places), number_of(group_->process),
                                             made.get(), group_->active);
    child->owned = std::move(made);
    note_(child);
    for (unsigned k = 0; k < slots.size(); ++k) group_->children[slots[k]] = {child, k};
  }

  std::shared_ptr<TeamGroup> group_;
  unsigned slot_;
  unsigned index_;
  std::size_t doublings_;  // rounds of a reduction in which this process sends
  unsigned turn_ = 0;
  Register note_;
};

}  // namespace bfslab::distributed
