// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/delegate/device_levels.cuh"

#include <algorithm>

#include "kernels/cuda/expand/merge_path.cuh"
#include "kernels/cuda/expand/thread.cuh"
#include "kernels/distributed/communicator/device_team.cuh"

namespace bfslab::distributed::delegate {

namespace {

// What all blocks know of a level, each in its shared memory.
struct Course {
  Wanted wanted;
  bool delegates = false;  // in the frontier, of all members alike
  PerEdgeClass<bool> active;
  Backward backward;
  Unvisited unvisited;
  unsigned long long frontier = 0;  // of this member, delegates included
  bool over = false;
};

__device__ bool first_of_grid() { return cuda::thread_in_grid() == 0; }

__device__ void mark(const DeviceLevels& of, level_t level, unsigned which) {
  if (of.records != nullptr && level < of.most_records && first_of_grid()) {
    if (which == 0) of.records[level] = {};
    of.records[level].ns[which] = cuda::device_ns();
  }
}

// What the others sent in the level before.
__device__ void take_lists(const DeviceLevels& of, level_t level) {
  const unsigned members = of.team.members;
  for (unsigned from = 0; from < members; ++from) {
    if (from == of.team.me) continue;
    const auto upto = [&](unsigned turn) {
      return of_peer(of.of.sent_upto[from] + turn % kTurns * members + of.team.me);
    };
    const std::uint32_t end = upto(level + kTurns - 1);
    for (std::size_t i = upto(level + kTurns - 2) + cuda::thread_in_grid(); i < end;
         i += cuda::threads_in_grid()) {
      if (of.sent.carried != nullptr) {
        // The vertex in the lower half, its parent in the upper.
        const auto both = of_peer(reinterpret_cast<const std::uint64_t*>(of.of.sent[from]) + i);
        const local_vertex_t v = of.places.place(static_cast<local_vertex_t>(both));
        if (of.normals.open(v)) of.normals.take(v, static_cast<vertex_t>(both >> 32));
      } else {
        const local_vertex_t v =
            of.places.place(of_peer(reinterpret_cast<const local_vertex_t*>(of.of.sent[from]) + i));
        if (of.normals.open(v)) of.normals.take(v, kNoVertex);
      }
    }
  }
}

// By one thread of the block.
__device__ void plan(const DeviceLevels& of, const Counts& seen, Course& course) {
  const PerEdgeClass<Workload> work = workloads(seen, course.unvisited);
  for (std::size_t i = 0; i < kEdgeClasses; ++i) {
    const auto subgraph = static_cast<EdgeClass>(i);
    course.active[subgraph] = work[subgraph].frontier > 0;
    if (subgraph == EdgeClass::nn) continue;
    course.backward[subgraph] = of.rule.turns(subgraph, course.backward[subgraph], work[subgraph]);
  }
  course.delegates = seen.delegates > 0;
  course.frontier = seen.normals + seen.delegates;
}

// This and the next ones, which are called once or twice a level, are functions of their own: each
// has all registers for its loops. Visits backward are not, since kernel parameters take none.
template <typename Column, typename Action>
__device__ __noinline__ void visit_forward(const EitherView<Column>& graph, local_vertex_t* entries,
                                           const std::uint32_t* count,
                                           const cuda::ExpandScratch& scratch, Action action) {
  __syncthreads();  // a visit before may still read the block's sums
  const EitherView<Column> own_graph = graph;
  const cuda::RowsOf<EitherView<Column>> rows{own_graph};
  cuda::MergePathExpansion(scratch).run_whole(rows, cuda::QueueView{entries, {}}, count, action);
  action.finish();
}

// From normal vertices.
template <typename Column, typename Action>
__device__ __noinline__ void visit_rows(const DeviceLevels& of, const EitherView<Column>& graph,
                                        const std::uint32_t* count,
                                        const cuda::ExpandScratch& scratch, Action action) {
  if (!of.short_rows) {
    visit_forward(graph, of.begin.queue, count, scratch, action);
    return;
  }
  const EitherView<Column> own_graph = graph;
  const cuda::RowsOf<EitherView<Column>> rows{own_graph};
  cuda::ThreadExpansion({}).run<cuda::GridScope>(rows, of.begin.queue, *count, action);
  action.finish();
}

__device__ __noinline__ void take_apart(const DeviceLevels& of, level_t level, Counts* now) {
  LevelSums sums;
  of.begin.take_delegates(
      [&of, level](std::size_t word) {
        *reinterpret_cast<uint4*>(of.found[level % 2] + word) = uint4{};
        uint4 bits{};
        for (unsigned m = 0; m < of.team.members; ++m) {
          const uint4 theirs = four_of_peer(of.of.found[(level + 1) % 2][m] + word);
          bits = make_uint4(bits.x | theirs.x, bits.y | theirs.y, bits.z | theirs.z,
                            bits.w | theirs.w);
        }
        return bits;
      },
      level, sums);
  // What lists brought is there.
  if (of.team.members > 1 || of.records != nullptr) cuda::barrier_of_grid();
  mark(of, level, 2);
  of.begin.take_normals(level, sums);
  sums.add_to(*now);
}

__device__ __noinline__ void queue_apart(const DeviceLevels& of, const Wanted& wanted,
                                         Counts* now) {
  EdgeSums edges;
  of.begin.queue_delegates(wanted, *now, edges);
  of.begin.queue_normals(wanted, *now, edges);
  edges.add_to(*now);
}

// How much of the time from `since` on is no part of the search.
__device__ void leave_out(const DeviceLevels& of, level_t level, unsigned long long since) {
  if (level < of.most_records && first_of_grid()) {
    of.records[level].told_ns += cuda::device_ns() - since;
  }
}

// How many normal vertices were found until now, by dn alone.
__device__ __noinline__ void tell_found(const DeviceLevels& of, level_t level, Counts* now) {
  const unsigned long long since = cuda::device_ns();
  unsigned long long found = 0;
  for (std::size_t w = cuda::thread_in_grid(); w < of.begin.normal_words;
       w += cuda::threads_in_grid()) {
    found += __popc(fresh(of.begin.reached + w) & ~of.begin.reached_before[w]);
  }
  cuda::add_of_block(found, &now->found_by_dn);
  cuda::barrier_of_grid();
  leave_out(of, level, since);
}

// The edges of all sources.
__device__ __noinline__ void tell_edges(const DeviceLevels& of, level_t level, Counts* now) {
  const unsigned long long since = cuda::device_ns();
  of.begin.tell(*now);
  cuda::barrier_of_grid();
  leave_out(of, level, since);
}

// Of the two visits that follow one another, each has sums of its own. `meetings` were held before,
// and are held after; false: a member gave up.
__device__ bool visit(const DeviceLevels& of, const Course& course, level_t level, Counts* now,
                      std::uint64_t& meetings) {
  const LevelBegin& begin = of.begin;
  const bool told = of.records != nullptr;
  const DelegateView delegates{begin.visited, of.found[level % 2], of.delegate_parents, of.names};
  const auto checked = [now](EdgeClass subgraph) {
    return &now->checked[static_cast<std::size_t>(subgraph)];
  };
  const bool meets = of.team.members > 1 && course.delegates;
  const bool looks = course.active[EdgeClass::dd] && course.backward[EdgeClass::dd];
  if (course.active[EdgeClass::dn]) {
    if (course.backward[EdgeClass::dn]) {
      look_through(begin.nd, of.dn_look, begin.normal_words, checked(EdgeClass::dn));
    } else {
      visit_forward(begin.dn, begin.list, &now->listed, of.other_sums,
                    TakeNormals{of.normals, of.names});
    }
  }
  if (course.active[EdgeClass::dd] && !looks) {
    visit_forward(begin.dd, begin.list, &now->listed, of.sums,
                  MarkDelegates<true>{delegates, of.normal_names});
  }
  for (Among::Whom whom = meets ? Among::own : Among::all;; whom = Among::others) {
    if (looks) {
      look_through(begin.dd, of.dd_look[level % 2][whom], begin.delegate_words,
                   checked(EdgeClass::dd));
    }
    if (whom != Among::own) break;
    if (!meet(of.team, ++meetings, [] {})) return false;
  }
  const bool more = course.active[EdgeClass::nd] || course.active[EdgeClass::nn];
  if (!meets && (more || told)) cuda::barrier_of_grid();  // the sums are written again
  if (told) tell_found(of, level, now);
  if (course.active[EdgeClass::nd]) {
    if (course.backward[EdgeClass::nd]) {
      look_through(begin.dn, of.nd_look[level % 2], begin.delegate_words, checked(EdgeClass::nd));
    } else {
      visit_rows(of, begin.nd, &now->queued, of.sums,
                 MarkDelegates<false>{delegates, of.normal_names});
    }
  }
  if (course.active[EdgeClass::nn]) {
    visit_rows(of, begin.nn, &now->queued, of.other_sums,
               TakeOrSend{of.normals, of.own, of.normal_names, of.sent});
  }
  return true;
}

// By one thread: the level is over, on all members.
__device__ void note(const DeviceLevels& of, const Course& course, level_t level,
                     const Counts& counts) {
  if (of.records == nullptr || level >= of.most_records) return;
  DeviceLevelRecord& record = of.records[level];
  record.counts = counts;
  record.active = course.active;
  record.backward = course.backward;
  record.sent = 0;
  for (unsigned to = 0; of.team.members > 1 && to < of.team.members; ++to) {
    const auto upto = [&](unsigned turn) {
      return of.sent_upto[turn % kTurns * of.team.members + to];
    };
    record.sent += upto(level) - upto(level + kTurns - 1);
  }
}

// By one thread of the block, after the meeting: whether no member had a frontier. Delegates are
// the same on all.
__device__ bool nobody_had_any(const DeviceLevels& of, const Course& course, level_t level) {
  unsigned long long others = 0;
  for (unsigned m = 0; m < of.team.members; ++m) {
    if (m != of.team.me) others += of_peer(&of.of.counts[m][level % kTurns].normals);
  }
  return course.frontier + others == 0;
}

__global__ void __launch_bounds__(kLookThreads, 4)
    run_levels(const __grid_constant__ DeviceLevels of) {
  __shared__ alignas(Course) std::byte course_bytes[sizeof(Course)];
  Course& course = *reinterpret_cast<Course*>(course_bytes);
  if (threadIdx.x == 0) {
    course = Course{};
    course.unvisited = of.sources;
  }
  std::uint64_t meetings = of.meetings + 1;
  bool together = meet(of.team, meetings, [] {});  // all have reset what is theirs
  const bool alone = of.team.members == 1;
  level_t level = 0;
  for (; together; ++level) {
    Counts* const now = of.counts + level % kTurns;
    mark(of, level, 0);
    if (!alone && level > 0) {
      take_lists(of, level);
      if (of.records != nullptr) cuda::barrier_of_grid();
    }
    mark(of, level, 1);
    take_apart(of, level, now);
    cuda::barrier_of_grid();
    if (threadIdx.x == 0) {
      course.wanted = left_to_do(*now, course.unvisited, of.rule, course.backward);
    }
    __syncthreads();
    if (of.records != nullptr) tell_edges(of, level, now);
    queue_apart(of, course.wanted, now);
    cuda::barrier_of_grid();
    if (threadIdx.x == 0) plan(of, *now, course);
    __syncthreads();
    if (alone && course.frontier == 0) break;
    together = visit(of, course, level, now, meetings);
    if (!together) break;
    mark(of, level, 3);
    if (first_of_grid()) of.counts[(level + 1) % kTurns] = Counts{};
    together = meet(of.team, ++meetings, [&of, level] {
      if (threadIdx.x < of.team.members) {
        of.sent_upto[level % kTurns * of.team.members + threadIdx.x] =
            fresh(of.sent.count + threadIdx.x);
      }
    });
    mark(of, level, 4);
    if (first_of_grid()) note(of, course, level, *now);
    if (!alone && together) {
      __syncthreads();  // `over` may still be read
      if (threadIdx.x == 0) course.over = nobody_had_any(of, course, level);
      __syncthreads();
      if (course.over) break;
    }
  }
  if (first_of_grid()) *of.done = {level, meetings, !together};
}

}  // namespace

cuda::CooperativeKernel<DeviceLevels> device_levels(unsigned most_blocks) {
  static const unsigned blocks = cuda::blocks_at_once(&run_levels, kLookThreads, 0);
  return {&run_levels, std::min(blocks, most_blocks), kLookThreads, 0};
}

}  // namespace bfslab::distributed::delegate
