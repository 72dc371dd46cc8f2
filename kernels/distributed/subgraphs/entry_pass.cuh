// SPDX-License-Identifier: Apache-2.0
// Passes over the tuples of a share, by which every member gets the keys of the entries that it
// keeps, round by round: for any placement that says of an entry who keeps it, in which row and as
// which column (placement.hpp). A key is an entry of a round: (row - the round's first row) <<
// column bits | column.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/distributed/edges/collect_keys.hpp"
#include "kernels/distributed/edges/tuple_keys.cuh"
#include "kernels/distributed/subgraphs/making.hpp"
#include "kernels/distributed/subgraphs/placement.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

using cuda::blocks_for;
using cuda::DeviceBuffer;
using cuda::kBlockThreads;
using cuda::Stream;
using tuple_keys::Counter;
using tuple_keys::counters;

inline constexpr std::uint64_t kMaxRound = std::numeric_limits<std::int32_t>::max();  // CUB's sizes
inline constexpr std::uint64_t kMinRound = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kMaxBins = std::uint64_t{1} << 14;  // of all members together
inline constexpr std::uint64_t kMinBins = 64;                      // of one

// The entries that a tuple becomes, and where they go.
template <typename Place>
struct EntryPlan {
  EdgeRules rules;
  Place place;
  RowSequence sequence;
  unsigned members = 1;
  unsigned column_bits = 0;
};

// The entries of a round (tuple_keys.cuh).
template <typename Place>
struct RoundPlan {
  EdgeRules rules;
  unsigned members;
  EntryPlan<Place> plan;
  RowRange rows;

  [[nodiscard]] __device__ Kept kept(global_vertex_t from, global_vertex_t to) const {
    const Placed placed = plan.place(from, to);
    // Unsigned: rows before the first wrap around and are refused too.
    const std::uint64_t row = plan.sequence.row(placed) - rows.first;
    return {row < rows.last - rows.first ? placed.keeper : kNoKeeper,
            row << plan.column_bits | placed.column};
  }
};

// Adds to counts[member * bins + bin] the entries that a member keeps in the rows of a bin.
template <typename Source, typename Place>
__global__ void __launch_bounds__(kBlockThreads)
    count_bins(Source source, EntryPlan<Place> plan, Counter* counts) {
  const std::uint64_t bins = plan.sequence.bins();
  each_entry(source, plan.rules, [&](global_vertex_t from, global_vertex_t to) {
    const Placed entry = plan.place(from, to);
    atomicAdd(&counts[entry.keeper * bins + plan.sequence.bin(entry)], Counter{1});
  });
}

// One pass over the tuples: every member gets the keys of all entries that it keeps, round by
// round.
template <typename Place>
class EntryPass {
 public:
  EntryPass(const Making& making, const Place& place, const PerEdgeClass<std::uint64_t>& rows)
      : making_(making), members_(making.member.count()) {
    const std::uint64_t bins = std::max(kMaxBins / members_, kMinBins);
    const unsigned max_shift = std::min(63U, 64 - making.column_bits);
    plan_ = {making.share.rules(), place, RowSequence::make(rows, bins, max_shift), members_,
             making.column_bits};
  }

  [[nodiscard]] const RowSequence& sequence() const { return plan_.sequence; }

  // Calls take(rows, keys, count) for each round, without duplicates where the rules say so. Keys
  // are sorted if `sorted` is true or duplicates are dropped. With `columns` the entries are to be
  // kept, 8 bytes in nn and 4 elsewhere. Collective.
  template <typename Take>
  void run(bool sorted, bool columns, Take&& take) {
    const std::vector<Round> rounds = plan(columns);
    std::uint64_t max_received = 0;
    std::uint64_t max_sent = 0;
    for (const Round& round : rounds) {
      max_received = std::max(max_received, received(round));
      for (std::uint64_t portion = 0; members_ > 1 && portion < sent_.size(); ++portion) {
        max_sent = std::max(max_sent, key_lists(sent(portion, round)).back().end);
      }
    }
    cuda::KeyBuffers buffers(max_received);
    sending_ = {DeviceBuffer<std::uint64_t>(max_sent), DeviceBuffer<std::uint64_t>(members_)};
    const bool deduplicate = making_.share.rules().deduplicate;
    for (const Round& round : rounds) {
      // No member frees memory, which waits for a whole GPU, while others wait in a call.
      making_.member.all->barrier();
      std::uint64_t count = fetch(round, buffers.keys);
      making_.member.all->barrier();
      if (sorted || deduplicate) {
        cuda::sort_keys(buffers, count, making_.column_bits + cuda::bits_for(round.rows.count()),
                        making_.stream());
      }
      if (deduplicate) count = cuda::drop_duplicates(buffers, count, making_.stream());
      take(round.rows, static_cast<const std::uint64_t*>(buffers.keys.data()), count);
    }
    making_.stream().wait();  // the keys go
    sending_ = {};
  }

 private:
  [[nodiscard]] std::uint64_t max_entries() const {
    return making_.share.size() * (plan_.rules.symmetrize ? 2 : 1);
  }

  // How many entries a round may have beside `kept` bytes, by this member's memory.
  [[nodiscard]] std::uint64_t room(std::uint64_t kept) const {
    std::size_t free = 0;
    std::size_t whole = 0;
    BFSLAB_CUDA(cudaMemGetInfo(&free, &whole));
    // Members that share a GPU share its memory. One part in 16 is left to CUB and the driver.
    const std::uint64_t own_free = making_.gpu.shared() ? free / members_ : free;
    std::uint64_t reserved = own_free / 16 + kept;
    // A portion's keys are with their sender, and in buffers of a transport at both ends.
    if (members_ > 1) reserved += 2 * making_.feed.portion() * sizeof(std::uint64_t) * 3;
    const std::uint64_t usable = own_free > reserved ? own_free - reserved : 0;
    return std::clamp(usable / (2 * sizeof(std::uint64_t)), kMinRound, kMaxRound);
  }

  [[nodiscard]] std::uint64_t limited(std::uint64_t entries) const {
    return making_.limits.round_entries > 0 ? std::min(entries, making_.limits.round_entries)
                                            : entries;
  }

  // The same on all members.
  std::vector<Round> plan(bool columns) {
    Communicator& all = *making_.member.all;
    const RowSequence& sequence = plan_.sequence;
    const std::uint32_t bins = sequence.bins();
    if (bins == 0) return {};  // no vertices
    if (members_ == 1) {
      // Nothing travels: if all fits, nothing need be counted.
      const std::uint64_t bound = max_entries();
      const std::uint64_t kept = columns ? bound * sizeof(global_vertex_t) : 0;
      if (bound <= limited(room(kept)) && sequence.rows() <= making_.max_rows()) {
        received_.assign(bins, 0);
        received_.front() = bound;
        return {{{0, sequence.rows()}, 0, bins, bound}};
      }
    }
    counted_ = true;
    const DeviceBuffer<std::uint64_t> device(std::size_t{members_} * bins);
    std::vector<Word> totals(device.size(), 0);
    sent_.assign(all.maximum(making_.feed.portions()), {});
    for (std::uint64_t portion = 0; portion < sent_.size(); ++portion) {
      device.fill_bytes(0, making_.stream().get());
      on_tuples(making_.feed.load(portion), [&](const auto& source) {
        BFSLAB_LAUNCH(count_bins, blocks_for(source.count), making_.stream(), source, plan_,
                      counters(device.data()));
      });
      sent_[portion] = cuda::downloaded(device, making_.stream());
      for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += sent_[portion][i];
    }
    all.all_reduce(totals, Reduction::sum);
    const auto own_totals =
        totals.begin() + static_cast<std::ptrdiff_t>(std::size_t{making_.member.index()} * bins);
    received_.assign(own_totals, own_totals + bins);
    std::uint64_t kept = 0;
    for (std::uint32_t bin = 0; columns && bin < bins; ++bin) {
      const bool wide = bin < sequence.first_bin[static_cast<std::size_t>(EdgeClass::nn) + 1];
      kept += received_[bin] * (wide ? sizeof(global_vertex_t) : sizeof(local_vertex_t));
    }
    const std::uint64_t entry_limit = limited(all.minimum(room(kept)));
    std::vector<Round> rounds =
        plan_rounds(sequence, totals, members_, entry_limit, making_.max_rows());
    for (const Round& round : rounds) {
      if (round.entries > kMaxRound) {
        throw Unsupported(
            std::to_string(round.entries) +
            " entries in one row or a few neighbouring ones: a GPU sorts up to " +
            std::to_string(kMaxRound) +
            " at once, and a row is not split; more ranks or GPUs share such rows out");
      }
    }
    return rounds;
  }

  // Entries that this member gets, at most.
  [[nodiscard]] std::uint64_t received(const Round& round) const {
    std::uint64_t sum = 0;
    for (std::uint32_t bin = round.first_bin; bin < round.last_bin; ++bin) sum += received_[bin];
    return sum;
  }

  // Keys that a portion sends to each member.
  [[nodiscard]] std::vector<std::uint64_t> sent(std::uint64_t portion, const Round& round) const {
    const std::uint32_t bins = plan_.sequence.bins();
    std::vector<std::uint64_t> made(members_, 0);
    for (unsigned m = 0; m < members_; ++m) {
      const std::uint64_t* const counts = sent_[portion].data() + std::size_t{m} * bins;
      for (std::uint32_t bin = round.first_bin; bin < round.last_bin; ++bin) made[m] += counts[bin];
    }
    return made;
  }

  // This member's entries of a round, in no order; returns how many.
  std::uint64_t fetch(const Round& round, const DeviceBuffer<std::uint64_t>& keys) {
    const std::uint64_t count = collect_keys(
        making_.member, making_.data, making_.feed, sent_.size(),
        [&](std::uint64_t portion) { return sent(portion, round); },
        [&](const TuplePortion& tuples, std::uint64_t* next, std::uint64_t* into) {
          emit_kept(tuples, RoundPlan<Place>{plan_.rules, plan_.members, plan_, round.rows}, next,
                    into, making_.stream());
        },
        sending_, keys, making_.stream());
    if (counted_ ? count != received(round) : count > keys.size()) {
      throw std::logic_error("a round has other entries than were counted");
    }
    return count;
  }

  const Making& making_;
  unsigned members_;
  EntryPlan<Place> plan_;
  bool counted_ = false;
  std::vector<std::vector<std::uint64_t>> sent_;  // [portion][member * bins + bin]
  std::vector<std::uint64_t> received_;           // [bin], or all that may come in the first
  KeySending sending_;
};

}  // namespace bfslab::distributed
