// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/subgraphs/out_degrees.hpp"

#include "kernels/distributed/subgraphs/entry_pass.cuh"

namespace bfslab::distributed {

namespace {

// Adds to counts[owner * stride + local] the entries that begin at each vertex, duplicates among
// them.
template <typename Source>
__global__ void __launch_bounds__(kBlockThreads)
    tails_of_tuples(Source source, EdgeRules rules, Ownership own, std::uint64_t stride,
                    std::uint32_t* counts) {
  each_entry(source, rules, [&](global_vertex_t from, global_vertex_t /*to*/) {
    atomicAdd(&counts[own.owner(from) * stride + own.local(from)], 1U);
  });
}

// sums[i] += counts[i], which may lie in another GPU's memory.
__global__ void __launch_bounds__(kBlockThreads)
    add_up(const std::uint32_t* counts, std::uint64_t count, std::uint32_t* sums) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) sums[i] += counts[i];
}

// Adds to degrees[row] the keys of each row. Equal rows should lie side by side, which is
// faster. The arithmetic is exact modulo 2^32, whatever the order of the additions.
__global__ void __launch_bounds__(kBlockThreads)
    add_runs(const std::uint64_t* keys, std::uint64_t count, unsigned column_bits,
             std::uint32_t* degrees) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::uint64_t row = keys[i] >> column_bits;
    const auto place = static_cast<std::uint32_t>(i);
    if (i == 0 || keys[i - 1] >> column_bits != row) atomicSub(&degrees[row], place);
    if (i + 1 == count || keys[i + 1] >> column_bits != row) atomicAdd(&degrees[row], place + 1);
  }
}

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

}  // namespace

DeviceBuffer<std::uint32_t> out_degrees(const Making& making, const Ownership& own) {
  if (!making.share.rules().deduplicate) return degrees_by_counting(making, own);
  auto degrees = cuda::zeroed<std::uint32_t>(own.count(0), making.stream());
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nn] = own.count(0);
  EntryPass<Placement>(making, {own, {}}, rows)
      .run(false, false, [&](RowRange range, const std::uint64_t* keys, std::uint64_t count) {
        if (count == 0) return;
        BFSLAB_LAUNCH(add_runs, blocks_for(count), making.stream(), keys, count, making.column_bits,
                      degrees.data() + range.first);
      });
  return degrees;
}

}  // namespace bfslab::distributed
