// SPDX-License-Identifier: Apache-2.0
// ExploreFrontier() on a GPU in our form, `exploration = equal_shares`; Algorithm 4 of
// graph500-romeo as published is in explore_rows.cu. In both a warp takes the 32 bits of half a
// word of the bitmap, one per lane, and skips it if all are 0.
//
// Top-down, the warp concatenates the entries of its rows and its lanes take them in turn, so that
// neighbouring lanes read neighbouring entries and short rows leave no lane idle. Bottom-up, a lane
// reads the first entry of its vertex's row and then the next kTries; the warp reads the rest
// together, 32 at a time. All stop at the first entry in In. In both, a row of more than kPiece
// entries is listed in pieces; a second kernel gives each piece to a block, so that a hub occupies
// no single thread or warp.
//
// Cost: that of explore.hpp. A find costs one atomic top-down, and none bottom-up except in pieces.
// Both read the whole bitmap, whatever it contains.
//
// Deviations from Algorithm 4, beyond those of explore_rows.cu: a scan joins the rows, of which the
// warp reads one at a time there, and long rows have a second kernel.
#include <cstdint>

#include "kernels/distributed/engines/grid2d/finds.cuh"

namespace bfslab::distributed::grid2d {
namespace {

using cuda::kAllLanes;
using cuda::kBlockThreads;
using cuda::lane_id;

constexpr unsigned kTries = 7;  // entries that a lane reads alone after the first

// Lists the pieces of `row`, which has `length` entries. Called by a warp with equal arguments.
__device__ void list_pieces(const Exploration& work, local_t row, std::uint64_t length) {
  const auto count = static_cast<unsigned>((length + kPiece - 1) / kPiece);
  unsigned first = 0;
  if (lane_id() == 0) first = atomicAdd(&work.counts->pieces, count);
  first = __shfl_sync(kAllLanes, first, 0);
  for (unsigned i = lane_id(); i < count; i += cuda::kWarp) work.pieces[first + i] = {row, i};
}

// Returns the lane that holds entry i of the warp's entries: the first lane with `upto` > i. Lane l
// holds entries upto[l - 1] to upto[l] - 1. Called by all lanes, each with its own i.
__device__ int lane_that_holds(unsigned i, unsigned upto) {
  int lane = 0;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    if (__shfl_sync(kAllLanes, upto, lane + step - 1) <= i) lane += step;
  }
  return lane;
}

template <bool kParents, bool kCount, VisitedRead kRead, typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    top_down(const __grid_constant__ RowsView<Offset> csr, std::uint64_t halves, unsigned a_turn,
             const __grid_constant__ Exploration work) {
  Find<kParents, kRead> find{work};
  unsigned long long checked = 0;
  unsigned long long lanes = 0;
  const auto visit = [&](std::uint64_t half, half_t bits) {
    const auto first_row = static_cast<local_t>(half * kHalfBits);
    const local_t row = first_row + lane_id();
    Offset begin = 0;
    Offset length = 0;
    if (((bits >> lane_id()) & 1U) != 0) {
      begin = csr.offsets[row];
      length = csr.offsets[std::uint64_t{row} + 1] - begin;
    }
    if constexpr (kCount) checked += length;
    unsigned longer = __ballot_sync(kAllLanes, length > kPiece);
    while (longer != 0) {
      const int lane = __ffs(static_cast<int>(longer)) - 1;
      longer &= longer - 1;
      list_pieces(work, first_row + static_cast<unsigned>(lane),
                  __shfl_sync(kAllLanes, length, lane));
    }
    const unsigned own_length = length > kPiece ? 0 : static_cast<unsigned>(length);
    const unsigned upto = cuda::inclusive_of_warp(own_length);
    const unsigned all = __shfl_sync(kAllLanes, upto, 31);
    for (unsigned base = 0; base < all; base += cuda::kWarp) {
      const unsigned i = base + lane_id();
      const int holder = lane_that_holds(i, upto);
      const Offset of_row = __shfl_sync(kAllLanes, begin, holder);
      const unsigned before = __shfl_sync(kAllLanes, upto - own_length, holder);
      if constexpr (kCount) ++lanes;
      if (i < all) {
        const local_t to[1] = {csr.entries[of_row + (i - before)]};
        if (find.open_among(to) != 0) find.found(first_row + static_cast<unsigned>(holder), to[0]);
      }
      __syncwarp();
    }
  };
  for_each_half(
      halves, a_turn, [&](std::uint64_t half) { return work.in[half]; }, visit);
  if constexpr (kCount) {
    cuda::add_of_block(checked, &work.counts->checked);
    cuda::add_of_block(lanes, &work.counts->lanes);
    cuda::add_of_block(find.claims, &work.counts->claims);
  }
}

template <bool kParents, bool kCount, VisitedRead kRead, typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    top_down_pieces(const __grid_constant__ RowsView<Offset> csr,
                    const __grid_constant__ Exploration work) {
  Find<kParents, kRead> find{work};
  unsigned long long lanes = 0;
  const unsigned count = work.counts->pieces;
  for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
    const RowPiece piece = work.pieces[i];
    const std::uint64_t begin = csr.offsets[piece.row] + std::uint64_t{piece.number} * kPiece;
    const std::uint64_t row_end = csr.offsets[std::uint64_t{piece.row} + 1];
    const std::uint64_t end = min(begin + kPiece, row_end);
    cuda::visit_edges(find, Columns{csr.entries},
                      cuda::EdgeRange{.u = piece.row, .begin = begin, .end = end}, threadIdx.x,
                      kBlockThreads);
    if constexpr (kCount) lanes += (end - begin + kBlockThreads - 1) / kBlockThreads;
  }
  if constexpr (kCount) {
    cuda::add_of_block(lanes, &work.counts->lanes);
    cuda::add_of_block(find.claims, &work.counts->claims);
  }
}

template <bool kParents, bool kCount, typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    bottom_up(const __grid_constant__ RowsView<Offset> csc, std::uint64_t halves, unsigned a_turn,
              const local_t* __restrict__ firsts, const half_t* __restrict__ without,
              const __grid_constant__ Exploration work) {
  unsigned long long checked = 0;
  const auto visit = [&](std::uint64_t half, half_t bits) {
    const auto first_row = static_cast<local_t>(half * kHalfBits);
    const local_t row = first_row + lane_id();
    const bool looks = ((bits >> lane_id()) & 1U) != 0;
    bool hit = false;
    local_t parent = 0;
    Offset at = 0, end = 0;  // remaining entries of the row
    if (looks) {
      parent = firsts[row];
      hit = is_set(work.in, parent);
      if constexpr (kCount) ++checked;
      if (!hit) {
        at = csc.offsets[row] + 1;
        end = csc.offsets[std::uint64_t{row} + 1];
        const Offset upto = end - at > kTries ? at + kTries : end;
        while (at < upto && !hit) {
          parent = csc.entries[at++];
          hit = is_set(work.in, parent);
          if constexpr (kCount) ++checked;
        }
      }
    }
    unsigned left = __ballot_sync(kAllLanes, !hit && at < end);
    while (left != 0) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      left &= left - 1;
      const Offset from = __shfl_sync(kAllLanes, at, owner);
      const Offset to = __shfl_sync(kAllLanes, end, owner);
      if (to - from > kPiece) {
        list_pieces(work, first_row + static_cast<unsigned>(owner), to - from);
        continue;
      }
      const Hit by_warp = look_by_warp<kCount>(work.in, csc.entries, from, to, checked);
      if (by_warp.is && lane_id() == static_cast<unsigned>(owner)) {
        hit = true;
        parent = by_warp.parent;
      }
    }
    if (kParents && hit) work.found_by[row] = parent;
    return __ballot_sync(kAllLanes, hit);
  };
  for_each_half(
      halves, a_turn, [&](std::uint64_t half) { return ~(work.visited[half] | without[half]); },
      visit, [&](std::uint64_t half, half_t found) { work.out[half] = found; });
  if constexpr (kCount) cuda::add_of_block(checked, &work.counts->checked);
}

// The lane of a listed row has already looked at the first 1 + kTries entries.
template <bool kParents, bool kCount, typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    bottom_up_pieces(const __grid_constant__ RowsView<Offset> csc,
                     const __grid_constant__ Exploration work) {
  unsigned long long checked = 0;
  const unsigned count = work.counts->pieces;
  for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
    const RowPiece piece = work.pieces[i];
    const std::uint64_t begin =
        csc.offsets[piece.row] + std::uint64_t{piece.number} * kPiece + 1 + kTries;
    const std::uint64_t row_end = csc.offsets[std::uint64_t{piece.row} + 1];
    const std::uint64_t end = min(begin + kPiece, row_end);
    for (std::uint64_t e = begin + threadIdx.x; e < end; e += kBlockThreads) {
      if (is_claimed(work, piece.row)) break;
      const local_t u = csc.entries[e];
      if constexpr (kCount) ++checked;
      if (!is_set(work.in, u)) continue;
      claim<kParents>(work, piece.row, u);
      break;
    }
  }
  if constexpr (kCount) {
    __syncthreads();
    cuda::add_of_block(checked, &work.counts->checked);
  }
}

template <bool kParents, bool kCount, VisitedRead kRead, typename Offset>
void load_all() {
  load_now(top_down<kParents, kCount, kRead, Offset>,
           top_down_pieces<kParents, kCount, kRead, Offset>, bottom_up<kParents, kCount, Offset>,
           bottom_up_pieces<kParents, kCount, Offset>);
}
template <VisitedRead kRead, typename Offset>
void load_of_width() {
  load_all<true, true, kRead, Offset>();
  load_all<true, false, kRead, Offset>();
  load_all<false, true, kRead, Offset>();
  load_all<false, false, kRead, Offset>();
}

unsigned blocks_for_pieces(std::uint64_t pieces) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(pieces, 1, cuda::full_grid()));
}

}  // namespace

template <typename Offset>
void explore_top_down(const RowsView<Offset>& csr, std::uint64_t tails, const Exploration& args,
                      const cuda::Stream& stream) {
  if (args.forms.sharing == Sharing::warp_per_row) {
    return explore_top_down_by_rows(csr, tails, args, stream);
  }
  const std::uint64_t halves = tails / kHalfBits;
  const unsigned a_turn = halves_a_turn(halves);
  choose_read(args.forms, [&]<VisitedRead kRead>() {
    choose(args, [&]<bool kParents, bool kCount>() {
      BFSLAB_LAUNCH((top_down<kParents, kCount, kRead, Offset>), blocks_for_halves(halves, a_turn),
                    stream, csr, halves, a_turn, args);
      if (args.pieces == nullptr) return;
      BFSLAB_LAUNCH((top_down_pieces<kParents, kCount, kRead, Offset>),
                    blocks_for_pieces(args.max_pieces), stream, csr, args);
    });
  });
}

template <typename Offset>
void explore_bottom_up(const RowsView<Offset>& csc, std::uint64_t heads, const local_t* first,
                       const half_t* without, const Exploration& args, const cuda::Stream& stream) {
  if (args.forms.sharing == Sharing::warp_per_row) {
    return explore_bottom_up_by_rows(csc, heads, args, stream);
  }
  const std::uint64_t halves = heads / kHalfBits;
  const unsigned a_turn = halves_a_turn(halves);
  choose(args, [&]<bool kParents, bool kCount>() {
    BFSLAB_LAUNCH((bottom_up<kParents, kCount, Offset>), blocks_for_halves(halves, a_turn), stream,
                  csc, halves, a_turn, first, without, args);
    if (args.pieces == nullptr) return;
    BFSLAB_LAUNCH((bottom_up_pieces<kParents, kCount, Offset>), blocks_for_pieces(args.max_pieces),
                  stream, csc, args);
  });
}

template void explore_top_down(const RowsView<std::uint32_t>&, std::uint64_t, const Exploration&,
                               const cuda::Stream&);
template void explore_top_down(const RowsView<std::uint64_t>&, std::uint64_t, const Exploration&,
                               const cuda::Stream&);
template void explore_bottom_up(const RowsView<std::uint32_t>&, std::uint64_t, const local_t*,
                                const half_t*, const Exploration&, const cuda::Stream&);
template void explore_bottom_up(const RowsView<std::uint64_t>&, std::uint64_t, const local_t*,
                                const half_t*, const Exploration&, const cuda::Stream&);

void load_explorations(const Forms& forms) {
  if (forms.sharing == Sharing::warp_per_row) return load_explorations_by_rows(forms);
  choose_read(forms, [&]<VisitedRead kRead>() {
    load_of_width<kRead, std::uint32_t>();
    load_of_width<kRead, std::uint64_t>();
  });
}

}  // namespace bfslab::distributed::grid2d
