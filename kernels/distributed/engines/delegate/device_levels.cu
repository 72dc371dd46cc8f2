// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/delegate/device_levels.cuh"

#include <algorithm>
#include <bit>

#include "kernels/cuda/expand/merge_path.cuh"
#include "kernels/cuda/expand/thread.cuh"
#include "kernels/distributed/communicator/device_team.cuh"

namespace bfslab::distributed::delegate {

namespace {

// What all blocks know of a level, each in its shared memory.
struct Course {
  Wanted wanted;
  unsigned long long delegates = 0;  // in the frontier, of all members alike
  unsigned long long unvisited_delegates = 0;
  PerEdgeClass<bool> active;
  Backward backward;
  Unvisited unvisited;
  unsigned long long frontier = 0;  // of this member, delegates included
  std::uint64_t meetings = 0;       // held
  level_t level = 0;
  // Of the level before: owners looked first in dd, and this member has taken what they found.
  bool owners_first = false;
  bool took_theirs = false;
  // A delegate with a long row is not visited.
  bool long_open = false;
  // The level's normal vertices to begin from, in the queue.
  std::uint32_t queue_begin = 0;
  std::uint32_t queue_end = 0;
  // Of the list of each member for this one, what the level before brought.
  std::uint32_t list_begin[kMostTeamMembers] = {};
  std::uint32_t list_end[kMostTeamMembers] = {};
};

// So many delegates in a frontier at least are worth a second meeting.
constexpr unsigned kWorthMeeting = 64;

// So many normal vertices with edges in nn at most are few: what they find is claimed one by one.
constexpr std::uint32_t kFew = 1U << 16;

__device__ bool first_of_grid() { return cuda::thread_in_grid() == 0; }

__device__ Counts* counts_now(const DeviceLevels& of, const Course& course) {
  return of.counts + course.level % kTurns;
}

template <typename LastWords>
__device__ bool meet_next(const DeviceLevels& of, Course& course, LastWords last_words) {
  if (threadIdx.x == 0) ++course.meetings;
  return meet(of.team, course.meetings, last_words);
}

// All threads of the grid.
__device__ __noinline__ void mark(DeviceLevelRecord* records, level_t most_records, level_t level,
                                  Mark which) {
  cuda::barrier_of_grid();
  if (level >= most_records || !first_of_grid()) return;
  if (which == begun) records[level] = {};
  records[level].ns[which] = cuda::device_ns();
}

__device__ void mark(const DeviceLevels& of, level_t level, Mark which) {
  if (of.records != nullptr) mark(of.records, of.most_records, level, which);
}

__device__ __forceinline__ void reset(const ResetView& of) { of.reset(); }

// What the others sent in the level before: their lists one after the other, so that short ones are
// under way at once, and some entries of a thread, each step of which waits for memory. take(place,
// parent) of those that are open.
template <typename Take>
__device__ __forceinline__ void take_lists(const DeviceLevels& of, const Course& course,
                                           Take take) {
  constexpr unsigned kAtOnce = 4;
  const auto from_after = [&of](unsigned other) {
    return member_after(of.team.me, other, of.team.members);
  };
  const auto size_of = [&course](unsigned from) {
    return course.list_end[from] - course.list_begin[from];
  };
  std::size_t all = 0;
  for (unsigned other = 1; other < of.team.members; ++other) all += size_of(from_after(other));
  // The vertex in the lower half, its parent in the upper.
  const auto entry = [&](std::size_t at) {
    unsigned other = 1;
    for (; at >= size_of(from_after(other)); ++other) at -= size_of(from_after(other));
    const unsigned from = from_after(other);
    at += course.list_begin[from];
    const std::byte* const list = of.received[from];
    if (of.sent.carried) {
      return of_peer(reinterpret_cast<const std::uint64_t*>(list) + at);
    }
    return std::uint64_t{kNoVertex} << 32 |
           of_peer(reinterpret_cast<const local_vertex_t*>(list) + at);
  };
  const std::size_t step = cuda::threads_in_grid();
  for (std::size_t i = cuda::thread_in_grid(); i < all; i += kAtOnce * step) {
    std::uint64_t entries[kAtOnce];
    local_vertex_t places[kAtOnce];
    bool open[kAtOnce];
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      entries[t] = i + t * step < all ? entry(i + t * step) : 0;
    }
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      places[t] = of.places.place(static_cast<local_vertex_t>(entries[t]));
    }
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      open[t] = of.normals.open(places[t]);  // past the last one's, too: no branch
    }
#pragma unroll
    for (unsigned t = 0; t < kAtOnce; ++t) {
      if (open[t] && i + t * step < all) {
        take(places[t], static_cast<vertex_t>(entries[t] >> 32));
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
  course.delegates = seen.delegates;
  course.unvisited_delegates -= seen.delegates;
  if (course.unvisited_delegates == 0) {
    course.active[EdgeClass::nd] = course.active[EdgeClass::dd] = false;
  }
  course.frontier = seen.normals + seen.delegates;
  course.queue_begin = 0;
  course.queue_end = seen.queued;
}

// Steps of a level are parts of the kernel, not functions of their own: its parameters take no
// registers there, and what they point to is known to be global memory, where an atomic need not
// return anything. Functions are only what is told, and what is seldom called.
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

// A thread takes a row, of the level's normal vertices.
template <typename Column, typename Action>
__device__ __forceinline__ void visit_short_rows(const DeviceLevels& of, const Course& course,
                                                 const EitherView<Column>& graph, Action action) {
  const EitherView<Column> own_graph = graph;
  const cuda::RowsOf<EitherView<Column>> rows{own_graph};
  cuda::ThreadExpansion({}).run<cuda::GridScope>(rows, of.begin.queue + course.queue_begin,
                                                 course.queue_end - course.queue_begin, action);
  action.finish();
}

// From normal vertices.
template <typename Column, typename Action>
__device__ __forceinline__ void visit_rows(const DeviceLevels& of, const Course& course,
                                           const EitherView<Column>& graph,
                                           const cuda::ExpandScratch& scratch, Action action) {
  if (of.short_rows) return visit_short_rows(of, course, graph, action);
  visit_forward(graph, of.begin.queue, &counts_now(of, course)->queued, scratch, action);
}

__device__ void add_bits(uint4& bits, const uint4& more) {
  bits = make_uint4(bits.x | more.x, bits.y | more.y, bits.z | more.z, bits.w | more.w);
}

// What all members know of four words of delegates since the level before, where `visited` were
// before it; of words whose delegates are all visited, what this one has. `much`: their owner has
// probably found some, and does not say where; it is asked at once. Others are where they have
// touched one of the words.
__device__ uint4 known_by_all(const DeviceLevels& of, level_t level, bool much, std::size_t word,
                              const uint4& visited) {
  constexpr unsigned kAtOnce = 3;  // reads under way
  constexpr std::uint32_t kFour = 0xF;
  const unsigned parity = (level + 1) % 2;
  uint4 bits = four_of_peer(of.known[parity] + word);
  if (of.team.members == 1) return bits;
  if ((visited.x & visited.y & visited.z & visited.w) == ~0U) return bits;
  const unsigned owner = much ? of.stripes.owner_of_word(word) : of.team.me;
  const uint4 of_owner =
      owner != of.team.me ? four_of_peer(of.of.known[parity][owner] + word) : uint4{};
  for (unsigned other = 1; other < of.team.members; other += kAtOnce) {
    std::uint32_t touched[kAtOnce];
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      const unsigned from = member_after(of.team.me, other + i, of.team.members);
      touched[i] = other + i < of.team.members && from != owner
                       ? of_peer(of.of.touched[parity][from] + word / 32)
                       : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if ((touched[i] >> word % 32 & kFour) == 0) continue;
      const unsigned from = member_after(of.team.me, other + i, of.team.members);
      add_bits(bits, four_of_peer(of.of.known[parity][from] + word));
    }
  }
  add_bits(bits, of_owner);
  return bits;
}

// The edges of all sources.
__device__ __noinline__ void tell_edges(const DeviceLevels& of, Counts* now) {
  of.begin.tell(*now);
}

// After all delegates are visited nobody asks for them any more: their masks stay as they are, and
// they leave the frontier.
__device__ __forceinline__ void take_apart(const DeviceLevels& of, const Course& course,
                                           bool chooses, Counts* now) {
  LevelSums sums;
  const level_t level = course.level;
  const unsigned parity = level % 2;
  if (course.unvisited_delegates > 0) {
    const bool much = course.owners_first ? !course.took_theirs : course.backward[EdgeClass::dd];
    of.begin.take_delegates(
        [&of, level, much, parity](std::size_t word, const uint4& before) {
          if (word % 32 == 0 && of.team.members > 1) of.touched[parity][word / 32] = 0;
          return known_by_all(of, level, much, word, before);
        },
        of.known[parity], level, sums);
  } else if (course.delegates > 0) {  // in the frontier of the level before
    of.begin.take_no_delegates();
  }
  if (of.team.members > 1) cuda::barrier_of_grid();  // what lists brought is there
  mark(of, level, masks_taken);
  if (of.records != nullptr) tell_edges(of, now);
  mark(of, level, told_edges);
  if (chooses) {
    of.begin.take_normals(level, sums);
  } else {
    of.begin.take_and_queue_normals(level, *now, sums);
  }
  sums.add_to(*now);
}

__device__ __forceinline__ void queue_apart(const DeviceLevels& of, const Wanted& wanted,
                                            Counts* now) {
  EdgeSums edges;
  of.begin.queue_delegates(wanted, *now, edges);
  of.begin.queue_normals(wanted, *now, edges);
  edges.add_to(*now);
}

// How many normal vertices were found until now, by dn alone.
__device__ __noinline__ void tell_found(const DeviceLevels& of, Counts* now) {
  unsigned long long found = 0;
  for (std::size_t w = cuda::thread_in_grid(); w < of.begin.normal_words;
       w += cuda::threads_in_grid()) {
    found += __popc(fresh(of.begin.reached + w) & ~of.begin.reached_before[w]);
  }
  cuda::add_of_block(found, &now->found_by_dn);
}

// By all threads, before the meeting: others are to read all words.
__device__ __noinline__ void touch_all(const DeviceLevels& of, level_t level) {
  const std::size_t words = (of.begin.delegate_words + 31) / 32;
  for (std::size_t w = cuda::thread_in_grid(); w < words; w += cuda::threads_in_grid()) {
    of.touched[level % 2][w] = ~0U;
  }
}

// As LeftRows, without registers for what is seldom needed.
struct LeftOfLevel {
  const DeviceLevels& of;
  const Course& course;
  LongLook which;

  [[nodiscard]] __device__ LeftRows rows() const {
    return {of.left_rows[which == of_nd], &counts_now(of, course)->left_long[which]};
  }
  [[nodiscard]] __device__ bool takes(const RestOfRow& rest) const {
    return rest.left > kLongRow && course.long_open;
  }
  __device__ void leave(const RestOfRow& rest) const { rows().leave(rest); }
};

// All blocks take the long rows that they left in a look at `graph`; a barrier of the grid follows.
template <typename Look>
__device__ __noinline__ void take_left(const EitherView<local_vertex_t>& graph, const Look& look,
                                       LeftRows left, unsigned long long* checked) {
  cuda::barrier_of_grid();
  look_at_left(graph, look, left, checked);
}

__device__ TakeOrSend take_or_send(const DeviceLevels& of) {
  return {of.normals, of.team.me, of.normal_names, of.sent};
}

// Of the two visits that follow one another, each has sums of its own. False: a member gave up.
__device__ bool visit(const DeviceLevels& of, Course& course) {
  const LevelBegin& begin = of.begin;
  const auto delegates = [&of, &course] {
    return DelegateView{of.known[course.level % 2], of.touched[course.level % 2],
                        of.delegate_parents, of.names};
  };
  const auto checked = [&of, &course](EdgeClass subgraph) {
    return &counts_now(of, course)->checked[static_cast<std::size_t>(subgraph)];
  };
  const bool meets =
      of.team.members > 1 && course.unvisited_delegates > 0 && course.delegates >= kWorthMeeting;
  const bool looks = course.active[EdgeClass::dd] && course.backward[EdgeClass::dd];
  if (threadIdx.x == 0) {
    course.owners_first = meets;
    course.took_theirs = meets && looks;
  }
  if (looks || (course.active[EdgeClass::dn] && course.backward[EdgeClass::dn])) {
    of.dn_look.keep_bits();  // for dd, too
  }
  if (course.active[EdgeClass::dn]) {
    if (course.backward[EdgeClass::dn]) {
      look_through(begin.nd, of.dn_look, begin.normal_words, LeavesNone{}, checked(EdgeClass::dn));
    } else {
      visit_forward(begin.dn, begin.list, &counts_now(of, course)->listed, of.other_sums,
                    TakeNormals{of.normals, of.names});
    }
  }
  mark(of, course.level, dn_visited);
  if (course.active[EdgeClass::dd] && !looks) {
    DelegateView found = delegates();
    // Where edges touch two of five of what others read at once, four words, to ask for each
    // delegate that is found whether its word was touched costs more than that others read all.
    constexpr unsigned kWordsAnEdge = 8;
    const auto dd = static_cast<std::size_t>(EdgeClass::dd);
    if (found.touched != nullptr &&
        counts_now(of, course)->forward[dd] >= begin.delegate_words / kWordsAnEdge) {
      touch_all(of, course.level);
      found.touched = nullptr;
    }
    visit_forward(begin.dd, begin.list, &counts_now(of, course)->listed, of.sums,
                  MarkDelegates<true>{found, of.normal_names});
  }
  for (Among::Whom whom = meets ? Among::own : Among::all;; whom = Among::others) {
    if (looks) {
      const DelegatesLook<true>& look =
          course.level == 0 ? of.first_dd_look : of.dd_look[course.level % 2][whom];
      const LeftOfLevel left{of, course, whom == Among::others ? of_others_in_dd : of_dd};
      look_through(begin.dd, look, begin.delegate_words, left, checked(EdgeClass::dd));
      if (course.long_open) take_left(begin.dd, look, left.rows(), checked(EdgeClass::dd));
    }
    if (whom != Among::own) break;
    mark(of, course.level, own_dd_visited);
    if (!meet_next(of, course, [] {})) return false;
    mark(of, course.level, met_within);
  }
  mark(of, course.level, dd_visited);
  const bool more = course.active[EdgeClass::nd] || course.active[EdgeClass::nn];
  if (!meets && more) cuda::barrier_of_grid();  // the sums are written again
  if (of.records != nullptr) tell_found(of, counts_now(of, course));
  mark(of, course.level, told_found);
  if (course.active[EdgeClass::nd]) {
    if (course.backward[EdgeClass::nd]) {
      const bool leaves_alone = course.level == 0 || (meets && looks);
      const DelegatesLook<false>& look = of.nd_look[course.level % 2][leaves_alone];
      const LeftOfLevel left{of, course, of_nd};
      look_through(begin.dn, look, begin.delegate_words, left, checked(EdgeClass::nd));
      if (course.long_open) take_left(begin.dn, look, left.rows(), checked(EdgeClass::nd));
    } else {
      visit_rows(of, course, begin.nd, of.sums, MarkDelegates<false>{delegates(), of.normal_names});
    }
  }
  mark(of, course.level, nd_visited);
  if (course.active[EdgeClass::nn]) {
    visit_rows(of, course, begin.nn, of.other_sums, take_or_send(of));
  }
  mark(of, course.level, nn_visited);
  return true;
}

// What the first level would count and queue, by one thread, which has reset the counts: its
// frontier is the source (ResetView).
__device__ __noinline__ void begin_with_source(const DeviceLevels& of) {
  Counts& now = of.counts[0];
  const auto add = [&now](EdgeClass subgraph, const auto& graph, local_vertex_t row) {
    const auto i = static_cast<std::size_t>(subgraph);
    const std::uint64_t edges = graph.row_offsets.degree(row);
    now.forward[i] = now.told[i] = edges;
    now.frontier[i] = edges > 0 ? 1 : 0;
    return edges > 0;
  };
  const LevelBegin& begin = of.begin;
  if (of.reset.delegate != LocalWork::kNone) {
    const local_vertex_t u = of.reset.delegate;
    now.delegates = 1;
    now.own_delegates = cuda::test(begin.own, u) ? 1 : 0;
    const bool to_normals = add(EdgeClass::dn, begin.dn, u);
    const bool to_delegates = add(EdgeClass::dd, begin.dd, u);
    if (to_normals || to_delegates) begin.list[now.listed++] = u;
  } else if (of.reset.vertex != LocalWork::kNone) {
    const local_vertex_t v = of.places.place(of.reset.vertex);
    now.normals = 1;
    const bool to_normals = add(EdgeClass::nn, begin.nn, v);
    const bool to_delegates = add(EdgeClass::nd, begin.nd, v);
    if (to_normals || to_delegates) begin.queue[now.queued++] = v;
  }
}

// The frontier of a level after the first: labelled, counted and queued.
__device__ void begin_level(const DeviceLevels& of, Course& course) {
  Counts* const now = counts_now(of, course);
  const Wanted wanted = of.rule.wanted(course.backward);
  const bool chooses = course.unvisited_delegates > 0 &&
                       (wanted.forward[EdgeClass::nd] || wanted.forward[EdgeClass::dn] ||
                        wanted.forward[EdgeClass::dd]);
  if (of.team.members > 1) {
    take_lists(of, course,
               [&of](local_vertex_t place, vertex_t parent) { of.normals.take(place, parent); });
  }
  mark(of, course.level, lists_taken);
  take_apart(of, course, chooses, now);
  cuda::barrier_of_grid();
  mark(of, course.level, taken);
  if (threadIdx.x == 0 && chooses) {
    course.wanted = left_to_do(*now, course.unvisited, of.rule, course.backward);
  }
  __syncthreads();
  if (chooses) {
    queue_apart(of, course.wanted, now);
    cuda::barrier_of_grid();
  }
  mark(of, course.level, queued);
}

// By one thread: the level is over, on all members.
__device__ void note(const DeviceLevels& of, const Course& course, level_t level,
                     const Counts& counts) {
  if (of.records == nullptr || level >= of.most_records) return;
  DeviceLevelRecord& record = of.records[level];
  record.counts = counts;
  record.active = course.active;
  record.backward = course.backward;
  for (unsigned to = 0; of.team.members > 1 && to < of.team.members; ++to) {
    record.sent_upto += fresh(of.sent.count + to);
  }
}

// By the first threads of a block, each to another member, before the meeting that ends a level:
// whether this one has a frontier, and what it has sent. By the meeting's number, so that a member
// whose next search has begun already does not say it where another still reads.
__device__ void say(const DeviceLevels& of, const Course& course) {
  const unsigned to = threadIdx.x;
  if (to >= of.team.members || to == of.team.me) return;
  const Said said{fresh(of.sent.count + to), course.frontier != 0 ? 1U : 0U};
  *reinterpret_cast<std::uint64_t*>(of.of.said[to] + course.meetings % kTurns * of.team.members +
                                    of.team.me) = std::bit_cast<std::uint64_t>(said);
}

// By all threads of a block, after it: whether no member had a frontier. Delegates are the same on
// all.
__device__ bool hear(const DeviceLevels& of, Course& course) {
  const unsigned from = threadIdx.x;
  bool any = course.frontier != 0;
  if (from < of.team.members && from != of.team.me) {
    const std::uint64_t word = of_peer(reinterpret_cast<const std::uint64_t*>(
        of.said + course.meetings % kTurns * of.team.members + from));
    const auto said = std::bit_cast<Said>(word);
    course.list_begin[from] = course.list_end[from];
    course.list_end[from] = said.sent;
    any = any || said.frontier != 0;
  }
  return __syncthreads_or(any ? 1 : 0) == 0;
}

// Whether the level, which begins, is one of few vertices. Who is told of levels has all steps.
__device__ bool is_few(const DeviceLevels& of, const Course& course) {
  return of.records == nullptr && of.short_rows && course.unvisited_delegates == 0 &&
         course.delegates == 0 && course.queue_end - course.queue_begin <= kFew;
}

enum class Few : std::uint8_t { over, gave_up, grown };

// From a level of few vertices on: the search is over, or a level is not of few, and its vertices
// are queued as those of any other, for visit().
__device__ Few search_few(const DeviceLevels& of, Course& course) {
  const bool alone = of.team.members == 1;
  const LevelBegin& begin = of.begin;
  if (first_of_grid()) *of.few = FewCounts{};
  cuda::barrier_of_grid();
  for (;;) {
    FewFinds finds{of.normals,
                   begin.labels,
                   course.level + 1,
                   begin.nn_sources,
                   begin.queue + course.queue_end,
                   of.few};
    visit_short_rows(of, course, begin.nn, ClaimOrSend{take_or_send(of), finds});
    if (first_of_grid()) {  // of the level before, which nobody asks for any more
      of.few->found[(course.level + 2) % kTurns] = of.few->queued[(course.level + 2) % kTurns] = 0;
    }
    if (!meet_next(of, course, [&of, &course] { say(of, course); })) return Few::gave_up;
    if (!alone && hear(of, course)) return Few::over;
    __syncthreads();  // `level` was read
    if (threadIdx.x == 0) {
      ++course.level;
      course.queue_begin = course.queue_end;
    }
    __syncthreads();
    if (!alone) {
      take_lists(of, course,
                 [&finds](local_vertex_t place, vertex_t parent) { finds.claim(place, parent); });
      finds.finish();
      cuda::barrier_of_grid();
    }
    if (threadIdx.x == 0) {
      course.frontier = fresh(&of.few->found[course.level % kTurns]);
      course.queue_end = course.queue_begin + fresh(&of.few->queued[course.level % kTurns]);
    }
    __syncthreads();
    if (alone && course.frontier == 0) return Few::over;
    if (course.queue_end - course.queue_begin > kFew) break;
  }
  // What passes look for next was not reached until now.
  for (std::size_t w = cuda::thread_in_grid(); w < begin.normal_words;
       w += cuda::threads_in_grid()) {
    begin.reached_before[w] = fresh(begin.reached + w);
  }
  cuda::barrier_of_grid();
  if (threadIdx.x == 0) {
    course.active = {};
    course.active[EdgeClass::nn] = true;
  }
  __syncthreads();
  return Few::grown;
}

__global__ void __launch_bounds__(kLookThreads, 4)
    run_levels(const __grid_constant__ DeviceLevels of) {
  __shared__ alignas(Course) std::byte course_bytes[sizeof(Course)];
  Course& course = *reinterpret_cast<Course*>(course_bytes);
  if (threadIdx.x == 0) {
    course = Course{};
    course.unvisited = of.sources;
    course.unvisited_delegates = of.delegates;
    course.meetings = of.meetings;
    course.long_open = of.long_rows.count > 0;
  }
  const std::uint32_t woken = wake_links(of.team);
  // Nobody else reads what is reset, or writes it, before the first level's meeting.
  reset(of.reset);
  await_links(woken);
  if (first_of_grid()) begin_with_source(of);
  cuda::barrier_of_grid();
  bool together = true;
  const bool alone = of.team.members == 1;
  while (together) {
    mark(of, course.level, begun);
    if (course.level > 0) {
      begin_level(of, course);
    } else {
      for (unsigned which = lists_taken; which <= queued; ++which) {
        mark(of, 0, static_cast<Mark>(which));
      }
    }
    // While one thread plans, the others ask for what all need to know besides.
    const bool long_open = course.long_open && of.long_rows.any_open(of.begin.visited);
    if (threadIdx.x == 0) plan(of, *counts_now(of, course), course);
    const bool any_open = __syncthreads_or(long_open ? 1 : 0) != 0;
    if (threadIdx.x == 0) course.long_open = any_open && course.unvisited_delegates > 0;
    __syncthreads();
    if (alone && course.frontier == 0) break;
    if (is_few(of, course)) {
      const Few ended = search_few(of, course);
      together = ended != Few::gave_up;
      if (ended != Few::grown) break;
    }
    together = visit(of, course);
    if (!together) break;
    if (first_of_grid()) of.counts[(course.level + 1) % kTurns] = Counts{};
    together = meet_next(of, course, [&of, &course] { say(of, course); });
    mark(of, course.level, met);
    if (first_of_grid()) note(of, course, course.level, *counts_now(of, course));
    if (!alone && together && hear(of, course)) break;
    __syncthreads();  // `level` was read
    if (threadIdx.x == 0) ++course.level;
    __syncthreads();
  }
  if (first_of_grid()) *of.done = {course.level, course.meetings, !together};
}

}  // namespace

cuda::CooperativeKernel<DeviceLevels> device_levels(unsigned most_blocks) {
  static const unsigned blocks = cuda::blocks_at_once(&run_levels, kLookThreads, 0);
  return {&run_levels, std::min(blocks, most_blocks), kLookThreads, 0};
}

}  // namespace bfslab::distributed::delegate
