// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/distributed/edges/collect_keys.hpp"
#include "kernels/distributed/subgraphs/device_steps.cuh"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

using cuda::bits_for;
using cuda::KeyBuffers;

constexpr std::uint64_t kMaxRound = std::numeric_limits<std::int32_t>::max();  // CUB's sizes
constexpr std::uint64_t kMinRound = std::uint64_t{1} << 16;
constexpr std::uint64_t kMaxBins = std::uint64_t{1} << 14;  // of all members together
constexpr std::uint64_t kMinBins = 64;                      // of one

template <typename Value>
Bytes device_bytes(const Value* data, std::uint64_t count) {
  return {reinterpret_cast<const std::byte*>(data), count * sizeof(Value)};
}

// The data that the passes over the tuples share.
struct Making {
  Member& member;
  const EdgeShare& share;
  const MemberGpu& gpu;
  Communicator& data;
  MakingLimits limits;
  TupleFeed& feed;
  unsigned column_bits;

  [[nodiscard]] const Stream& stream() const { return gpu.stream(); }
  // Rows of a round whose keys still fit 64 bits.
  [[nodiscard]] std::uint64_t max_rows() const {
    return column_bits == 0 ? ~std::uint64_t{0} : std::uint64_t{1} << (64 - column_bits);
  }
};

// One pass over the tuples: every member gets the keys of all entries that it keeps, round by
// round.
class EntryPass {
 public:
  EntryPass(const Making& making, const Placement& place, const PerEdgeClass<std::uint64_t>& rows)
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
    KeyBuffers buffers(max_received);
    sending_ = {DeviceBuffer<std::uint64_t>(max_sent), DeviceBuffer<std::uint64_t>(members_)};
    const bool deduplicate = making_.share.rules().deduplicate;
    for (const Round& round : rounds) {
      // No member frees memory, which waits for a whole GPU, while others wait in a call.
      making_.member.all->barrier();
      std::uint64_t count = fetch(round, buffers.keys);
      making_.member.all->barrier();
      if (sorted || deduplicate) {
        cuda::sort_keys(buffers, count, making_.column_bits + bits_for(round.rows.count()),
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
          emit_kept(tuples, RoundPlan{plan_.rules, plan_.members, plan_, round.rows}, next, into,
                    making_.stream());
        },
        sending_, keys, making_.stream());
    if (counted_ ? count != received(round) : count > keys.size()) {
      throw std::logic_error("a round has other entries than were counted");
    }
    return count;
  }

  const Making& making_;
  unsigned members_;
  EntryPlan plan_;
  bool counted_ = false;
  std::vector<std::vector<std::uint64_t>> sent_;  // [portion][member * bins + bin]
  std::vector<std::uint64_t> received_;           // [bin], or all that may come in the first
  KeySending sending_;
};

// Out-degrees of the vertices that this member owns where duplicates count: each member counts
// those of all vertices among its own tuples, 4 bytes a vertex of the graph, and no entry travels.
DeviceBuffer<std::uint32_t> degrees_by_counting(const Making& making, const Ownership& own) {
  const Stream& stream = making.stream();
  constexpr std::uint64_t kAlign = 4;  // lists begin at multiples of 16 bytes
  const std::uint64_t stride = (own.count(0) + kAlign - 1) / kAlign * kAlign;
  const unsigned members = making.member.count();
  auto counts = cuda::zeroed<std::uint32_t>(stride * members, stream);
  for (std::uint64_t portion = 0; portion < making.feed.portions(); ++portion) {
    on_tuples(making.feed.load(portion), [&](const auto& source) {
      BFSLAB_LAUNCH(tails_of_tuples, blocks_for(source.count), stream, source, making.share.rules(),
                    own, stride, counts.data());
    });
  }
  if (members == 1) return counts;
  stream.wait();
  std::vector<Bytes> slices;
  for (unsigned m = 0; m < members; ++m) {
    slices.push_back(device_bytes(counts.data() + m * stride, stride));
  }
  auto degrees = cuda::zeroed<std::uint32_t>(stride, stream);
  // No member frees or takes memory, which waits for a whole GPU, while others wait in a call.
  making.member.all->barrier();
  for (const Bytes slice : making.data.all_to_all(slices)) {
    const std::span<const std::uint32_t> theirs = values_of<std::uint32_t>(slice);
    if (theirs.empty()) continue;
    BFSLAB_LAUNCH(add_up, blocks_for(theirs.size()), stream, theirs.data(), theirs.size(),
                  degrees.data());
  }
  stream.wait();
  making.member.all->barrier();  // before `counts` goes, which others read
  return degrees;
}

// Out-degrees of the vertices that this member owns, as the rules leave them; there may be more
// numbers than vertices.
DeviceBuffer<std::uint32_t> out_degrees(const Making& making, const Ownership& own) {
  if (!making.share.rules().deduplicate) return degrees_by_counting(making, own);
  auto degrees = cuda::zeroed<std::uint32_t>(own.count(0), making.stream());
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nn] = own.count(0);
  EntryPass(making, {own, {}}, rows)
      .run(false, false, [&](RowRange range, const std::uint64_t* keys, std::uint64_t count) {
        if (count == 0) return;
        BFSLAB_LAUNCH(add_runs, blocks_for(count), making.stream(), keys, count, making.column_bits,
                      degrees.data() + range.first);
      });
  return degrees;
}

// A subgraph whose rows come in order, some in each round.
template <typename Column>
class Collected {
 public:
  Collected(std::uint64_t rows, const Stream& stream) : stream_(stream), starts_(rows + 1) {}

  // Rows first .. last - 1 of the subgraph are rows `of_round` of the round; keys begin .. end - 1
  // are theirs.
  void add(std::uint64_t first, RowRange of_round, const std::uint64_t* keys, std::uint64_t count,
           std::uint64_t begin, std::uint64_t end, unsigned column_bits) {
    cuda::find_offsets(keys, count, column_bits, of_round.first, of_round.last, total_ - begin,
                       starts_.data() + first, stream_);
    if (begin == end) return;
    parts_.emplace_back(end - begin);
    cuda::take_columns(keys + begin, end - begin, column_bits, parts_.back().data(), stream_);
    total_ += end - begin;
  }

  // With `rows` rows, or one fewer than were collected, which is empty.
  DeviceSubgraph<Column> finish(std::uint64_t rows) {
    cuda::upload(starts_.data() + starts_.size() - 1, &total_, sizeof(total_), stream_);
    DeviceSubgraph<Column> made;
    if (total_ <= std::numeric_limits<std::uint32_t>::max()) {
      made.narrow = DeviceBuffer<std::uint32_t>(rows + 1);
      cuda::take_columns(starts_.data(), rows + 1, 32, made.narrow.data(), stream_);
    } else if (starts_.size() == rows + 1) {
      made.wide = std::move(starts_);
    } else {
      made.wide = DeviceBuffer<std::uint64_t>(rows + 1);
      cuda::copy(made.wide.data(), starts_.data(), rows + 1, stream_);
    }
    stream_.wait();
    starts_ = {};
    made.columns = cuda::concatenate(std::exchange(parts_, {}), stream_);
    return made;
  }

 private:
  const Stream& stream_;
  std::uint64_t total_ = 0;
  DeviceBuffer<std::uint64_t> starts_;
  std::vector<DeviceBuffer<Column>> parts_;
};

// Returns the number of sorted keys in the rows below `row`.
std::uint64_t keys_below(const std::uint64_t* keys, std::uint64_t count, unsigned column_bits,
                         std::uint64_t row, const Stream& stream) {
  const DeviceBuffer<std::uint64_t> found(1);
  cuda::find_offsets(keys, count, column_bits, row, row + 1, 0, found.data(), stream);
  return cuda::read_back(found.data(), stream);
}

void separate(const Making& making, const Placement& place, DeviceSubgraphs& made) {
  const Ownership& own = place.own;
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nn] = rows[EdgeClass::nd] = own.count(0);
  rows[EdgeClass::dn] = rows[EdgeClass::dd] = made.delegate_count();
  EntryPass pass(making, place, rows);
  const RowSequence& sequence = pass.sequence();
  const Stream& stream = making.stream();
  Collected<global_vertex_t> nn(rows[EdgeClass::nn], stream);
  Collected<local_vertex_t> nd(rows[EdgeClass::nd], stream);
  Collected<local_vertex_t> dn(rows[EdgeClass::dn], stream);
  Collected<local_vertex_t> dd(rows[EdgeClass::dd], stream);
  pass.run(true, true, [&](RowRange range, const std::uint64_t* keys, std::uint64_t count) {
    std::uint64_t begin = 0;  // of the subgraph's keys: these follow one another
    const auto add = [&](EdgeClass which, auto& subgraph) {
      const RowRange part = sequence.part_of(range, which);
      if (part.count() == 0) return;
      const RowRange of_round{part.first - range.first, part.last - range.first};
      // No key is in a row behind the round's last, whose number might not fit a key.
      const std::uint64_t end =
          part.last == range.last
              ? count
              : keys_below(keys, count, making.column_bits, of_round.last, stream);
      subgraph.add(part.first - sequence.begin[static_cast<std::size_t>(which)], of_round, keys,
                   count, begin, end, making.column_bits);
      begin = end;
    };
    add(EdgeClass::nn, nn);
    add(EdgeClass::nd, nd);
    add(EdgeClass::dn, dn);
    add(EdgeClass::dd, dd);
  });
  const auto finish = [&](EdgeClass which, auto& collected, auto& subgraph, std::uint64_t count) {
    subgraph = collected.finish(count);
    made.stored[which] = {.edges = subgraph.columns.size(),
                          .offset_bytes = subgraph.narrow.bytes() + subgraph.wide.bytes(),
                          .column_bytes = subgraph.columns.bytes(),
                          .offset_width = subgraph.wide.size() > 0 ? 8U : 4U};
  };
  finish(EdgeClass::nn, nn, made.nn, made.owned);
  finish(EdgeClass::nd, nd, made.nd, made.owned);
  finish(EdgeClass::dn, dn, made.dn, made.delegate_count());
  finish(EdgeClass::dd, dd, made.dd, made.delegate_count());
}

// Makes the table of all delegates, which is the same on all members.
DelegateTable agree_on_delegates(const Making& making, const Ownership& own, DelegateOrder order,
                                 DeviceSubgraphs& made) {
  Member& member = making.member;
  const Stream& stream = making.stream();
  DeviceBuffer<std::uint64_t> own_delegates;
  {
    const DeviceBuffer<std::uint32_t> degrees = out_degrees(making, own);
    own_delegates = above(degrees, made.owned, made.threshold, stream);
  }
  const std::uint64_t delegates = member.all->sum(own_delegates.size());
  require_numbers_for(delegates, made.threshold);
  const Bytes list = device_bytes(own_delegates.data(), own_delegates.size());
  std::vector<Bytes> lists(member.count(), list);
  if (member.count() > 1) lists = making.data.all_to_all(lists);
  DelegateTable table = number_delegates(lists, own, order, stream);
  if (table.ids.size() != delegates) throw std::logic_error("delegates were lost on their way");
  member.all->barrier();  // before `own_delegates` is freed

  made.delegates = cuda::downloaded(table.ids, stream);
  made.by_id = cuda::downloaded(table.numbers, stream);
  const DeviceBuffer<Separation::OwnDelegate> pairs(own_delegates.size());
  if (own_delegates.size() > 0) {
    BFSLAB_LAUNCH(pair_up, blocks_for(own_delegates.size()), stream, own_delegates.data(),
                  own_delegates.size(), member.index(), own, table.view(), pairs.data());
  }
  made.own_delegates = cuda::downloaded(pairs, stream);
  return table;
}

}  // namespace

DeviceSubgraphs make_device_subgraphs(Member& member, const EdgeShare& share,
                                      std::uint64_t threshold, DelegateOrder order,
                                      const MemberGpu& gpu, Communicator& data,
                                      const MakingLimits& limits, SetupTimes times,
                                      DdKeepers dd_keepers) {
  const Ownership own = vertex_owners(share, member.count());
  const unsigned column_bits = bits_for(share.vertices());
  if (bits_for(own.count(0)) + column_bits > 64 || share.vertices() > kMaxTableVertices) {
    throw Unsupported(
        std::to_string(share.vertices()) + " vertices on " + std::to_string(member.count()) +
        " members: a GPU makes subgraphs whose local and global ids have 64 bits together, of up "
        "to " +
        std::to_string(kMaxTableVertices) + " vertices");
  }
  if (member.count() > kMaxKeepers) {
    throw Unsupported(std::to_string(member.count()) + " members: GPUs make subgraphs on up to " +
                      std::to_string(kMaxKeepers));
  }
  TupleFeed feed(member, share, gpu.stream(), limits.portion_tuples);
  const Making making{.member = member,
                      .share = share,
                      .gpu = gpu,
                      .data = data,
                      .limits = limits,
                      .feed = feed,
                      .column_bits = column_bits};
  DeviceSubgraphs made;
  made.times = std::move(times);
  made.vertices = share.vertices();
  made.symmetric = share.rules().symmetric;
  made.threshold = threshold;
  made.owned = static_cast<local_vertex_t>(own.count(member.index()));
  const DelegateTable table = agree_on_delegates(making, own, order, made);
  made.times.end("delegates");
  separate(making, {own, made.delegate_count() > 0 ? table.view() : DelegateView{}, dd_keepers},
           made);
  member.all->barrier();  // no member searches while others still free memory
  made.times.end("subgraphs");
  return made;
}

}  // namespace bfslab::distributed
