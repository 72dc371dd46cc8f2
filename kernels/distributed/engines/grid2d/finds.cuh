// SPDX-License-Identifier: Apache-2.0
// Looking for vertices in grid2d's explorations on a GPU, in both forms of them (explore.cu and
// explore_rows.cu): bits of bitmaps, the claim of a vertex, and a warp at a row.
//
// No kernel writes the visited bitmap while it explores: an exploration reads it as it was before
// the level, and update() adds the level's finds afterwards. Loads of it may therefore take the
// read-only cache, which does not see writes of a running kernel. A vertex that another thread has
// just found looks unvisited, which costs a second atomicOr and changes nothing: the bit is set
// already, and only the thread that set it writes the parent.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/distributed/engines/grid2d/halves.cuh"

namespace bfslab::distributed::grid2d {

// Tests a bit of a bitmap that the kernel does not write.
__device__ inline bool is_set(const half_t* bits, local_t v) {
  return ((__ldg(bits + v / kHalfBits) >> (v % kHalfBits)) & 1U) != 0;
}

// Sets v's bit in Out. The one thread that changes it writes the parent.
template <bool kParents>
__device__ void claim(const Exploration& work, local_t v, local_t tail) {
  const half_t bit = half_t{1} << (v % kHalfBits);
  cuda::stress_pause();
  const half_t before = atomicOr(work.out + v / kHalfBits, bit);
  if constexpr (kParents) {
    if ((before & bit) == 0) work.found_by[v] = tail;
  }
}

// Returns whether a vertex is claimed, as far as this thread can see.
__device__ inline bool is_claimed(const Exploration& work, local_t v) {
  return ((__ldcg(work.out + v / kHalfBits) >> (v % kHalfBits)) & 1U) != 0;
}

// A top-down edge's action (traversal/edges.cuh): claims its head unless that is known to be
// visited. `claims` counts the atomic operations of this thread.
template <bool kParents, VisitedRead kRead>
struct Find {
  static constexpr int kBatch = 1;
  const Exploration& work;
  unsigned claims = 0;

  __device__ unsigned open_among(const local_t (&to)[1]) const {
    const local_t v = to[0];
    if constexpr (kRead == VisitedRead::plain) {
      return ~(work.visited[v / kHalfBits] >> (v % kHalfBits)) & 1U;
    }
    if (is_set(work.visited, v)) return 0;
    return kRead == VisitedRead::read_only_then_out && is_claimed(work, v) ? 0 : 1;
  }
  __device__ void found(local_t tail, local_t v) {
    ++claims;
    claim<kParents>(work, v, tail);
  }
  __device__ void finish() const {}
};

// The entries of rows under the name that visit_edges() expects.
struct Columns {
  const local_t* columns;
};

// A warp looks through the entries from `from` to `to`, 32 at a time, for one that is in In.
// Returns in all lanes whether it found one, and which. `checked` counts this lane's entries.
struct Hit {
  bool is = false;
  local_t parent = 0;
};
template <bool kCount>
__device__ Hit look_by_warp(const half_t* in, const local_t* entries, std::uint64_t from,
                            std::uint64_t to, unsigned long long& checked) {
  for (std::uint64_t base = from; base < to; base += cuda::kWarp) {
    const bool has_entry = to - base > cuda::lane_id();
    const local_t u = has_entry ? entries[base + cuda::lane_id()] : 0;
    if constexpr (kCount) checked += has_entry ? 1U : 0U;
    const unsigned hits = __ballot_sync(cuda::kAllLanes, has_entry && is_set(in, u));
    if (hits == 0) continue;
    return {true, __shfl_sync(cuda::kAllLanes, u, __ffs(static_cast<int>(hits)) - 1)};
  }
  return {};
}

// Calls run<Parents, Count>() with the flags of `args`, on the host.
template <typename Run>
void choose(const Exploration& args, const Run& run) {
  const bool parents = args.found_by != nullptr;
  if (parents && args.counts_checked) return run.template operator()<true, true>();
  if (parents) return run.template operator()<true, false>();
  if (args.counts_checked) return run.template operator()<false, true>();
  run.template operator()<false, false>();
}
// Calls run<Read>() with that of `forms`, on the host.
template <typename Run>
void choose_read(const Forms& forms, const Run& run) {
  switch (forms.visited_read) {
    case VisitedRead::read_only:
      return run.template operator()<VisitedRead::read_only>();
    case VisitedRead::plain:
      return run.template operator()<VisitedRead::plain>();
    case VisitedRead::read_only_then_out:
      return run.template operator()<VisitedRead::read_only_then_out>();
  }
}

// explore_rows.cu's part of the functions with these names in gpu_kernels.hpp.
template <typename Offset>
void explore_top_down_by_rows(const RowsView<Offset>& csr, std::uint64_t tails,
                              const Exploration& args, const cuda::Stream& stream);
template <typename Offset>
void explore_bottom_up_by_rows(const RowsView<Offset>& csc, std::uint64_t heads,
                               const Exploration& args, const cuda::Stream& stream);
void load_explorations_by_rows(const Forms& forms);

}  // namespace bfslab::distributed::grid2d
