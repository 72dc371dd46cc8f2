// SPDX-License-Identifier: Apache-2.0
// Algorithm 4 of graph500-romeo as published: a warp is attached to 32 bits of a bitmap and is
// released if all are 0. Each lane reads the offsets of its bit's row. Then the whole warp gathers
// one row after the other, 32 neighbouring entries at a time.
//
// Top-down, the 32 bits are of In, and a lane looks its entry up in the visited bitmap and sets it
// in Out by atomicOr if it is not there. Bottom-up ("the same approach but starting from the
// visited queue") they are the vertices that are not visited; a lane looks its entry up in In, and
// the warp leaves the row after the first 32 entries with one that is there.
//
// Cost: the bytes of explore.cu, and the offsets of every unvisited row bottom-up. A row of d
// entries keeps 32 lanes for d / 32 turns, rounded up: short rows leave most lanes idle, and a hub
// keeps its warp while the others have ended. LevelCounts::lanes counts these turns, and `claims`
// the atomic operations. explore.cu shares rows out evenly.
//
// Deviations from Algorithm 4 (docs/errata.md#graph500-romeo-exploration): lanes that wait for the
// warp take turns by a ballot, and shuffles hand out their row; in the paper they overwrite one
// another in shared memory until one has the warp. Line 37 adds finds to the bitmap that is read
// through the texture cache. CUDA leaves such reads undefined, so finds are added at the end of the
// level (finds.cuh). The read-only data cache is the texture memory here.
#include <algorithm>
#include <cstdint>

#include "kernels/distributed/engines/grid2d/finds.cuh"

namespace bfslab::distributed::grid2d {
namespace {

using cuda::kAllLanes;
using cuda::kBlockThreads;
using cuda::lane_id;

// Calls gather(lane, begin, end) in all lanes together for the row of each bit that is set, one row
// after the other: its bit's lane, and its entries' ends. Rows without entries are left out.
template <typename Offset, typename Gather>
__device__ void for_each_row(const RowsView<Offset>& rows, std::uint64_t half, half_t bits,
                             const Gather& gather) {
  const auto first_row = static_cast<local_t>(half * kHalfBits);
  Offset begin = 0;
  Offset end = 0;
  if (((bits >> lane_id()) & 1U) != 0) {
    begin = rows.offsets[first_row + lane_id()];
    end = rows.offsets[std::uint64_t{first_row} + lane_id() + 1];
  }
  unsigned waiting = __ballot_sync(kAllLanes, begin < end);
  while (waiting != 0) {
    const int lane = __ffs(static_cast<int>(waiting)) - 1;
    waiting &= waiting - 1;
    gather(static_cast<unsigned>(lane), __shfl_sync(kAllLanes, begin, lane),
           __shfl_sync(kAllLanes, end, lane));
    __syncwarp();
  }
}

template <bool kParents, bool kCount, VisitedRead kRead, typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    top_down_by_rows(const __grid_constant__ RowsView<Offset> csr, std::uint64_t halves,
                     const __grid_constant__ Exploration work) {
  Find<kParents, kRead> find{work};
  unsigned long long checked = 0;
  unsigned long long lanes = 0;
  for_each_half(
      halves, 1, [&](std::uint64_t half) { return work.in[half]; },
      [&](std::uint64_t half, half_t bits) {
        const auto first_row = static_cast<local_t>(half * kHalfBits);
        for_each_row(csr, half, bits, [&](unsigned lane, Offset begin, Offset end) {
          cuda::visit_edges(find, Columns{csr.entries},
                            cuda::EdgeRange{.u = first_row + lane, .begin = begin, .end = end},
                            lane_id(), cuda::kWarp);
          if constexpr (kCount) {
            const Offset length = end - begin;
            checked += lane_id() == 0 ? length : 0;
            lanes += length / cuda::kWarp + (length % cuda::kWarp != 0 ? 1 : 0);
          }
        });
      });
  if constexpr (kCount) {
    cuda::add_of_block(checked, &work.counts->checked);
    cuda::add_of_block(lanes, &work.counts->lanes);
    cuda::add_of_block(find.claims, &work.counts->claims);
  }
}

template <bool kParents, bool kCount, typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    bottom_up_by_rows(const __grid_constant__ RowsView<Offset> csc, std::uint64_t halves,
                      const __grid_constant__ Exploration work) {
  unsigned long long checked = 0;
  const auto visit = [&](std::uint64_t half, half_t bits) {
    half_t found = 0;
    for_each_row(csc, half, bits, [&](unsigned lane, Offset begin, Offset end) {
      const Hit hit = look_by_warp<kCount>(work.in, csc.entries, begin, end, checked);
      if (!hit.is) return;
      found |= half_t{1} << lane;
      if (kParents && lane_id() == lane) work.found_by[half * kHalfBits + lane] = hit.parent;
    });
    return found;
  };
  for_each_half(
      halves, 1, [&](std::uint64_t half) { return ~work.visited[half]; }, visit,
      [&](std::uint64_t half, half_t found) { work.out[half] = found; });
  if constexpr (kCount) cuda::add_of_block(checked, &work.counts->checked);
}

// Returns the blocks in which every half has a warp, up to 2^31 threads, which 32 bits number.
unsigned blocks_of_warps(std::uint64_t halves) {
  const std::uint64_t blocks = (halves * cuda::kWarp + kBlockThreads - 1) / kBlockThreads;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, (1U << 31) / kBlockThreads));
}

template <VisitedRead kRead, typename Offset>
void load_width() {
  load_now(
      top_down_by_rows<true, true, kRead, Offset>, top_down_by_rows<true, false, kRead, Offset>,
      top_down_by_rows<false, true, kRead, Offset>, top_down_by_rows<false, false, kRead, Offset>,
      bottom_up_by_rows<true, true, Offset>, bottom_up_by_rows<true, false, Offset>,
      bottom_up_by_rows<false, true, Offset>, bottom_up_by_rows<false, false, Offset>);
}

}  // namespace

template <typename Offset>
void explore_top_down_by_rows(const RowsView<Offset>& csr, std::uint64_t tails,
                              const Exploration& args, const cuda::Stream& stream) {
  const std::uint64_t halves = tails / kHalfBits;
  choose_read(args.forms, [&]<VisitedRead kRead>() {
    choose(args, [&]<bool kParents, bool kCount>() {
      BFSLAB_LAUNCH((top_down_by_rows<kParents, kCount, kRead, Offset>), blocks_of_warps(halves),
                    stream, csr, halves, args);
    });
  });
}

template <typename Offset>
void explore_bottom_up_by_rows(const RowsView<Offset>& csc, std::uint64_t heads,
                               const Exploration& args, const cuda::Stream& stream) {
  const std::uint64_t halves = heads / kHalfBits;
  choose(args, [&]<bool kParents, bool kCount>() {
    BFSLAB_LAUNCH((bottom_up_by_rows<kParents, kCount, Offset>), blocks_of_warps(halves), stream,
                  csc, halves, args);
  });
}

template void explore_top_down_by_rows(const RowsView<std::uint32_t>&, std::uint64_t,
                                       const Exploration&, const cuda::Stream&);
template void explore_top_down_by_rows(const RowsView<std::uint64_t>&, std::uint64_t,
                                       const Exploration&, const cuda::Stream&);
template void explore_bottom_up_by_rows(const RowsView<std::uint32_t>&, std::uint64_t,
                                        const Exploration&, const cuda::Stream&);
template void explore_bottom_up_by_rows(const RowsView<std::uint64_t>&, std::uint64_t,
                                        const Exploration&, const cuda::Stream&);

void load_explorations_by_rows(const Forms& forms) {
  choose_read(forms, [&]<VisitedRead kRead>() {
    load_width<kRead, std::uint32_t>();
    load_width<kRead, std::uint64_t>();
  });
}

}  // namespace bfslab::distributed::grid2d
