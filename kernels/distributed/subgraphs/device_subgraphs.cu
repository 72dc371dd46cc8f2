// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/distributed/subgraphs/collected_rows.hpp"
#include "kernels/distributed/subgraphs/device_steps.cuh"
#include "kernels/distributed/subgraphs/entry_pass.cuh"
#include "kernels/distributed/subgraphs/out_degrees.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

using cuda::bits_for;

void separate(const Making& making, const Placement& place, DeviceSubgraphs& made) {
  const Ownership& own = place.own;
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nn] = rows[EdgeClass::nd] = own.count(0);
  rows[EdgeClass::dn] = rows[EdgeClass::dd] = made.delegate_count();
  EntryPass<Placement> pass(making, place, rows);
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
    const DeviceBuffer<std::uint32_t> degrees = out_degrees(making, own).degrees;
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
