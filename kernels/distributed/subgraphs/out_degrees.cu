// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/subgraphs/out_degrees.hpp"

#include "kernels/distributed/subgraphs/entry_pass.cuh"

namespace bfslab::distributed {

namespace {

// Adds to counts[owner * stride + local] the entries that begin at each vertex, duplicates among
// them. `last` gets the head of one of them; null: it is unwanted.
template <typename Source>
__global__ void __launch_bounds__(kBlockThreads)
    tails_of_tuples(Source source, EdgeRules rules, Ownership own, std::uint64_t stride,
                    std::uint32_t* counts, vertex_t* last) {
  each_entry(source, rules, [&](global_vertex_t from, global_vertex_t to) {
    const std::uint64_t place = own.owner(from) * stride + own.local(from);
    atomicAdd(&counts[place], 1U);
    if (last != nullptr) last[place] = static_cast<vertex_t>(to);
  });
}

// sums[i] += counts[i], which may lie in another GPU's memory.
__global__ void __launch_bounds__(kBlockThreads)
    add_up(const std::uint32_t* counts, std::uint64_t count, std::uint32_t* sums) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) sums[i] += counts[i];
}

// Takes the heads of vertices that a member has counted.
__global__ void __launch_bounds__(kBlockThreads)
    take_last(const std::uint32_t* counts, const vertex_t* last, std::uint64_t count,
              vertex_t* only) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    if (counts[i] > 0) only[i] = last[i];
  }
}

// Adds to degrees[row] the keys of each row. Equal rows lie side by side. The arithmetic is exact
// modulo 2^32, whatever the order of the additions. `only` gets the columns of rows of one key;
// null: it is unwanted.
__global__ void __launch_bounds__(kBlockThreads)
    add_runs(const std::uint64_t* keys, std::uint64_t count, unsigned column_bits,
             std::uint32_t* degrees, vertex_t* only) {
  const std::uint64_t mask = (std::uint64_t{1} << column_bits) - 1;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::uint64_t row = keys[i] >> column_bits;
    const auto place = static_cast<std::uint32_t>(i);
    const bool is_first = i == 0 || keys[i - 1] >> column_bits != row;
    const bool is_last = i + 1 == count || keys[i + 1] >> column_bits != row;
    if (is_first) atomicSub(&degrees[row], place);
    if (is_last) atomicAdd(&degrees[row], place + 1);
    if (is_first && is_last && only != nullptr) only[row] = static_cast<vertex_t>(keys[i] & mask);
  }
}

// Where duplicates count: each member counts the tails of all vertices among its own tuples, 4
// bytes a vertex of the graph, and no entry travels.
OutDegrees degrees_by_counting(const Making& making, const Ownership& own, bool with_only) {
  const Stream& stream = making.stream();
  constexpr std::uint64_t kAlign = 4;  // lists begin at multiples of 16 bytes
  const std::uint64_t stride = (own.count(0) + kAlign - 1) / kAlign * kAlign;
  const unsigned members = making.member.count();
  OutDegrees ours{cuda::zeroed<std::uint32_t>(stride * members, stream), {}};
  if (with_only) ours.only = DeviceBuffer<vertex_t>(stride * members);
  for (std::uint64_t portion = 0; portion < making.feed.portions(); ++portion) {
    on_tuples(making.feed.load(portion), [&](const auto& source) {
      BFSLAB_LAUNCH(tails_of_tuples, blocks_for(source.count), stream, source, making.share.rules(),
                    own, stride, ours.degrees.data(), ours.only.data());
    });
  }
  if (members == 1) return ours;
  stream.wait();
  const auto slices = [&](const auto* data) {
    std::vector<Bytes> made;
    for (unsigned m = 0; m < members; ++m) made.push_back(device_bytes(data + m * stride, stride));
    return made;
  };
  OutDegrees made{cuda::zeroed<std::uint32_t>(stride, stream), {}};
  if (with_only) made.only = DeviceBuffer<vertex_t>(stride);
  DeviceBuffer<std::uint32_t> counted(with_only ? stride * members : 0);  // [members]
  stream.wait();
  // No member frees or takes memory, which waits for a whole GPU, while others wait in a call.
  making.member.all->barrier();
  const std::vector<Bytes> counts = making.data.all_to_all(slices(ours.degrees.data()));
  for (unsigned m = 0; m < members; ++m) {
    const std::span<const std::uint32_t> theirs = values_of<std::uint32_t>(counts[m]);
    if (theirs.empty()) continue;
    BFSLAB_LAUNCH(add_up, blocks_for(theirs.size()), stream, theirs.data(), theirs.size(),
                  made.degrees.data());
    if (with_only) cuda::copy(counted.data() + m * stride, theirs.data(), theirs.size(), stream);
  }
  stream.wait();
  making.member.all->barrier();  // before the counts go, which others read
  if (!with_only) return made;
  const std::vector<Bytes> heads = making.data.all_to_all(slices(ours.only.data()));
  for (unsigned m = 0; m < members; ++m) {
    const std::span<const vertex_t> theirs = values_of<vertex_t>(heads[m]);
    if (theirs.empty()) continue;
    BFSLAB_LAUNCH(take_last, blocks_for(theirs.size()), stream, counted.data() + m * stride,
                  theirs.data(), theirs.size(), made.only.data());
  }
  stream.wait();
  making.member.all->barrier();
  return made;
}

}  // namespace

OutDegrees out_degrees(const Making& making, const Ownership& own, bool with_only) {
  if (!making.share.rules().deduplicate) return degrees_by_counting(making, own, with_only);
  OutDegrees made{cuda::zeroed<std::uint32_t>(own.count(0), making.stream()), {}};
  if (with_only) made.only = DeviceBuffer<vertex_t>(own.count(0));
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nn] = own.count(0);
  EntryPass<Placement>(making, {own, {}}, rows)
      .run(false, false, [&](RowRange range, const std::uint64_t* keys, std::uint64_t count) {
        if (count == 0) return;
        BFSLAB_LAUNCH(add_runs, blocks_for(count), making.stream(), keys, count, making.column_bits,
                      made.degrees.data() + range.first,
                      with_only ? made.only.data() + range.first : nullptr);
      });
  return made;
}

}  // namespace bfslab::distributed
