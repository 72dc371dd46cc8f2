// SPDX-License-Identifier: Apache-2.0
// The visits of a level in one kernel (one_kernel.cuh): dn, dd, nd and nn, each forward or
// backward, with the second meeting after the owners' part of dd.
#pragma once

#include "kernels/cuda/expand/merge_path.cuh"
#include "kernels/cuda/expand/thread.cuh"
#include "kernels/distributed/engines/delegate/backward_rows.cuh"
#include "kernels/distributed/engines/delegate/one_kernel_exchange.cuh"

namespace bfslab::distributed::delegate {

inline constexpr unsigned kMinDelegatesToMeet = 64;  // in a frontier, for a second meeting

// Visits the rows of `count` entries by merge path.
//
// Steps of a level are inlined into the kernel: there its parameters take no registers and are
// known to point to global memory, where an atomic need not return anything. Only what records
// need, and what is seldom called, stays a function.
template <typename Column, typename Action>
__device__ __forceinline__ void visit_forward(const EitherView<Column>& graph,
                                              local_vertex_t* entries, const std::uint32_t* count,
                                              const cuda::ExpandScratch& scratch, Action action) {
  __syncthreads();  // a visit before may still read the block's sums
  const EitherView<Column> own_graph = graph;
  const cuda::RowsOf<EitherView<Column>> rows{own_graph};
  cuda::MergePathExpansion(scratch).run_whole(rows, cuda::QueueView{entries, {}}, count, action);
  action.finish();
}

// Visits the rows of the level's normal vertices, one per thread.
template <typename Column, typename Action>
__device__ __forceinline__ void visit_short_rows(const OneKernelArgs& args, const LevelState& state,
                                                 const EitherView<Column>& graph, Action action) {
  const EitherView<Column> own_graph = graph;
  const cuda::RowsOf<EitherView<Column>> rows{own_graph};
  cuda::ThreadExpansion({}).run<cuda::GridScope>(rows, args.begin.queue + state.queue_begin,
                                                 state.queue_end - state.queue_begin, action);
  action.finish();
}

template <typename Column, typename Action>
__device__ __forceinline__ void visit_rows(const OneKernelArgs& args, const LevelState& state,
                                           const EitherView<Column>& graph,
                                           const cuda::ExpandScratch& scratch, Action action) {
  if (args.short_rows) return visit_short_rows(args, state, graph, action);
  visit_forward(graph, args.begin.queue, &level_counts(args, state)->queued, scratch, action);
}

// Counts, for records, the normal vertices that were found until now: those of dn.
__device__ inline __noinline__ void count_found_by_dn(const OneKernelArgs& args, LevelCounts* now) {
  unsigned long long found = 0;
  for (std::size_t w = cuda::thread_in_grid(); w < args.begin.normal_words;
       w += cuda::threads_in_grid()) {
    found += __popc(fresh(args.begin.reached + w) & ~args.begin.reached_before[w]);
  }
  cuda::add_of_block(found, &now->found_by_dn);
}

// Has the contract of LeftRows, without registers for what is seldom needed.
struct LeftOfLevel {
  const OneKernelArgs& args;
  const LevelState& state;
  LongRowVisit which;

  [[nodiscard]] __device__ LeftRows rows() const {
    return {args.left_rows[which == long_nd], &level_counts(args, state)->left_long[which]};
  }
  [[nodiscard]] __device__ bool takes(const RestOfRow& rest) const {
    return rest.left > kLongRow && state.long_open;
  }
  __device__ void leave(const RestOfRow& rest) const { rows().leave(rest); }
};

// Lets all blocks look at the long rows that they left in `graph`; a barrier of the grid follows.
template <typename Look>
__device__ inline __noinline__ void look_at_left_of_all(const EitherView<local_vertex_t>& graph,
                                                        const Look& look, LeftRows left,
                                                        unsigned long long* checked) {
  cuda::barrier_of_grid();
  look_at_left(graph, look, left, checked);
}

__device__ inline TakeOrSend take_or_send(const OneKernelArgs& args) {
  return {args.normals, args.team.me, args.normal_names, args.sent};
}

__device__ unsigned long long* checked(const OneKernelArgs& args, const LevelState& state,
                                       EdgeClass subgraph) {
  return &level_counts(args, state)->checked[static_cast<std::size_t>(subgraph)];
}

__device__ __forceinline__ void visit_dn(const OneKernelArgs& args, const LevelState& state) {
  if (state.backward[EdgeClass::dn]) {
    look_through(args.begin.nd, args.dn_look, args.begin.normal_words, LeftRows{},
                 checked(args, state, EdgeClass::dn));
  } else {
    visit_forward(args.begin.dn, args.begin.list, &level_counts(args, state)->listed,
                  args.other_sums, TakeNormals{args.normals, args.delegates[0].names});
  }
}

__device__ __forceinline__ void visit_dd_forward(const OneKernelArgs& args,
                                                 const LevelState& state) {
  DelegateView found = args.delegates[state.level % 2];
  // Each found delegate asks if its word was touched. Where edges touch two of five groups of four
  // words, which others read at once, this costs more than that others read all words.
  constexpr unsigned kWordsPerEdge = 8;
  const auto dd = static_cast<std::size_t>(EdgeClass::dd);
  if (found.touched != nullptr &&
      level_counts(args, state)->forward[dd] >= args.begin.delegate_words / kWordsPerEdge) {
    touch_all(args, state.level);
    found.touched = nullptr;
  }
  visit_forward(args.begin.dd, args.begin.list, &level_counts(args, state)->listed, args.sums,
                MarkDelegates<true>{found, args.normal_names});
}

// Lets delegates look for parents. Long rows are looked at by all blocks afterwards.
template <typename Look>
__device__ __forceinline__ void visit_backward(const OneKernelArgs& args, const LevelState& state,
                                               EdgeClass subgraph, const Look& look,
                                               LongRowVisit which) {
  const EitherView<local_vertex_t>& rows =
      subgraph == EdgeClass::dd ? args.begin.dd : args.begin.dn;
  unsigned long long* const read = checked(args, state, subgraph);
  const LeftOfLevel left{args, state, which};
  look_through(rows, look, args.begin.delegate_words, left, read);
  if (state.long_open) look_at_left_of_all(rows, look, left.rows(), read);
}

__device__ __forceinline__ void visit_nd(const OneKernelArgs& args, const LevelState& state,
                                         bool leaves_others_alone) {
  if (state.backward[EdgeClass::nd]) {
    visit_backward(args, state, EdgeClass::nd, args.nd_look[state.level % 2][leaves_others_alone],
                   long_nd);
  } else {
    visit_rows(args, state, args.begin.nd, args.sums,
               MarkDelegates<false>{args.delegates[state.level % 2], args.normal_names});
  }
}

// Visits the active subgraphs. Visits that follow one another without a barrier between them have
// different sums. Returns false if a member gave up.
__device__ inline bool visit(const OneKernelArgs& args, LevelState& state) {
  const bool meets = args.team.members > 1 && state.unvisited_delegates > 0 &&
                     state.delegates >= kMinDelegatesToMeet;
  const bool looks = state.active[EdgeClass::dd] && state.backward[EdgeClass::dd];
  if (threadIdx.x == 0) {
    state.owners_first = meets;
    state.took_theirs = meets && looks;
  }
  if (looks || (state.active[EdgeClass::dn] && state.backward[EdgeClass::dn])) {
    args.dn_look.parents.keep();  // for dd, too
  }
  if (state.active[EdgeClass::dn]) visit_dn(args, state);
  mark(args, state.level, dn_visited);
  if (state.active[EdgeClass::dd] && !looks) visit_dd_forward(args, state);
  for (auto looking = meets ? LookingDelegates::own : LookingDelegates::all;;
       looking = LookingDelegates::others) {
    if (looks) {
      visit_backward(args, state, EdgeClass::dd,
                     state.level == 0 ? args.first_dd_look : args.dd_look[state.level % 2][looking],
                     looking == LookingDelegates::others ? long_dd_of_others : long_dd);
    }
    if (looking != LookingDelegates::own) break;
    mark(args, state.level, own_dd_visited);
    if (!meet_next(args, state, [] {})) return false;
    mark(args, state.level, met_within);
  }
  mark(args, state.level, dd_visited);
  const bool more = state.active[EdgeClass::nd] || state.active[EdgeClass::nn];
  if (!meets && more) cuda::barrier_of_grid();  // the sums are written again
  if (args.records != nullptr) count_found_by_dn(args, level_counts(args, state));
  mark(args, state.level, found_counted);
  if (state.active[EdgeClass::nd]) visit_nd(args, state, state.level == 0 || (meets && looks));
  mark(args, state.level, nd_visited);
  if (state.active[EdgeClass::nn]) {
    visit_rows(args, state, args.begin.nn, args.other_sums, take_or_send(args));
  }
  mark(args, state.level, nn_visited);
  return true;
}

}  // namespace bfslab::distributed::delegate
