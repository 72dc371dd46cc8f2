// SPDX-License-Identifier: Apache-2.0
// The level loop of a search in one kernel (one_kernel.cuh).
#include "kernels/distributed/engines/delegate/one_kernel.cuh"

#include <algorithm>

#include "kernels/distributed/engines/delegate/one_kernel_visits.cuh"
#include "kernels/distributed/engines/delegate/small_levels.cuh"

namespace bfslab::distributed::delegate {

namespace {

// Chooses the directions of a level from its counts. Called by one thread of the block.
__device__ void choose_directions(const OneKernelArgs& args, const LevelCounts& seen,
                                  LevelState& state) {
  const PerEdgeClass<Workload> work = workloads(seen, state.unvisited);
  args.rule.choose(state.backward, work);
  state.active = active_among(work);
  state.delegates = seen.delegates;
  state.unvisited_delegates -= seen.delegates;
  if (state.unvisited_delegates == 0) {
    state.active[EdgeClass::nd] = state.active[EdgeClass::dd] = false;
  }
  state.frontier = seen.normals + seen.delegates;
  state.queue_begin = 0;
  state.queue_end = seen.queued;
}

__device__ __noinline__ void sum_all_edges(const OneKernelArgs& args, LevelCounts* now) {
  args.begin.sum_all_edges(*now);
}

// Makes what was found the frontier, labelled and counted. After all delegates are visited their
// masks are not read any more: they stay as they are, and delegates leave the frontier.
__device__ __forceinline__ void label_frontier(const OneKernelArgs& args, const LevelState& state,
                                               bool chooses, LevelCounts* now) {
  LevelSums sums;
  const level_t level = state.level;
  const unsigned parity = level % 2;
  if (state.unvisited_delegates > 0) {
    const bool asks_owner = state.owners_first ? !state.took_theirs : state.backward[EdgeClass::dd];
    args.begin.take_delegates(
        [&args, level, asks_owner, parity](std::size_t word, const uint4& before) {
          if (word % 32 == 0 && args.team.members > 1)
            args.delegates[parity].touched[word / 32] = 0;
          return known_by_all(args, level, asks_owner, word, before);
        },
        args.delegates[parity].known, level, sums);
  } else if (state.delegates > 0) {  // in the frontier of the level before
    args.begin.take_no_delegates();
  }
  if (args.team.members > 1) cuda::barrier_of_grid();  // what lists brought is there
  mark(args, level, masks_taken);
  if (args.records != nullptr) sum_all_edges(args, now);
  mark(args, level, all_edges_summed);
  chooses ? args.begin.take_normals<false>(level, *now, sums)
          : args.begin.take_normals<true>(level, *now, sums);
  sums.add_to(*now);
}

// Counts and queues the first level, whose frontier is the source (ResetView). Called by the thread
// that has reset the counts.
__device__ __noinline__ void begin_with_source(const OneKernelArgs& args) {
  LevelCounts& now = args.counts[0];
  const auto add = [&now](EdgeClass subgraph, const auto& graph, local_vertex_t row) {
    const auto i = static_cast<std::size_t>(subgraph);
    const std::uint64_t edges = graph.row_offsets.degree(row);
    now.forward[i] = now.all_edges[i] = edges;
    now.frontier[i] = edges > 0 ? 1 : 0;
    return edges > 0;
  };
  const LevelBegin& begin = args.begin;
  if (args.reset.delegate != LocalWork::kNone) {
    const local_vertex_t u = args.reset.delegate;
    now.delegates = 1;
    now.own_delegates = cuda::test(begin.own, u) ? 1 : 0;
    const bool to_normals = add(EdgeClass::dn, begin.dn, u);
    const bool to_delegates = add(EdgeClass::dd, begin.dd, u);
    if (to_normals || to_delegates) begin.list[now.listed++] = u;
  } else if (args.reset.vertex != LocalWork::kNone) {
    const local_vertex_t v = args.places.place(args.reset.vertex);
    now.normals = 1;
    const bool to_normals = add(EdgeClass::nn, begin.nn, v);
    const bool to_delegates = add(EdgeClass::nd, begin.nd, v);
    if (to_normals || to_delegates) begin.queue[now.queued++] = v;
  }
}

// Labels, counts and queues the frontier of a level after the first.
__device__ void begin_level(const OneKernelArgs& args, LevelState& state) {
  LevelCounts* const now = level_counts(args, state);
  const Wanted wanted = args.rule.wanted(state.backward);
  const bool chooses = state.unvisited_delegates > 0 &&
                       (wanted.forward[EdgeClass::nd] || wanted.forward[EdgeClass::dn] ||
                        wanted.forward[EdgeClass::dd]);
  if (args.team.members > 1) {
    take_lists(args, state, [&args](local_vertex_t place, vertex_t parent) {
      args.normals.take(place, parent);
    });
  }
  mark(args, state.level, lists_taken);
  label_frontier(args, state, chooses, now);
  cuda::barrier_of_grid();
  mark(args, state.level, labelled);
  if (threadIdx.x == 0 && chooses) {
    state.wanted = wanted_of_counted(*now, state.unvisited, args.rule, state.backward);
  }
  __syncthreads();
  if (chooses) {
    args.begin.queue_frontier(state.wanted, *now);
    cuda::barrier_of_grid();
  }
  mark(args, state.level, queued);
}

// Records a level that is over on all members. Called by one thread.
__device__ void record(const OneKernelArgs& args, const LevelState& state, level_t level,
                       const LevelCounts& counts) {
  if (args.records == nullptr || level >= kMaxRecords) return;
  LevelRecord& made = args.records[level];
  made.counts = counts;
  made.active = state.active;
  made.backward = state.backward;
  for (unsigned to = 0; args.team.members > 1 && to < args.team.members; ++to) {
    made.sent_upto += fresh(args.sent.count + to);
  }
}

__global__ void __launch_bounds__(kLookThreads, 4)
    run_levels(const __grid_constant__ OneKernelArgs args) {
  __shared__ alignas(LevelState) std::byte state_bytes[sizeof(LevelState)];
  LevelState& state = *reinterpret_cast<LevelState*>(state_bytes);
  if (threadIdx.x == 0) {
    state = LevelState{};
    state.unvisited = args.sources;
    state.unvisited_delegates = args.delegate_count;
    state.meetings = args.meetings;
    state.long_open = args.long_rows.count > 0;
  }
  const std::uint32_t woken = wake_links(args.team);
  // No other member reads or writes what is reset before the first level's meeting.
  args.reset.reset(args.begin);
  await_links(woken);
  if (first_of_grid()) begin_with_source(args);
  cuda::barrier_of_grid();
  bool together = true;
  const bool alone = args.team.members == 1;
  while (together) {
    mark(args, state.level, begun);
    if (state.level > 0) {
      begin_level(args, state);
    } else {
      for (unsigned which = lists_taken; which <= queued; ++which) {
        mark(args, 0, static_cast<Mark>(which));
      }
    }
    // While one thread chooses, the others read what all need besides.
    const bool long_open = state.long_open && args.long_rows.any_open(args.begin.visited);
    if (threadIdx.x == 0) choose_directions(args, *level_counts(args, state), state);
    const bool any_open = __syncthreads_or(long_open ? 1 : 0) != 0;
    if (threadIdx.x == 0) state.long_open = any_open && state.unvisited_delegates > 0;
    __syncthreads();
    if (alone && state.frontier == 0) break;
    if (is_small(args, state)) {
      const SmallEnd ended = search_small(args, state);
      together = ended != SmallEnd::gave_up;
      if (ended != SmallEnd::grown) break;
    }
    together = visit(args, state);
    if (!together) break;
    if (first_of_grid()) args.counts[(state.level + 1) % kLevelSlots] = LevelCounts{};
    together = meet_next(args, state, [&args, &state] { send_reports(args, state); });
    mark(args, state.level, met);
    if (first_of_grid()) record(args, state, state.level, *level_counts(args, state));
    if (!alone && together && no_frontier_left(args, state)) break;
    __syncthreads();  // `level` was read
    if (threadIdx.x == 0) ++state.level;
    __syncthreads();
  }
  if (first_of_grid()) *args.done = {state.level, state.meetings, !together};
}

}  // namespace

cuda::CooperativeKernel<OneKernelArgs> one_kernel(unsigned max_blocks) {
  static const unsigned blocks = cuda::blocks_at_once(&run_levels, kLookThreads, 0);
  return {&run_levels, std::min(blocks, max_blocks), kLookThreads, 0};
}

}  // namespace bfslab::distributed::delegate
