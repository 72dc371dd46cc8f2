// SPDX-License-Identifier: Apache-2.0
// Thread-centric balance without its cliff: as in thread_centric.cuh, a thread takes the entries
// that a shared counter hands out, but looks at no more than kThreadRow neighbours alone. The whole
// warp looks at the rest of a row. The whole block takes rests longer than kWarpRow after its other
// work, with four neighbours per thread in flight. The lanes of a warp fetch together, by one
// atomic, and so stay together.
//
// XBFS finds that one thread per row is best, since a bottom-up row is seldom read to its end
// (section 5.1.2). If such a row is a hub's, its thread keeps the whole GPU waiting: a row of 10.8
// M neighbours takes most of a second. Degree classes avoid this by sorting all rows by degree
// before any look; here only rows that were looked at in vain are passed on.
//
// Cost: thread-centric's, and a ballot per 32 entries; 16 bytes of shared memory and two barriers
// of the block per row that a block takes. A block stores kMaxRows of them; warps take the others.
#pragma once

#include "kernels/cuda/bottom_up/look.cuh"

namespace bfslab::cuda {

struct ThreadBounded {
  static constexpr edge_t kThreadRow = 128;
  static constexpr edge_t kWarpRow = 4096;
  static constexpr unsigned kMaxRows = 128;

  template <typename L>
  __device__ static void run(const BottomUp& work, L& looker) {
    __shared__ UnfinishedRow rows[kMaxRows];
    __shared__ unsigned listed;
    __shared__ vertex_t met[2];
    if (threadIdx.x == 0) listed = 0;
    __syncthreads();
    hand_out_entries(work, looker, [&](bool has_item, unsigned i) {
      UnfinishedRow row;
      if (has_item) row = looker.by_thread(work.queue.entries[i], kThreadRow);
      unsigned left = __ballot_sync(kAllLanes, row.begin < row.end);
      while (left != 0) {
        const int owner = __ffs(static_cast<int>(left)) - 1;
        left &= left - 1;
        const UnfinishedRow of_owner = row.of_lane(owner);
        if (of_owner.end - of_owner.begin > kWarpRow && list_row(of_owner, rows, &listed)) continue;
        looker.by_warp(of_owner, static_cast<unsigned>(owner));
      }
    });
    __syncthreads();
    const unsigned count = min(listed, kMaxRows);
    for (unsigned i = 0; i < count; ++i) looker.template by_block<4>(rows[i], met);
  }

 private:
  // Hands out the entries of work.queue's only region: a thread takes entry t first, then the next
  // of the shared counter. All lanes of a warp call take(has_item, i) together; `has_item`: the
  // lane has an entry.
  template <typename L, typename Take>
  __device__ static void hand_out_entries(const BottomUp& work, L& looker, Take&& take) {
    const unsigned count = work.queued[0];
    unsigned i = thread_in_grid();
    while (const unsigned busy = __ballot_sync(kAllLanes, i < count)) {
      const bool has_item = i < count;
      take(has_item, i);
      __syncwarp();
      unsigned first = 0;
      if (lane_id() == 0) first = looker.take_ticket(static_cast<unsigned>(__popc(busy)));
      first = threads_in_grid() + __shfl_sync(kAllLanes, first, 0);
      if (has_item) i = first + __popc(busy & lanes_below());
    }
  }

  // Lists a row for the block. Returns false if there is no room. Called by all lanes of the warp.
  __device__ static bool list_row(const UnfinishedRow& row, UnfinishedRow* rows, unsigned* listed) {
    unsigned place = 0;
    if (lane_id() == 0) {
      place = atomicAdd(listed, 1U);
      if (place < kMaxRows) rows[place] = row;
    }
    return __shfl_sync(kAllLanes, place, 0) < kMaxRows;
  }
};

}  // namespace bfslab::cuda
