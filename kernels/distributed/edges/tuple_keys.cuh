// SPDX-License-Identifier: Apache-2.0
// Tuples to keys of 64 bits, binned by the members that keep them: for any partition that says of
// an entry who keeps it, and under which key.
//
// A block makes 1,024 tuples at a time, which become up to 2,048 entries. Where these go by member
// is counted in shared memory, a warp at a time; one global addition per member and block
// reserves their places, so that keys are written nearly contiguously and no block waits for
// another.
#pragma once

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/distributed/edges/device_tuples.cuh"
#include "kernels/distributed/edges/member_counts.cuh"

namespace bfslab::distributed {

inline constexpr unsigned kNoKeeper = ~0U;

// Where an entry goes.
struct Kept {
  unsigned keeper = kNoKeeper;
  std::uint64_t key = 0;
};

// Passes on the entries of a tuple: take(from, to) for each of them, none() for each that it lacks;
// two calls in all.
template <typename Take, typename None>
__device__ void entries_of(const EdgeRules& rules, const GlobalEdge& edge, bool there,
                           const Take& take, const None& none) {
  const bool loop = edge.from == edge.to;
  if (there && !(loop && rules.drop_self_loops)) {
    take(edge.from, edge.to);
  } else {
    none();
  }
  if (there && !loop && rules.symmetrize) {
    take(edge.to, edge.from);
  } else {
    none();
  }
}

// take(from, to) of all entries of the tuples. All threads of the grid.
template <typename Source, typename Take>
__device__ void each_entry(Source source, const EdgeRules& rules, const Take& take) {
  __shared__ typename Source::Tables tables;
  source.open(tables);
  for (std::uint64_t i = grid_thread(); i < source.count; i += grid_threads()) {
    entries_of(rules, source(i), true, take, [] {});
  }
}

namespace tuple_keys {

using Counter = MemberCounts::Total;

inline constexpr int kTuplesALane = 4;
inline constexpr int kEntriesALane = 2 * kTuplesALane;
inline constexpr unsigned kTileTuples = cuda::kBlockThreads * kTuplesALane;

// Dynamic shared memory: 4 bytes a member.
template <typename Source, typename Plan>
__global__ void __launch_bounds__(cuda::kBlockThreads)
    count(const __grid_constant__ Source given, const __grid_constant__ Plan plan,
          Counter* counts) {
  extern __shared__ unsigned of_block[];
  const MemberCounts sizes{of_block, plan.members};
  sizes.clear();
  each_entry(given, plan.rules, [&](global_vertex_t from, global_vertex_t to) {
    const unsigned keeper = plan.kept(from, to).keeper;
    if (keeper != kNoKeeper) sizes.add(keeper);
  });
  sizes.add_to(counts);
}

// Dynamic shared memory: 12 bytes a member.
template <typename Source, typename Plan>
__global__ void __launch_bounds__(cuda::kBlockThreads)
    emit(Source source, Plan plan, Counter* next, std::uint64_t* keys) {
  __shared__ typename Source::Tables tables;
  extern __shared__ Counter of_members[];
  Counter* const base = of_members;  // [members] where this tile's keys begin
  const MemberCounts sizes{reinterpret_cast<unsigned*>(of_members + plan.members), plan.members};
  source.open(tables);
  sizes.clear();

  // Tiles are the same for all threads of a block: they meet at its barriers.
  const std::uint64_t step = std::uint64_t{gridDim.x} * kTileTuples;
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * kTileTuples; tile < source.count;
       tile += step) {
    Kept kept[kEntriesALane];
    unsigned place[kEntriesALane];  // among the tile's keys for that keeper
#pragma unroll
    for (int k = 0; k < kTuplesALane; ++k) {
      const std::uint64_t i = tile + k * cuda::kBlockThreads + threadIdx.x;
      const bool there = i < source.count;
      GlobalEdge edge{0, 0};
      if (there) edge = source(i);
      int entry = 2 * k;
      entries_of(
          plan.rules, edge, there,
          [&](global_vertex_t from, global_vertex_t to) { kept[entry++] = plan.kept(from, to); },
          [&] { kept[entry++] = Kept{}; });
    }
    __syncwarp();
#pragma unroll
    for (int entry = 0; entry < kEntriesALane; ++entry) {
      const unsigned to = kept[entry].keeper;
      // Lanes whose entries go to the same member, or nowhere.
      const unsigned alike = __match_any_sync(cuda::kAllLanes, to);
      const int leader = __ffs(static_cast<int>(alike)) - 1;
      unsigned start = 0;
      if (to != kNoKeeper && static_cast<int>(cuda::lane_id()) == leader) {
        start = sizes.add(to, static_cast<unsigned>(__popc(alike)));
      }
      start = __shfl_sync(cuda::kAllLanes, start, leader);
      place[entry] = start + static_cast<unsigned>(__popc(alike & cuda::lanes_below()));
    }
    sizes.take_room(next, base);  // and for the next tile, counts are clear
#pragma unroll
    for (int entry = 0; entry < kEntriesALane; ++entry) {
      const Kept& one = kept[entry];
      if (one.keeper != kNoKeeper) keys[base[one.keeper] + place[entry]] = one.key;
    }
    // No barrier: `base` changes only after the next tile's first one.
  }
}

inline Counter* counters(std::uint64_t* values) {
  static_assert(sizeof(Counter) == sizeof(std::uint64_t));
  return reinterpret_cast<Counter*>(values);
}

}  // namespace tuple_keys

// A plan has `rules`, `members` (2,048 at most), and kept(from, to).

// Adds to counts[m] the entries that member m keeps.
template <typename Plan>
void count_kept(const TuplePortion& tuples, const Plan& plan, std::uint64_t* counts,
                const cuda::Stream& stream) {
  const std::size_t shared = plan.members * sizeof(unsigned);
  on_tuples(tuples, [&](const auto& source) {
    BFSLAB_LAUNCH_SIZED(tuple_keys::count, cuda::blocks_for(source.count), cuda::kBlockThreads,
                        shared, stream, source, plan, tuple_keys::counters(counts));
  });
}

// Writes their keys, those of member m at keys[next[m]] and after, in no particular order; next[m]
// moves behind them.
template <typename Plan>
void emit_kept(const TuplePortion& tuples, const Plan& plan, std::uint64_t* next,
               std::uint64_t* keys, const cuda::Stream& stream) {
  const std::size_t shared = plan.members * (sizeof(tuple_keys::Counter) + sizeof(unsigned));
  on_tuples(tuples, [&](const auto& source) {
    const std::uint64_t lanes =
        (source.count + tuple_keys::kTuplesALane - 1) / tuple_keys::kTuplesALane;
    BFSLAB_LAUNCH_SIZED(tuple_keys::emit, cuda::blocks_for(lanes), cuda::kBlockThreads, shared,
                        stream, source, plan, tuple_keys::counters(next), keys);
  });
}

}  // namespace bfslab::distributed
