// SPDX-License-Identifier: Apache-2.0
// Small levels of a search in one kernel (one_kernel.cuh): few normal vertices, with only nn left,
// claim, label and queue what they find one by one, without a pass over all normal vertices. So are
// the last levels of a Kronecker graph and all levels of a deep graph. Members may differ in this,
// since they report the same.
#pragma once

#include "kernels/distributed/engines/delegate/one_kernel_visits.cuh"

namespace bfslab::distributed::delegate {

// Claims, labels and queues normal vertices of a small level one by one, as they are found.
struct SmallLevelFinds {
  NormalView normals;
  LabelView labels;
  level_t level = 0;                       // the level of the finds
  const std::uint32_t* sources = nullptr;  // bits: with edges in nn
  local_vertex_t* queue = nullptr;         // where those of the level begin
  SmallLevelCounts* counts = nullptr;
  std::uint32_t own = 0;  // finds of the thread

  __device__ void claim(local_vertex_t v, vertex_t parent) {
    const std::uint32_t bit = 1U << v % 32;
    if ((atomicOr(normals.reached + v / 32, bit) & bit) != 0) return;
    cuda::stress_pause();
    if (normals.parents != nullptr) normals.parents[v] = parent;
    labels.set_one(v, level);
    ++own;
    if (test(sources, v)) queue[cuda::append_place(&counts->queued[level % kLevelSlots])] = v;
  }
  // Counts what was claimed. Called by all lanes of a warp after all claims.
  __device__ void finish() const {
    const std::uint32_t all = cuda::sum_of_warp(own);
    if (lane_id() == 0 && all > 0) atomicAdd(&counts->found[level % kLevelSlots], all);
  }
};

// Action of nn in a small level: claims vertices of this member and sends others.
struct ClaimOrSend {
  static constexpr int kBatch = TakeOrSend::kBatch;
  TakeOrSend send;
  SmallLevelFinds finds;

  template <typename To, int kCount>
  __device__ __forceinline__ unsigned open_among(const To (&to)[kCount]) const {
    return send.open_among(to);
  }
  template <typename To>
  __device__ __forceinline__ void found(vertex_t from, To to) {
    if (NormalEnd{to}.owner() != send.me) return send.found(from, to);
    finds.claim(NormalEnd{to}.local(), send.names.name(from));
  }
  __device__ void finish() const { finds.finish(); }
};
static_assert(cuda::EdgeAction<ClaimOrSend>);

inline constexpr std::uint32_t kMaxSmall = 1U << 16;  // normal vertices with edges in nn

// Returns true if the level that begins is small. A search that is recorded has all steps.
__device__ inline bool is_small(const OneKernelArgs& args, const LevelState& state) {
  return args.records == nullptr && args.short_rows && state.unvisited_delegates == 0 &&
         state.delegates == 0 && state.queue_end - state.queue_begin <= kMaxSmall;
}

enum class SmallEnd : std::uint8_t { over, gave_up, grown };

// Runs small levels until the search is over, or until a level is not small: its vertices are then
// queued as those of any other, for visit().
__device__ inline SmallEnd search_small(const OneKernelArgs& args, LevelState& state) {
  const bool alone = args.team.members == 1;
  const LevelBegin& begin = args.begin;
  if (first_of_grid()) *args.small = SmallLevelCounts{};
  cuda::barrier_of_grid();
  for (;;) {
    SmallLevelFinds finds{.normals = args.normals,
                          .labels = begin.labels,
                          .level = state.level + 1,
                          .sources = begin.nn_sources,
                          .queue = begin.queue + state.queue_end,
                          .counts = args.small};
    visit_short_rows(args, state, begin.nn, ClaimOrSend{take_or_send(args), finds});
    if (first_of_grid()) {  // the counts of the level before are not read any more
      args.small->found[(state.level + 2) % kLevelSlots] =
          args.small->queued[(state.level + 2) % kLevelSlots] = 0;
    }
    if (!meet_next(args, state, [&args, &state] { send_reports(args, state); }))
      return SmallEnd::gave_up;
    if (!alone && no_frontier_left(args, state)) return SmallEnd::over;
    __syncthreads();  // `level` was read
    if (threadIdx.x == 0) {
      ++state.level;
      state.queue_begin = state.queue_end;
    }
    __syncthreads();
    if (!alone) {
      take_lists(args, state,
                 [&finds](local_vertex_t place, vertex_t parent) { finds.claim(place, parent); });
      finds.finish();
      cuda::barrier_of_grid();
    }
    if (threadIdx.x == 0) {
      state.frontier = fresh(&args.small->found[state.level % kLevelSlots]);
      state.queue_end = state.queue_begin + fresh(&args.small->queued[state.level % kLevelSlots]);
    }
    __syncthreads();
    if (alone && state.frontier == 0) return SmallEnd::over;
    if (state.queue_end - state.queue_begin > kMaxSmall) break;
  }
  // The passes of the next level look for what is reached from now on.
  for (std::size_t w = cuda::thread_in_grid(); w < begin.normal_words;
       w += cuda::threads_in_grid()) {
    begin.reached_before[w] = fresh(begin.reached + w);
  }
  cuda::barrier_of_grid();
  if (threadIdx.x == 0) {
    state.active = {};
    state.active[EdgeClass::nn] = true;
  }
  __syncthreads();
  return SmallEnd::grown;
}

}  // namespace bfslab::distributed::delegate
