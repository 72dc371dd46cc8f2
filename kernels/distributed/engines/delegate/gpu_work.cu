// SPDX-License-Identifier: Apache-2.0
// The kernels of `delegate` on one GPU, and the host's side of them.
//
// A level is queued on two streams, as in Figure 3: what finds delegates (dd and nd) beside what
// finds normal vertices (dn and nn). The host waits once a level with one member, for the workloads
// from which directions are chosen, and once more with several, for what the visits found. Forward,
// dd is shared out by merge path and the others by thread, warp and block; backward, a warp takes
// candidates densely (gpu_kernels.cuh).
//
// Cost of a level beside its edges: two launches and a read-back (some 15 us on an H200), 12 bytes
// for 32 delegates and 8 for 32 normal vertices, read in order. Memory beside the subgraphs: 4
// bytes an owned vertex (its level; 4 more for its parent) and half a byte; 9 bytes a place (labels
// and queue; 8 more for parents); 8 bytes a delegate (12 with parents) and ten bits, or eleven
// where one kernel runs all levels; 4 bytes for each of the last two where visits look backward; 4
// bytes an nn entry to another member (8 if parents travel). With parents, once levels are over: 12
// bytes for each question of this member about one that it lacks, and 4 for each that it answers.
// Where one kernel runs all levels, none asks about delegates: whoever owns one reads its parent
// where it was found.
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <utility>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/device/growing_buffer.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/expand/merge_path.cuh"
#include "kernels/cuda/expand/thread_warp_cta.cuh"
#include "kernels/distributed/edges/member_counts.cuh"
#include "kernels/distributed/engines/delegate/device_levels.cuh"
#include "kernels/distributed/engines/delegate/gpu_work.hpp"
#include "kernels/distributed/engines/delegate/places.cuh"
#include "kernels/distributed/engines/delegate/reset.cuh"
#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed::delegate {

namespace {

using cuda::blocks_for;
using cuda::DeviceBuffer;
using cuda::kBlockThreads;
using Bits = DeviceBuffer<std::uint32_t>;

constexpr level_t kMostRecords = 4096;   // levels that a kernel notes
constexpr std::uint64_t kShortRow = 32;  // entries that a thread takes alone, by merge path else

// --- Kernels beside the visits.

__global__ void reset_all(const __grid_constant__ ResetView of) { of.reset(); }

__global__ void __launch_bounds__(kLookThreads)
    begin_level(const __grid_constant__ LevelBegin of, const std::uint32_t* known, level_t level,
                Counts* now, Counts* next, unsigned members, std::uint64_t* sent_begin,
                std::uint32_t* sent_count) {
  LevelSums sums;
  of.take_delegates(
      [known](std::size_t word, const uint4& /*before*/) {
        return *reinterpret_cast<const uint4*>(known + word);
      },
      nullptr, level, sums);
  of.take_normals(level, sums);
  sums.add_to(*now);
  if (cuda::thread_in_grid() == 0) {
    *next = Counts{};
    for (unsigned to = 0; members > 1 && to < members; ++to) {
      sent_begin[to] += sent_count[to];
      sent_count[to] = 0;
    }
  }
}

__global__ void __launch_bounds__(kLookThreads)
    tell_level(const __grid_constant__ LevelBegin of, Counts* now) {
  of.tell(*now);
}

__global__ void __launch_bounds__(kLookThreads)
    queue_level(const __grid_constant__ LevelBegin of, const __grid_constant__ DirectionRule rule,
                Backward last, Unvisited unvisited, LongRows long_rows, Counts* now) {
  const Wanted wanted = left_to_do(*now, unvisited, rule, last);
  EdgeSums edges;
  of.queue_delegates(wanted, *now, edges);
  of.queue_normals(wanted, *now, edges);
  edges.add_to(*now);
  if (blockIdx.x != 0) return;
  const bool open = long_rows.any_open(of.visited);
  if (__syncthreads_or(open ? 1 : 0) != 0 && threadIdx.x == 0) now->long_open = 1;
}

template <typename Graph, typename Action>
__global__ void forward(const __grid_constant__ Graph graph, const local_vertex_t* entries,
                        std::uint32_t count, const __grid_constant__ Action given) {
  Action action = given;
  const cuda::RowsOf<Graph> rows{graph};
  cuda::ThreadWarpCtaExpansion({}).run<cuda::GridScope>(rows, entries, count, action);
  action.finish();
}

// Cooperative.
template <typename Graph, typename Action>
__global__ void forward_merged(Graph graph, const local_vertex_t* entries,
                               const std::uint32_t* count, cuda::ExpandScratch scratch,
                               Action given) {
  Action action = given;
  const cuda::RowsOf<Graph> rows{graph};
  const cuda::QueueView queue{const_cast<local_vertex_t*>(entries), {}};
  cuda::MergePathExpansion(scratch).run_whole(rows, queue, count, action);
  action.finish();
}

__global__ void take_ids(NormalView normals, const __grid_constant__ RankedView places,
                         const local_vertex_t* list, std::uint64_t count) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    const local_vertex_t v = places.place(list[i]);
    if (normals.open(v)) normals.take(v, kNoVertex);
  }
}

__global__ void take_carried(NormalView normals, const __grid_constant__ RankedView places,
                             const Carried* list, std::uint64_t count) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    const auto [id, parent] = list[i];
    const local_vertex_t v = places.place(id);
    if (normals.open(v)) normals.take(v, parent);
  }
}

// Adds the bits that are set in `now` and not in `before`, of those in `of` (null: all).
__global__ void count_new(const std::uint32_t* now, const std::uint32_t* before,
                          const std::uint32_t* of, std::size_t words, unsigned long long* count) {
  unsigned long long sum = 0;
  for (std::size_t w = cuda::thread_in_grid(); w < words; w += cuda::threads_in_grid()) {
    sum += __popc(now[w] & ~before[w] & (of != nullptr ? of[w] : ~0U));
  }
  cuda::add_of_block(sum, count);
}

struct HasEntries {
  EitherOffsets degrees;

  [[nodiscard]] __device__ bool operator()(local_vertex_t row) const {
    return degrees.degree(row) > 0;
  }
};

// Of rows that have one.
__global__ void take_first(const __grid_constant__ EitherView<local_vertex_t> graph,
                           std::uint32_t rows, FirstEntry* first) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const std::uint64_t begin = graph.row_offsets[i];
    const std::uint64_t degree = graph.row_offsets[i + 1] - begin;
    if (degree > 0) first[i] = {graph.columns[begin] | (degree == 1 ? FirstEntry::kOnly : 0)};
  }
}

// Counts the rows that are long in one of two subgraphs, and lists them, unless `list` is null.
__global__ void list_long(const __grid_constant__ EitherOffsets one,
                          const __grid_constant__ EitherOffsets other, std::uint32_t rows,
                          local_vertex_t* list, std::uint32_t* count) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const auto u = static_cast<local_vertex_t>(i);
    if (max(one.degree(u), other.degree(u)) <= kLongRow) continue;
    const std::uint32_t place = atomicAdd(count, 1U);
    if (list != nullptr) list[place] = u;
  }
}

__global__ void count_by_owner(const global_vertex_t* columns, std::uint64_t count,
                               unsigned long long* of_owner) {
  __shared__ unsigned of_block[kMostMembers];
  const MemberCounts sizes{of_block, kMostMembers};
  sizes.clear();
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    sizes.add(NormalEnd{columns[i]}.owner());
  }
  sizes.add_to(of_owner);
}

struct SpelledView {
  RankedView normals, own_delegates;
  const local_vertex_t* delegate_numbers = nullptr;
  LabelView labels, delegate_labels;
  const vertex_t* place_parents = nullptr;
  // NormalsLook::found_first, the rows' first entries, and the names of these; or null.
  const std::uint32_t* found_first = nullptr;
  const FirstEntry* first = nullptr;
  const vertex_t* names = nullptr;
  const vertex_t* delegate_parents = nullptr;
  level_t* levels = nullptr;  // by id
  vertex_t* parents = nullptr;
  std::uint32_t owned = 0;
  local_vertex_t source = 0;  // the vertex of the place after the last
};

// Of an array of bits or of labels, what begins at place `at` of its words: as many as a word has.
template <unsigned kBits>
__device__ std::uint32_t window(const std::uint32_t* words, std::size_t at) {
  constexpr unsigned kEach = 32 / kBits;
  return __funnelshift_r(words[at / kEach], words[at / kEach + 1],
                         static_cast<unsigned>(at % kEach) * kBits);
}

// Levels and parents by id, of normal vertices and of delegates that the member owns. Cost: half a
// byte read and 4 written an owned vertex, half a byte for each of their labels, all in order; with
// parents 4 read and 4 written more, and the name of a hub where that is a row's first entry.
//
// What each vertex costs in instructions counts as much: normal vertices side by side have places
// side by side, whose labels come in one window.
template <bool kParents>
__global__ void spell_out(const __grid_constant__ SpelledView of) {
  constexpr unsigned kEach = 4;  // vertices of a thread
  for (std::uint64_t i = cuda::thread_in_grid(); i * kEach < of.owned;
       i += cuda::threads_in_grid()) {
    const std::size_t word = i * kEach / 32;
    const auto shift = static_cast<unsigned>(i * kEach % 32);
    const std::uint32_t place_bits = of.normals.bits[word];
    const std::uint32_t delegate_bits = of.own_delegates.bits[word];
    const std::uint32_t place = of.normals.rank(word, place_bits, shift);
    const std::uint32_t own = of.own_delegates.rank(word, delegate_bits, shift);
    const unsigned with_place = place_bits >> shift & 0xFU;
    const unsigned delegates = delegate_bits >> shift & 0xFU;
    const auto has = [](unsigned bits, unsigned t) { return (bits >> t & 1U) != 0; };
    const auto before = [](unsigned bits, unsigned t) { return __popc(bits & ((1U << t) - 1)); };
    // Each step asks for what all vertices need, and then waits once. Of normal vertices:
    const std::uint32_t labels = window<4>(of.labels.low, place);
    const bool notes_first = kParents && of.found_first != nullptr;
    const std::uint32_t firsts = notes_first ? window<1>(of.found_first, place) : 0;
    std::uint32_t at[kEach];  // the place, or the delegate's number
    std::uint32_t label[kEach];
    vertex_t parent[kEach];
    local_vertex_t first[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const unsigned nth = before(with_place, t);
      at[t] = place + nth;
      label[t] = has(with_place, t) ? labels >> 4 * nth & 0xFU : LabelView::kNone;
      if constexpr (kParents) {
        if (has(with_place, t)) parent[t] = of.place_parents[at[t]];
        if (has(with_place, t) && notes_first) first[t] = of.first[at[t]].entry();
      }
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      if (has(delegates, t)) at[t] = of.delegate_numbers[own + before(delegates, t)];
    }
    // Of delegates, and of rows whose first entry is the parent:
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      if (has(delegates, t)) label[t] = of.delegate_labels.label(at[t]);
      if constexpr (kParents) {
        if (has(delegates, t)) parent[t] = of.delegate_parents[at[t]];
        const bool is_first = has(with_place & firsts >> before(with_place, t) << t, t);
        if (is_first) parent[t] = of.names[first[t]];
      }
    }
    if (i == of.source / kEach) {  // it may have no place of its own
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) {
        if (t != of.source % kEach || has(with_place | delegates, t)) continue;
        at[t] = of.normals.count;
        label[t] = of.labels.label(at[t]);
        if constexpr (kParents) parent[t] = of.place_parents[at[t]];
      }
    }
    level_t level[kEach];
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      level[t] = (has(delegates, t) ? of.delegate_labels : of.labels).level(label[t], at[t]);
      if constexpr (kParents) {
        if (label[t] == LabelView::kNone) parent[t] = kNoVertex;  // it has a former search's
      }
    }
    if ((i + 1) * kEach <= of.owned) {
      __stcs(reinterpret_cast<uint4*>(of.levels) + i,
             make_uint4(level[0], level[1], level[2], level[3]));
      if constexpr (kParents) {
        __stcs(reinterpret_cast<uint4*>(of.parents) + i,
               make_uint4(parent[0], parent[1], parent[2], parent[3]));
      }
      continue;
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      if (i * kEach + t >= of.owned) continue;
      of.levels[i * kEach + t] = level[t];
      if constexpr (kParents) of.parents[i * kEach + t] = parent[t];
    }
  }
}

// The entries of rows that have a bit, in two subgraphs that have the same rows.
__global__ void sum_reached(const __grid_constant__ EitherOffsets one,
                            const __grid_constant__ EitherOffsets other,
                            const std::uint32_t* reached, std::uint32_t rows,
                            unsigned long long* entries) {
  unsigned long long sum = 0;
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const auto v = static_cast<local_vertex_t>(i);
    if (test(reached, v)) sum += one.degree(v) + other.degree(v);
  }
  cuda::add_of_block(sum, entries);
}

// --- Parents that another member knows: who lacks one asks, and is answered in the same order.

// By whom a vertex without a parent was found only others know.
struct Question {
  static constexpr level_t kOfDelegate = kUnreached;

  local_vertex_t neighbor;  // on its owner; or, of a delegate, its number
  local_vertex_t vertex;    // at the member who asks
  level_t level;            // of the vertex; or kOfDelegate
};

// Places of normal vertices that were reached through nn from another member.
struct PlaceAsks {
  const std::uint32_t* reached = nullptr;
  const std::uint32_t* found_first = nullptr;  // NormalsLook::found_first; or null
  const vertex_t* parents = nullptr;

  __device__ bool operator()(local_vertex_t place) const {
    if (!test(reached, place) || (found_first != nullptr && test(found_first, place))) return false;
    return parents[place] == kNoVertex;
  }
};

// Own delegates that were found by others alone.
struct DelegateAsks {
  const std::uint32_t* visited = nullptr;
  const std::uint32_t* own = nullptr;
  const vertex_t* parents = nullptr;

  __device__ bool operator()(local_vertex_t u) const {
    return test(visited, u) && test(own, u) && parents[u] == kNoVertex;
  }
};

struct HomeView {
  const std::uint32_t* visited = nullptr;
  const std::uint32_t* own = nullptr;
  vertex_t* const* parents = nullptr;  // of delegates, by member, in its memory
  std::size_t words = 0;               // of delegates' bits
  DelegateStripes stripes;
  unsigned me = 0;
  const DeviceLevels::Done* done = nullptr;  // of the last kernel that ran levels
};

// Parents of those own delegates, from whoever has one, once all members' levels are over: first
// from whose turn a delegate is, who looked for its parent in dd. A warp takes words side by side,
// so that what is read of another's memory is whole lines. Cost: 4 bytes of another's memory for
// each, and as many more for each member that is asked in vain.
__global__ void bring_home(const __grid_constant__ HomeView of) {
  constexpr unsigned kEach = 4;  // words of a warp at a time
  static_assert(DelegateStripes::kWords % kEach == 0, "of one turn");
  if (of.done->gave_up) return;  // others may be gone
  const auto members = static_cast<unsigned>(of.stripes.members.value());
  const unsigned lane = lane_id();
  vertex_t* const mine = of.parents[of.me];
  const std::uint64_t apart = cuda::threads_in_grid() / 32 * kEach;
  for (std::uint64_t first = cuda::thread_in_grid() / 32 * kEach; first < of.words;
       first += apart) {
    bool lacks[kEach];
    bool any = false;
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      const std::uint64_t word = first + t;
      const std::uint32_t bits = word < of.words ? of.visited[word] & of.own[word] : 0;
      lacks[t] = (bits >> lane & 1U) != 0;
    }
#pragma unroll
    for (unsigned t = 0; t < kEach; ++t) {
      lacks[t] = lacks[t] && mine[(first + t) * 32 + lane] == kNoVertex;
      any = any || lacks[t];
    }
    unsigned from = of.stripes.owner_of_word(first);
    for (unsigned other = 0; other < members && any; ++other) {
      const unsigned member = from;
      from = from + 1 == members ? 0 : from + 1;
      if (member == of.me) continue;
      const vertex_t* const theirs = of.parents[member];
      vertex_t parent[kEach];
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) {
        parent[t] = lacks[t] ? theirs[(first + t) * 32 + lane] : kNoVertex;
      }
      any = false;
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) {
        if (parent[t] != kNoVertex) mine[(first + t) * 32 + lane] = parent[t];
        lacks[t] = lacks[t] && parent[t] == kNoVertex;
        any = any || lacks[t];
      }
    }
  }
}

// What item i emits: emit(member, question), any number of times, the same whenever it is asked. Of
// a place: one to the owner of each neighbor in nn,
template <typename Graph>
struct OfPlaces {
  Graph nn;                                // by place
  const local_vertex_t* places = nullptr;  // who asks
  const local_vertex_t* ids = nullptr;     // by place
  const level_t* levels = nullptr;         // by id
  unsigned me = 0;

  template <typename Emit>
  __device__ void operator()(std::uint64_t i, const Emit& emit) const {
    const local_vertex_t place = places[i];
    const local_vertex_t v = ids[place];
    const level_t level = levels[v];
    for (std::uint64_t e = nn.row_offsets[place]; e < nn.row_offsets[place + std::size_t{1}]; ++e) {
      const NormalEnd end{nn.columns[e]};
      if (end.owner() != me) emit(end.owner(), Question{end.local(), v, level});
    }
  }
};

// and of a delegate one to everybody.
struct OfDelegates {
  const local_vertex_t* delegates = nullptr;  // who asks
  const vertex_t* names = nullptr;
  OwnerOf owner;
  unsigned members = 1;

  template <typename Emit>
  __device__ void operator()(std::uint64_t i, const Emit& emit) const {
    const local_vertex_t u = delegates[i];
    const Question question{u, owner.local(names[u]), Question::kOfDelegate};
    for (unsigned other = 1; other < members; ++other) {
      emit(member_after(owner.me, other, members), question);
    }
  }
};

// Adds how many questions the items have for each member.
template <typename Items>
__global__ void count_questions(const __grid_constant__ Items items,
                                const unsigned long long* count, unsigned long long* to_member) {
  __shared__ unsigned of_block[kMostMembers];
  const MemberCounts sizes{of_block, kMostMembers};
  sizes.clear();
  for (std::uint64_t i = cuda::thread_in_grid(); i < *count; i += cuda::threads_in_grid()) {
    items(i, [&sizes](unsigned to, const Question& /*question*/) { sizes.add(to); });
  }
  sizes.add_to(to_member);
}

// Puts them where `next` says that each member's list goes on: a block takes room for those of all
// its threads at once.
template <typename Items>
__global__ void put_questions(const __grid_constant__ Items items, const unsigned long long* count,
                              unsigned long long* next, Question* questions) {
  __shared__ unsigned of_block[kMostMembers];
  __shared__ unsigned long long at[kMostMembers];
  const MemberCounts sizes{of_block, kMostMembers};
  const std::uint64_t all = *count;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x; first < all;
       first += cuda::threads_in_grid()) {
    const std::uint64_t i = first + threadIdx.x;
    sizes.clear();
    if (i < all) {
      items(i, [&sizes](unsigned to, const Question& /*question*/) { sizes.add(to); });
    }
    sizes.take_room(next, at);
    if (i < all) {
      items(i, [&sizes, questions](unsigned to, const Question& question) {
        questions[at[to] + sizes.add(to)] = question;
      });
    }
    __syncthreads();
  }
}

__global__ void answer_questions(const Question* questions, std::uint64_t count,
                                 const level_t* levels, const vertex_t* delegate_parents,
                                 OwnerOf owner, vertex_t* answers) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    const Question asked = questions[i];
    vertex_t parent = kNoVertex;
    if (asked.level == Question::kOfDelegate) {
      parent = delegate_parents[asked.neighbor];
    } else if (levels[asked.neighbor] == asked.level - 1) {
      parent = static_cast<vertex_t>(owner.global(asked.neighbor));
    }
    answers[i] = parent;
  }
}

// Of several parents any is right.
__global__ void take_answers(const Question* questions, const vertex_t* answers,
                             std::uint64_t count, vertex_t* parents) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    if (answers[i] != kNoVertex) parents[questions[i].vertex] = answers[i];
  }
}

// --- Lists without repetitions.

// As 64 bits: the parent above the vertex.
struct CarriedKey {
  std::uint64_t bits;
  __host__ __device__ bool operator==(const CarriedKey& other) const {
    return static_cast<std::uint32_t>(bits) == static_cast<std::uint32_t>(other.bits);
  }
};

// Sorts the keys of `list` by their vertex into the first half of `into` and leaves one of each in
// its second half, which is returned, and in `kept` how many: all in the stream's order.
template <typename Key, typename Equal>
std::byte* sort_unique(Bytes list, cuda::GrowingBuffer& into, cuda::GrowingBuffer& scratch,
                       unsigned long long* kept, cudaStream_t stream) {
  const std::size_t half = (list.size() + 15) / 16 * 16;
  std::byte* const room = into.at_least(2 * half, stream);
  const auto* from = reinterpret_cast<const Key*>(list.data());
  auto* sorted = reinterpret_cast<Key*>(room);
  const auto* each = reinterpret_cast<const Equal*>(room);
  auto* once = reinterpret_cast<Equal*>(room + half);
  const std::uint64_t count = list.size() / sizeof(Key);
  std::size_t bytes = 0;
  std::size_t more = 0;
  BFSLAB_CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, from, sorted, count, 0, 32, stream));
  BFSLAB_CUDA(cub::DeviceSelect::Unique(nullptr, more, each, once, kept, count, stream));
  std::byte* const at = scratch.at_least(std::max({bytes, more, std::size_t{1}}), stream);
  BFSLAB_CUDA(cub::DeviceRadixSort::SortKeys(at, bytes, from, sorted, count, 0, 32, stream));
  BFSLAB_CUDA(cub::DeviceSelect::Unique(at, more, each, once, kept, count, stream));
  return room + half;
}

// --- The host's side.

// Calls `use` with the subgraph's view in the width of its offsets.
template <typename Column, typename Use>
decltype(auto) with_view(const DeviceSubgraph<Column>& graph, Use&& use) {
  if (graph.wide.size() > 0) {
    return use(GraphView<std::uint64_t, Column>{graph.wide.data(), graph.columns.data(),
                                                graph.columns.size()});
  }
  return use(GraphView<std::uint32_t, Column>{graph.narrow.data(), graph.columns.data(),
                                              graph.columns.size()});
}

class GpuWork final : public LocalWork {
 public:
  GpuWork(const DeviceSubgraphs& graph, const Places& places, const MemberGpu& gpu,
          const Member& member, const WorkSettings& settings);
  ~GpuWork() override { static_cast<void>(cudaDeviceSynchronize()); }

  void reset(local_vertex_t delegate, local_vertex_t vertex, bool in_one_kernel) override;
  Workloads pre_visit(level_t level, const DirectionRule& rule, const Backward& last,
                      bool told) override;
  PerEdgeClass<Visited> visit(const PerEdgeClass<bool>& active, const Backward& backward,
                              level_t level, bool counted) override;

  std::span<Word> found_delegates() override {
    return {reinterpret_cast<Word*>(found_), visited_.size() / 2};
  }
  [[nodiscard]] bool found_any_delegate() const override { return seen_->found_delegates > 0; }
  void take_delegates() override {}  // the next pre-visit does
  [[nodiscard]] std::uint64_t own_delegates_found() const override;
  [[nodiscard]] Bytes outgoing(unsigned to) const override;
  void make_unique(std::span<Bytes> lists) override;
  Bytes join(std::span<const Bytes> lists, unsigned rank) override;
  std::uint64_t take_normals(Bytes list, level_t level, bool counted) override;
  [[nodiscard]] bool runs_levels() const override { return kernels_ != nullptr; }
  std::vector<RanLevel> run_levels(const DirectionRule& rule, bool told) override;
  void finish(Communicator& data) override;
  void wait() override {
    main_.wait();
    beside_.wait();
  }

  [[nodiscard]] AnswerPart answer() const override {
    return {.ids = own_.ids(me_),
            .space = MemorySpace::device,
            .device = gpu_.device(),
            .levels = wants_levels(settings_.answer) ? levels_.data() : nullptr,
            .parents = parents_wanted_ ? parents_.data() : nullptr};
  }
  [[nodiscard]] std::uint64_t reached_entries() const override;
  [[nodiscard]] MemoryUse memory() const override;
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }

 private:
  using Turn = std::array<cuda::GrowingBuffer, kMostMembers>;

  // What one kernel for all levels needs beside the rest.
  struct Kernels {
    Kernels(Communicator& all, const MemberGpu& gpu, TeamMemory memory)
        : team(all, gpu, memory), few(1), done(1) {
      done.fill_bytes(0, gpu.stream().get());
    }

    DeviceTeam team;
    std::uint64_t meetings = 0;
    // By the parity of levels: delegates that are known, and DelegateView::touched of them.
    TeamBuffer<std::uint32_t> known[2], touched[2];
    TeamBuffer<Said> said;                  // [kTurns][members]
    TeamBuffer<std::byte> received;         // what each other sends; by hosts, what it sends each
    TeamBuffer<vertex_t> delegate_parents;  // [d]; none where nobody asks for parents
    DeviceBuffer<std::uint32_t*> known_of[2], touched_of[2];
    DeviceBuffer<Said*> said_of;
    DeviceBuffer<std::byte*> sent_to, received_from;  // [members]
    DeviceBuffer<vertex_t*> delegate_parents_of;
    DeviceBuffer<DeviceLevelRecord> records;  // once somebody asks
    DeviceBuffer<FewCounts> few;
    DeviceBuffer<DeviceLevels::Done> done;
  };

  [[nodiscard]] Counts* counts(level_t level) const { return counts_.data() + level % kTurns; }
  [[nodiscard]] NormalView normals() const {
    return {reached_.data(), parents_wanted_ ? place_parents_.data() : nullptr};
  }
  [[nodiscard]] DelegateView delegates() const {
    return {found_, nullptr, delegate_parents_, names_.data()};
  }
  [[nodiscard]] LabelView labels() const { return {low_levels_.data(), place_levels_.data()}; }
  [[nodiscard]] LabelView delegate_labels() const {
    return {low_delegate_levels_.data(), delegate_levels_.data()};
  }
  [[nodiscard]] FrontierBits frontier_bits() const {
    const std::size_t most = settings_.hubs_first ? FrontierBits::kMostKept : 0;
    return {frontier_.data(), static_cast<std::uint32_t>(std::min(frontier_.size(), most))};
  }
  [[nodiscard]] NormalsLook normals_look() const {
    return {normals(), nd_sources_.data(), nd_first_.data(), frontier_bits(),
            names(),   found_first()};
  }
  [[nodiscard]] SentView sent() const {
    return {own_lists_.data(), sent_begin_.data(), sent_count_.data(), carries_};
  }
  [[nodiscard]] std::size_t entry_bytes() const {
    return carries_ ? sizeof(Carried) : sizeof(local_vertex_t);
  }
  [[nodiscard]] NormalNames normal_names() const { return {owner_, ids_.data()}; }
  [[nodiscard]] const vertex_t* names() const { return parents_wanted_ ? names_.data() : nullptr; }
  [[nodiscard]] std::uint32_t* found_first() const {
    return found_first_.size() > 0 ? found_first_.data() : nullptr;
  }
  [[nodiscard]] LevelBegin level_begin() const;
  void prepare_kernels(Communicator& all, std::uint64_t sent_bytes);
  // Queues the writing of the answer after all levels, as far as this member has it or may read it,
  void spell();
  // and of parents that only others have.
  void fetch_parents(Communicator& data);
  void ask_for_parents(Communicator& data);
  // Counts a level's sources as visited.
  Workloads workloads_of(const Counts& seen, bool told);
  [[nodiscard]] RanLevel read(const DeviceLevelRecord& record, const Counts& next);
  void read_counts(level_t level);
  // What was found since the level's pre-visit, into device memory: `count` is 0.
  void count_normals(unsigned long long* count) const {
    launch_count(reached_.data(), reached_before_, nullptr, count);
  }
  void launch_count(const std::uint32_t* now, const Bits& before, const std::uint32_t* of,
                    unsigned long long* count) const {
    if (before.size() == 0) return;
    count_new<<<blocks_for(before.size()), kBlockThreads, 0, main_.get()>>>(now, before.data(), of,
                                                                            before.size(), count);
    BFSLAB_CUDA_LAUNCHED("count_new");
  }
  // The same, on the host.
  [[nodiscard]] std::uint64_t new_bits(const std::uint32_t* now, const Bits& before,
                                       const std::uint32_t* of) const {
    BFSLAB_CUDA(cudaMemsetAsync(sum_.data(), 0, sum_.bytes(), main_.get()));
    launch_count(now, before, of, sum_.data());
    return cuda::read_back(sum_.data(), main_);
  }
  void visit_nn(level_t level);
  void visit_nd(bool backward, level_t level);
  void visit_dn(bool backward, level_t level);
  void visit_dd(bool backward, level_t level);
  // `counted`: `count` in device memory.
  template <typename Graph, typename Action>
  void launch_merged(const Graph& graph, const local_vertex_t* entries,
                     const std::uint32_t* counted, const Action& action,
                     const cuda::Stream& on) const {
    static const unsigned blocks =
        cuda::blocks_at_once(&forward_merged<Graph, Action>, kBlockThreads, 0);
    const cuda::CooperativeKernel<Graph, const local_vertex_t*, const std::uint32_t*,
                                  cuda::ExpandScratch, Action>
        merged{&forward_merged<Graph, Action>, std::min(blocks, merge_blocks_), kBlockThreads, 0};
    const cuda::DegreeSums& sums = &on == &beside_ ? sums_ : main_sums_;
    merged.launch(on.get(), graph, entries, counted, sums.view(32), action);
  }
  template <typename Graph, typename Action>
  void launch_forward(const Graph& graph, const local_vertex_t* entries, std::uint64_t count,
                      const std::uint32_t* counted, const Action& action,
                      const cuda::Stream& on) const {
    if (settings_.merge_all) return launch_merged(graph, entries, counted, action, on);
    const unsigned blocks = blocks_for(count * 32);
    forward<<<blocks, kBlockThreads, 0, on.get()>>>(graph, entries,
                                                    static_cast<std::uint32_t>(count), action);
    BFSLAB_CUDA_LAUNCHED("forward");
  }
  // `left`: what it leaves for all blocks together, if anything.
  template <typename Graph, typename Look>
  void launch_look(const Graph& graph, const Look& task, std::size_t words, EdgeClass subgraph,
                   level_t level, const LeftRows& left, const cuda::Stream& on) const {
    if (words == 0) return;
    static const unsigned most = cuda::blocks_at_once(&look<Graph, Look>, kLookThreads, 0);
    unsigned long long* const checked = &counts(level)->checked[static_cast<std::size_t>(subgraph)];
    look<<<std::min(most, blocks_for(words)), kLookThreads, 0, on.get()>>>(graph, task, words, left,
                                                                           checked);
    BFSLAB_CUDA_LAUNCHED("look");
    if (left.rows == nullptr) return;
    look_further<<<most, kLookThreads, 0, on.get()>>>(graph, task, left, checked);
    BFSLAB_CUDA_LAUNCHED("look_further");
  }
  [[nodiscard]] LongRows long_rows() const {
    return {long_delegates_.data(), static_cast<std::uint32_t>(long_delegates_.size())};
  }
  // Of a level that the host launches.
  [[nodiscard]] LeftRows left(LongLook which, level_t level) const {
    if (seen_->long_open == 0) return {};
    return {left_rows_[which == of_nd].data(), &counts(level)->left_long[which]};
  }
  // Delegates whose rows of dd or dn are long, and room for what looks leave of these.
  void list_long_rows();

  const DeviceSubgraphs& graph_;
  const Places& places_;
  RankedView with_place_;
  const MemberGpu& gpu_;
  const cuda::Stream& main_;
  cuda::Stream beside_;
  unsigned me_, members_;
  Ownership own_;
  OwnerOf owner_;
  WorkSettings settings_;
  bool parents_wanted_, carries_;

  DeviceBuffer<level_t> levels_;  // [owned] by id; after finish()
  DeviceBuffer<vertex_t> parents_;
  // By place, where four bits are too short; and [d].
  DeviceBuffer<level_t> place_levels_, delegate_levels_;
  DeviceBuffer<std::uint32_t> low_levels_, low_delegate_levels_;  // whole words of vertices
  DeviceBuffer<vertex_t> place_parents_;                          // by place
  DeviceBuffer<local_vertex_t> ids_;  // likewise; empty where nobody asks for parents
  DeviceBuffer<vertex_t> own_delegate_parents_, names_;
  vertex_t* delegate_parents_ = nullptr;  // own_delegate_parents_, or the team's
  Bits frontier_, visited_, known_, dd_sources_, dn_sources_, own_mask_;  // of delegates
  std::uint32_t* found_ = nullptr;  // known_, or what the kernels of a team have for levels of odd
                                    // number in its place
  Bits reached_, reached_before_, nn_sources_, nd_sources_;  // of places
  Bits found_first_;  // likewise; empty unless visits backward are asked for parents
  // The first entries of the rows of dd and nd, for visits backward.
  DeviceBuffer<FirstEntry> dd_first_, nd_first_;
  DeviceBuffer<local_vertex_t> long_delegates_;
  DeviceBuffer<RestOfRow> left_rows_[2];  // of dd and of nd
  DeviceBuffer<local_vertex_t> queue_;    // [places] of a level
  DeviceBuffer<local_vertex_t> list_;     // [d]
  DeviceBuffer<unsigned long long> sum_;  // of what is asked for between levels and searches
  DeviceBuffer<Counts> counts_;           // [kTurns]
  cuda::PinnedBuffer<Counts> seen_buffer_;
  Counts* seen_ = nullptr;
  cuda::DegreeSums sums_, main_sums_;  // of the two streams
  unsigned merge_blocks_ = 0;

  // What nn sends: ids or Carried, for each member a stretch.
  DeviceBuffer<std::byte> sent_;
  std::byte* lists_ = nullptr;          // sent_, or the team's
  DeviceBuffer<std::byte*> own_lists_;  // [members] that, for each
  std::array<std::uint64_t, kMostMembers> sent_first_{}, sent_now_{};
  DeviceBuffer<std::uint64_t> sent_begin_;
  DeviceBuffer<std::uint32_t> sent_count_;
  cuda::PinnedBuffer<std::uint32_t> sent_seen_;
  std::array<Turn, 2> unique_, joined_;
  cuda::GrowingBuffer unique_scratch_;
  DeviceBuffer<unsigned long long> unique_counts_;  // [kMostMembers]
  cuda::PinnedBuffer<unsigned long long> unique_seen_;

  // Of fetch_parents(): how many delegates and places ask, then each member's questions.
  DeviceBuffer<unsigned long long> asked_;  // [2 + kMostMembers]
  cuda::PinnedBuffer<unsigned long long> asked_seen_;
  cuda::GrowingBuffer questions_, answers_;

  Unvisited sources_, unvisited_;
  std::uint64_t reached_normals_ = 0, reached_delegates_ = 0;
  local_vertex_t source_ = kNone;  // its local id, where it is a normal vertex of this member
  bool spelled_ = false;           // the answer of this search
  ResetView reset_;                // likewise, its beginning
  Workloads load_;
  unsigned turn_ = 0;
  cuda::OrderEvent joined_streams_;
  std::unique_ptr<Kernels> kernels_;
  cuda::Event begin_, end_;
};

std::uint64_t bits_in(const Bits& bits, const cuda::Stream& stream) {
  std::vector<std::uint32_t> host(bits.size());
  cuda::download(host.data(), bits.data(), bits.bytes(), stream);
  std::uint64_t count = 0;
  for (const std::uint32_t word : host)
    count += static_cast<std::uint64_t>(__builtin_popcount(word));
  return count;
}

GpuWork::GpuWork(const DeviceSubgraphs& graph, const Places& places, const MemberGpu& gpu,
                 const Member& member, const WorkSettings& settings)
    : graph_(graph),
      places_(places),
      with_place_(RankedView::of(places.normals)),
      gpu_(gpu),
      main_(gpu.stream()),
      me_(member.index()),
      members_(member.count()),
      own_(Ownership::round_robin(graph.vertices, member.count())),
      owner_{Divisor(member.count()), member.index()},
      settings_(settings),
      parents_wanted_(wants_parents(settings.answer)),
      carries_(parents_wanted_ && (settings.carry_parents || !graph.symmetric)),
      levels_(graph.owned),
      place_levels_(places.count()),
      delegate_levels_(graph.delegate_count()),
      queue_(places.count()),
      list_(graph.delegate_count()),
      sum_(1),
      counts_(kTurns),
      seen_buffer_(1),
      seen_(seen_buffer_.data()),
      sent_begin_(kMostMembers),
      sent_count_(kMostMembers),
      sent_seen_(kMostMembers),
      unique_counts_(kMostMembers),
      unique_seen_(kMostMembers),
      asked_(2 + kMostMembers),
      asked_seen_(kMostMembers) {
  const std::uint32_t d = graph.delegate_count();
  for (Bits* mask : {&frontier_, &visited_, &dd_sources_, &dn_sources_, &own_mask_}) {
    *mask = Bits(words_for(d));
    mask->fill_bytes(0, main_.get());
  }
  if (!settings.one_kernel) {
    known_ = Bits(words_for(d));
    known_.fill_bytes(0, main_.get());
    found_ = known_.data();
  }
  for (Bits* mask : {&reached_, &reached_before_, &nn_sources_, &nd_sources_}) {
    *mask = Bits(words_for(places.count()));
    mask->fill_bytes(0, main_.get());
  }
  low_levels_ = DeviceBuffer<std::uint32_t>(reached_.size() * 4 + 1);  // as window() reads them
  low_delegate_levels_ = DeviceBuffer<std::uint32_t>(visited_.size() * 4);
  if (parents_wanted_) {
    parents_ = DeviceBuffer<vertex_t>(graph.owned);
    place_parents_ = DeviceBuffer<vertex_t>(places.count());
    ids_ = DeviceBuffer<local_vertex_t>(places.count());
    ids_of_places(places, graph.owned, ids_.data(), main_);
    if (!settings.one_kernel) {
      own_delegate_parents_ = DeviceBuffer<vertex_t>(d);
      delegate_parents_ = own_delegate_parents_.data();
    }
    names_ = DeviceBuffer<vertex_t>(d);
    std::vector<vertex_t> names(graph.delegates.begin(), graph.delegates.end());
    cuda::upload(names_.data(), names.data(), names_.bytes(), main_);
  }
  std::vector<std::uint32_t> own(own_mask_.size(), 0);
  for (const auto& [vertex, u] : graph.own_delegates) own[u / 32] |= 1U << (u % 32);
  cuda::upload(own_mask_.data(), own.data(), own_mask_.bytes(), main_);
  const auto mark = [&](const auto& subgraph, std::uint32_t rows, Bits& bits) {
    if (rows == 0) return;
    mark_rows<<<blocks_for(rows), kBlockThreads, 0, main_.get()>>>(
        HasEntries{EitherOffsets::of(subgraph)}, rows, bits.data());
    BFSLAB_CUDA_LAUNCHED("mark_rows");
  };
  mark(graph.nn, places.count(), nn_sources_);
  mark(graph.nd, places.count(), nd_sources_);
  mark(graph.dn, d, dn_sources_);
  mark(graph.dd, d, dd_sources_);
  if (settings.backward) {
    const auto keep = [&](const auto& subgraph, std::uint32_t rows, const Bits& bits) {
      DeviceBuffer<FirstEntry> first(bits.size() * 32);  // whole words of vertices are read
      first.fill_bytes(0, main_.get());
      take_first<<<blocks_for(rows), kBlockThreads, 0, main_.get()>>>(
          EitherView<local_vertex_t>::of(subgraph), rows, first.data());
      BFSLAB_CUDA_LAUNCHED("take_first");
      return first;
    };
    dd_first_ = keep(graph.dd, d, dd_sources_);
    nd_first_ = keep(graph.nd, places.count(), nd_sources_);
    if (parents_wanted_) found_first_ = Bits(words_for(places.count()) + 1);  // likewise
    list_long_rows();
  }
  sources_ = {.nd = bits_in(nd_sources_, main_),
              .dn = bits_in(dn_sources_, main_),
              .dd = bits_in(dd_sources_, main_)};
  merge_blocks_ = cuda::full_grid();
  const std::size_t most = std::max<std::size_t>(places.count(), d);
  sums_ = cuda::DegreeSums(settings.merge_all ? most : d, merge_blocks_);
  if (settings.merge_all) main_sums_ = cuda::DegreeSums(most, merge_blocks_);
  std::uint64_t sent_bytes = 0;
  if (members_ > 1) {
    DeviceBuffer<unsigned long long> of_owner(kMostMembers);
    of_owner.fill_bytes(0, main_.get());
    const std::uint64_t entries = graph.nn.columns.size();
    count_by_owner<<<blocks_for(entries), kBlockThreads, 0, main_.get()>>>(
        graph.nn.columns.data(), entries, of_owner.data());
    BFSLAB_CUDA_LAUNCHED("count_by_owner");
    std::array<unsigned long long, kMostMembers> sizes{};
    cuda::download(sizes.data(), of_owner.data(), of_owner.bytes(), main_);
    std::uint64_t all = 0;
    for (unsigned to = 0; to < members_; ++to) {
      sent_first_[to] = all;
      all += to == me_ ? 0 : sizes[to];
    }
    sent_bytes = all * entry_bytes();
  }
  if (settings.one_kernel) {
    prepare_kernels(*member.all, sent_bytes);
  } else {
    sent_ = DeviceBuffer<std::byte>(sent_bytes);
    lists_ = sent_.data();
  }
  const std::vector<std::byte*> own_lists(members_, lists_);
  own_lists_ = DeviceBuffer<std::byte*>(members_);
  cuda::upload(own_lists_.data(), own_lists.data(), own_lists_.bytes(), main_);
  main_.wait();
}

void GpuWork::list_long_rows() {
  const std::uint32_t d = graph_.delegate_count();
  if (d == 0) return;
  DeviceBuffer<std::uint32_t> count(1);
  const auto list = [&](local_vertex_t* into) {
    count.fill_bytes(0, main_.get());
    list_long<<<blocks_for(d), kBlockThreads, 0, main_.get()>>>(
        EitherOffsets::of(graph_.dn), EitherOffsets::of(graph_.dd), d, into, count.data());
    BFSLAB_CUDA_LAUNCHED("list_long");
    return cuda::read_back(count.data(), main_);
  };
  const std::uint32_t rows = list(nullptr);
  if (rows == 0) return;
  long_delegates_ = DeviceBuffer<local_vertex_t>(rows);
  for (DeviceBuffer<RestOfRow>& left : left_rows_) left = DeviceBuffer<RestOfRow>(rows);
  list(long_delegates_.data());
}

void GpuWork::prepare_kernels(Communicator& all, std::uint64_t sent_bytes) {
  kernels_ = std::make_unique<Kernels>(all, gpu_, settings_.team_memory);
  Kernels& made = *kernels_;
  const auto zeros = [&](std::size_t words) {
    const TeamBuffer<std::uint32_t> bits = made.team.allocate<std::uint32_t>(words);
    bits.fill_bytes(0, main_.get());
    return bits;
  };
  for (unsigned parity = 0; parity < 2; ++parity) {
    made.known[parity] = zeros(visited_.size());
    made.known_of[parity] = made.team.of_all(made.known[parity]);
    made.touched[parity] = zeros((visited_.size() + 31) / 32);
    made.touched_of[parity] = made.team.of_all(made.touched[parity]);
  }
  found_ = made.known[1].data();
  made.said = made.team.allocate<Said>(std::size_t{kTurns} * members_);
  made.said_of = made.team.of_all(made.said);
  if (parents_wanted_) {
    made.delegate_parents = made.team.allocate<vertex_t>(graph_.delegate_count());
    made.delegate_parents_of = made.team.of_all(made.delegate_parents);
    delegate_parents_ = made.delegate_parents.data();
  }
  // How many bytes each member may send each; what one receives lies in the order of members.
  std::vector<Word> mine(members_);
  for (unsigned to = 0; to < members_; ++to) {
    const std::uint64_t end = to + 1 < members_ ? sent_first_[to + 1] * entry_bytes() : sent_bytes;
    mine[to] = end - sent_first_[to] * entry_bytes();
  }
  std::vector<Word> bytes(std::size_t{members_} * members_);  // of a member, to each
  all.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(bytes)));
  std::vector<Word> my_place(members_);  // in what each receives
  std::vector<Word> place_of(members_);  // in what this one does
  std::uint64_t incoming = 0;
  for (unsigned from = 0; from < members_; ++from) {
    place_of[from] = incoming;
    incoming += bytes[from * members_ + me_];
    for (unsigned to = 0; from < me_ && to < members_; ++to) {
      my_place[to] += bytes[from * members_ + to];
    }
  }
  made.received = made.team.allocate<std::byte>(std::max(incoming, sent_bytes));
  made.sent_to = made.team.of_all(made.received, my_place);
  std::vector<std::byte*> from_each(members_);
  for (unsigned from = 0; from < members_; ++from) {
    from_each[from] = made.received.data() + place_of[from];
  }
  made.received_from = DeviceBuffer<std::byte*>(members_);
  cuda::upload(made.received_from.data(), from_each.data(), made.received_from.bytes(), main_);
  lists_ = made.received.data();
}

void GpuWork::reset(local_vertex_t delegate, local_vertex_t vertex, bool in_one_kernel) {
  begin_.record(main_);
  vertex_t name = kNoVertex;
  if (delegate != kNone) {
    name = static_cast<vertex_t>(graph_.delegates[delegate]);
  } else if (vertex != kNone) {
    name = static_cast<vertex_t>(own_.global(me_, vertex));
  }
  reset_ = {normals(),
            reached_before_.data(),
            found_first(),
            labels(),
            delegate_labels(),
            delegates(),
            in_one_kernel,
            in_one_kernel ? kernels_->known[0].data() : nullptr,
            in_one_kernel && members_ > 1 ? kernels_->touched[0].data() : nullptr,
            visited_.data(),
            frontier_.data(),
            counts_.data(),
            with_place_,
            graph_.delegate_count(),
            reached_.size(),
            visited_.size(),
            sent_begin_.data(),
            sent_count_.data(),
            {},
            members_,
            delegate,
            vertex,
            name};
  if (!in_one_kernel) std::ranges::copy(sent_first_, reset_.sent_first);
  source_ = vertex;
  spelled_ = false;
  if (!in_one_kernel) {  // else that kernel does it
    const std::uint64_t most = std::max<std::uint64_t>(places_.count(), graph_.delegate_count());
    reset_all<<<blocks_for(most), kBlockThreads, 0, main_.get()>>>(reset_);
    BFSLAB_CUDA_LAUNCHED("reset_all");
  }
  sent_now_ = sent_first_;
  std::fill_n(sent_seen_.data(), kMostMembers, 0U);
  unvisited_ = sources_;
  reached_normals_ = reached_delegates_ = 0;
}

void GpuWork::read_counts(level_t level) {
  BFSLAB_CUDA(
      cudaMemcpyAsync(seen_, counts(level), sizeof(Counts), cudaMemcpyDeviceToHost, main_.get()));
}

LevelBegin GpuWork::level_begin() const {
  LevelBegin view;
  view.nn = EitherView<global_vertex_t>::of(graph_.nn);
  view.nd = EitherView<local_vertex_t>::of(graph_.nd);
  view.dn = EitherView<local_vertex_t>::of(graph_.dn);
  view.dd = EitherView<local_vertex_t>::of(graph_.dd);
  view.reached = reached_.data();
  view.reached_before = reached_before_.data();
  view.labels = labels();
  view.queue = queue_.data();
  view.normal_words = reached_.size();
  view.visited = visited_.data();
  view.delegate_labels = delegate_labels();
  view.frontier = frontier_.data();
  view.list = list_.data();
  view.delegate_words = visited_.size();
  view.dn_sources = dn_sources_.data();
  view.dd_sources = dd_sources_.data();
  view.nn_sources = nn_sources_.data();
  view.nd_sources = nd_sources_.data();
  view.own = own_mask_.data();
  return view;
}

Workloads GpuWork::pre_visit(level_t level, const DirectionRule& rule, const Backward& last,
                             bool told) {
  turn_ = 1 - turn_;
  for (unsigned to = 0; to < members_; ++to) {
    sent_now_[to] += sent_seen_[to];
    sent_seen_[to] = 0;
  }
  const LevelBegin view = level_begin();
  const std::size_t most = std::max(reached_.size(), visited_.size());
  static const unsigned at_begin = cuda::blocks_at_once(&begin_level, kLookThreads, 0);
  begin_level<<<std::min(at_begin, blocks_for(most / 4)), kLookThreads, 0, main_.get()>>>(
      view, found_, level, counts(level), counts(level + 1), members_, sent_begin_.data(),
      sent_count_.data());
  BFSLAB_CUDA_LAUNCHED("begin_level");
  double told_ms = 0;
  if (told) {
    main_.wait();
    const auto since = std::chrono::steady_clock::now();
    tell_level<<<blocks_for(most), kLookThreads, 0, main_.get()>>>(view, counts(level));
    BFSLAB_CUDA_LAUNCHED("tell_level");
    main_.wait();
    const auto spent = std::chrono::steady_clock::now() - since;
    told_ms = std::chrono::duration<double, std::milli>(spent).count();
  }
  static const unsigned at_queue = cuda::blocks_at_once(&queue_level, kLookThreads, 0);
  queue_level<<<std::min(at_queue, blocks_for(most / 4)), kLookThreads, 0, main_.get()>>>(
      view, rule, last, unvisited_, long_rows(), counts(level));
  BFSLAB_CUDA_LAUNCHED("queue_level");
  read_counts(level);
  main_.wait();
  load_ = workloads_of(*seen_, told);
  load_.told_ms = told_ms;
  return load_;
}

Workloads GpuWork::workloads_of(const Counts& seen, bool told) {
  Workloads work;
  work.normals = seen.normals;
  work.delegates = seen.delegates;
  work.own_delegates = seen.own_delegates;
  reached_normals_ += work.normals;
  reached_delegates_ += work.own_delegates;
  work.unvisited_normals = graph_.owned - graph_.own_delegates.size() - reached_normals_;
  work.unvisited_own_delegates = graph_.own_delegates.size() - reached_delegates_;
  work.of = workloads(seen, unvisited_);
  for (std::size_t each = 0; told && each < kEdgeClasses; ++each) {
    work.of.each[each].forward = seen.told[each];
  }
  return work;
}

std::vector<RanLevel> GpuWork::run_levels(const DirectionRule& rule, bool told) {
  Kernels& k = *kernels_;
  if (told && k.records.size() == 0) k.records = DeviceBuffer<DeviceLevelRecord>(kMostRecords);
  DeviceLevels of;
  of.reset = reset_;
  of.begin = level_begin();
  of.normals = normals();
  of.delegate_parents = delegates().parents;
  of.names = names();
  of.places = with_place_;
  of.normal_names = normal_names();
  of.sent = sent();
  of.sent.lists = k.sent_to.data();
  of.rule = rule;
  of.sources = sources_;
  for (unsigned parity = 0; parity < 2; ++parity) {
    of.known[parity] = k.known[parity].data();
    of.of.known[parity] = k.known_of[parity].data();
  }
  of.stripes = {Divisor(members_)};
  of.delegates = graph_.delegate_count();
  of.counts = counts_.data();
  of.few = k.few.data();
  of.said = k.said.data();
  of.long_rows = long_rows();
  for (unsigned i = 0; i < 2; ++i) of.left_rows[i] = left_rows_[i].data();
  of.sums = sums_.view(32);
  of.other_sums = main_sums_.view(32);
  of.short_rows = graph_.threshold <= kShortRow;
  of.team = k.team.view();
  of.of.said = k.said_of.data();
  of.received = k.received_from.data();
  of.dn_look = normals_look();
  for (unsigned parity = 0; parity < 2; ++parity) {
    if (members_ > 1) of.touched[parity] = k.touched[parity].data();
    of.of.touched[parity] = k.touched_of[parity].data();
    DelegateView view = delegates();
    view.known = of.known[parity];
    view.touched = of.touched[parity];
    // What others knew when this parity's masks were written last was visited since, so that these
    // may be read at any time.
    Among among{Among::all, of.stripes, me_, members_ > 1 ? of.of.known[parity] : nullptr};
    for (const bool alone : {false, true}) {
      of.nd_look[parity][alone] = {view,           dn_sources_.data(),
                                   nullptr,        reached_before_.data(),
                                   normal_names(), alone ? Among{} : among};
    }
    for (const Among::Whom whom : {Among::all, Among::own, Among::others}) {
      among.whom = whom;
      of.dd_look[parity][whom] = {
          view, dd_sources_.data(), dd_first_.data(), frontier_bits(), normal_names(), among};
    }
  }
  of.first_dd_look = of.dd_look[0][Among::all];
  of.first_dd_look.among = {};
  of.meetings = k.meetings;
  of.records = told ? k.records.data() : nullptr;
  of.most_records = kMostRecords;
  of.done = k.done.data();
  device_levels(merge_blocks_).launch(main_.get(), of);
  spell();
  const DeviceLevels::Done done = cuda::read_back(k.done.data(), main_);
  k.meetings = done.meetings;
  if (done.gave_up) {
    throw std::runtime_error(
        "delegate-cuda: a GPU waited too long for another in the kernel of a search: a member has "
        "failed, or something else keeps its GPU busy");
  }
  if (!told) return {};
  std::vector<DeviceLevelRecord> records(std::min(done.levels, kMostRecords));
  cuda::download(records.data(), k.records.data(), records.size() * sizeof(DeviceLevelRecord),
                 main_);
  std::vector<RanLevel> levels;
  std::uint64_t open = graph_.delegate_count();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool last = i + 1 == records.size();
    // What the last of the kept levels found is not known where more followed.
    if (last && done.levels > kMostRecords) break;
    levels.push_back(read(records[i], last ? Counts{} : records[i + 1].counts));
    if (members_ == 1) continue;
    // The level's lists, and its mask, unless there was nobody left to find.
    const std::uint64_t entries = records[i].sent_upto - (i > 0 ? records[i - 1].sent_upto : 0);
    open -= records[i].counts.delegates;
    levels.back().bytes_sent = entries * entry_bytes() + (open > 0 ? visited_.bytes() : 0);
  }
  return levels;
}

RanLevel GpuWork::read(const DeviceLevelRecord& record, const Counts& next) {
  RanLevel level;
  level.load = workloads_of(record.counts, true);
  level.backward = record.backward;
  for (const EdgeClass each : {EdgeClass::nn, EdgeClass::nd, EdgeClass::dn, EdgeClass::dd}) {
    if (!record.active[each]) continue;
    level.done[each].edges = record.backward[each]
                                 ? record.counts.checked[static_cast<std::size_t>(each)]
                                 : level.load.of[each].forward;
  }
  level.done[EdgeClass::dn].found = record.counts.found_by_dn;
  level.done[EdgeClass::nn].found = next.normals - record.counts.found_by_dn;
  level.own_delegates_found = next.own_delegates;
  const auto ms = [&record](unsigned from, unsigned to) {
    return static_cast<double>(record.ns[to] - record.ns[from]) * 1e-6;
  };
  // Without a meeting within the level, dd is one visit.
  const bool twice = record.ns[met_within] != 0;
  level.steps = {{"lists", ms(begun, lists_taken)},
                 {"masks", ms(lists_taken, masks_taken)},
                 {"frontier", ms(told_edges, taken)},
                 {"queues", ms(taken, queued)},
                 {"dn", ms(queued, dn_visited)},
                 {"dd", ms(dn_visited, twice ? own_dd_visited : dd_visited)},
                 {"meeting_within", twice ? ms(own_dd_visited, met_within) : 0},
                 {"dd_of_others", twice ? ms(met_within, dd_visited) : 0},
                 {"nd", ms(told_found, nd_visited)},
                 {"nn", ms(nd_visited, nn_visited)},
                 {"meeting", ms(nn_visited, met)}};
  level.lists_ms = ms(begun, lists_taken);
  level.masks_ms = members_ > 1 ? ms(lists_taken, masks_taken) : 0;
  level.meeting_ms = ms(nn_visited, met) + (twice ? ms(own_dd_visited, met_within) : 0);
  level.compute_ms = -level.lists_ms - level.masks_ms - level.meeting_ms;
  for (const RanLevel::Step& step : level.steps) level.compute_ms += step.ms;
  return level;
}

void GpuWork::visit_nn(level_t level) {
  const TakeOrSend action{normals(), me_, normal_names(), sent()};
  with_view(graph_.nn, [&](const auto& nn) {
    launch_forward(nn, queue_.data(), seen_->queued, &counts(level)->queued, action, main_);
  });
}

void GpuWork::visit_nd(bool backward, level_t level) {
  if (backward) {
    const DelegatesLook<false> task{
        delegates(), dn_sources_.data(), nullptr, reached_before_.data(), normal_names(), {}};
    with_view(graph_.dn, [&](const auto& dn) {
      launch_look(dn, task, visited_.size(), EdgeClass::nd, level, left(of_nd, level), beside_);
    });
    return;
  }
  const MarkDelegates<false> action{delegates(), normal_names()};
  with_view(graph_.nd, [&](const auto& nd) {
    launch_forward(nd, queue_.data(), seen_->queued, &counts(level)->queued, action, beside_);
  });
}

void GpuWork::visit_dn(bool backward, level_t level) {
  if (backward) {
    const NormalsLook task = normals_look();
    with_view(graph_.nd, [&](const auto& nd) {
      launch_look(nd, task, reached_.size(), EdgeClass::dn, level, {}, main_);
    });
    return;
  }
  const TakeNormals action{normals(), names()};
  with_view(graph_.dn, [&](const auto& dn) {
    launch_forward(dn, list_.data(), seen_->listed, &counts(level)->listed, action, main_);
  });
}

void GpuWork::visit_dd(bool backward, level_t level) {
  if (backward) {
    const DelegatesLook<true> task{delegates(),     dd_sources_.data(), dd_first_.data(),
                                   frontier_bits(), normal_names(),     {}};
    with_view(graph_.dd, [&](const auto& dd) {
      launch_look(dd, task, visited_.size(), EdgeClass::dd, level, left(of_dd, level), beside_);
    });
    return;
  }
  const MarkDelegates<true> action{delegates(), normal_names()};
  with_view(graph_.dd, [&](const auto& dd) {
    launch_merged(dd, list_.data(), &counts(level)->listed, action, beside_);
  });
}

PerEdgeClass<Visited> GpuWork::visit(const PerEdgeClass<bool>& active, const Backward& backward,
                                     level_t level, bool counted) {
  // The host waited for the pre-visit, so that both streams may begin at once.
  const bool finds_delegates = active[EdgeClass::dd] || active[EdgeClass::nd];
  if (active[EdgeClass::dd]) visit_dd(backward[EdgeClass::dd], level);
  if (active[EdgeClass::nd]) visit_nd(backward[EdgeClass::nd], level);
  if (active[EdgeClass::dn]) visit_dn(backward[EdgeClass::dn], level);
  if (counted) count_normals(&counts(level)->found_by_dn);
  if (active[EdgeClass::nn]) visit_nn(level);
  if (finds_delegates) joined_streams_.order(beside_.get(), main_.get());
  PerEdgeClass<Visited> done;
  if (members_ == 1 && !counted) return done;
  count_normals(&counts(level)->found_normals);
  launch_count(found_, visited_, nullptr, &counts(level)->found_delegates);
  read_counts(level);
  if (members_ > 1) {
    BFSLAB_CUDA(cudaMemcpyAsync(sent_seen_.data(), sent_count_.data(),
                                members_ * sizeof(std::uint32_t), cudaMemcpyDeviceToHost,
                                main_.get()));
  }
  main_.wait();
  done[EdgeClass::dn].found = seen_->found_by_dn;
  done[EdgeClass::nn].found = seen_->found_normals - seen_->found_by_dn;
  for (const EdgeClass each : {EdgeClass::nn, EdgeClass::nd, EdgeClass::dn, EdgeClass::dd}) {
    if (!active[each]) continue;
    done[each].edges =
        backward[each] ? seen_->checked[static_cast<std::size_t>(each)] : load_.of[each].forward;
  }
  return done;
}

std::uint64_t GpuWork::own_delegates_found() const {
  return new_bits(found_, visited_, own_mask_.data());
}

Bytes GpuWork::outgoing(unsigned to) const {
  const std::size_t size = entry_bytes();
  return {lists_ + sent_now_[to] * size, sent_seen_[to] * size};
}

void GpuWork::make_unique(std::span<Bytes> lists) {
  const auto sort = carries_ ? sort_unique<std::uint64_t, CarriedKey>
                             : sort_unique<local_vertex_t, local_vertex_t>;
  bool any = false;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].empty()) continue;
    any = true;
    lists[i] = {
        sort(lists[i], unique_[turn_][i], unique_scratch_, unique_counts_.data() + i, main_.get()),
        lists[i].size()};
  }
  if (!any) return;
  BFSLAB_CUDA(cudaMemcpyAsync(unique_seen_.data(), unique_counts_.data(),
                              lists.size() * sizeof(unsigned long long), cudaMemcpyDeviceToHost,
                              main_.get()));
  main_.wait();
  const std::size_t size = entry_bytes();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (!lists[i].empty()) lists[i] = lists[i].first(unique_seen_[i] * size);
  }
}

Bytes GpuWork::join(std::span<const Bytes> lists, unsigned rank) {
  std::size_t bytes = 0;
  for (const Bytes list : lists) bytes += list.size();
  std::byte* const into = joined_[turn_][rank].at_least(bytes, main_.get());
  std::size_t at = 0;
  for (const Bytes list : lists) {
    if (list.empty()) continue;
    BFSLAB_CUDA(
        cudaMemcpyAsync(into + at, list.data(), list.size(), cudaMemcpyDefault, main_.get()));
    at += list.size();
  }
  return {into, bytes};
}

std::uint64_t GpuWork::take_normals(Bytes list, level_t /*level*/, bool counted) {
  if (list.empty()) return 0;
  const auto found = [&] {
    return counted ? new_bits(reached_.data(), reached_before_, nullptr) : 0;
  };
  const std::uint64_t before = found();
  if (carries_) {
    const std::span<const Carried> entries = values_of<Carried>(list);
    take_carried<<<blocks_for(entries.size()), kBlockThreads, 0, main_.get()>>>(
        normals(), with_place_, entries.data(), entries.size());
    BFSLAB_CUDA_LAUNCHED("take_carried");
  } else {
    const std::span<const local_vertex_t> entries = values_of<local_vertex_t>(list);
    take_ids<<<blocks_for(entries.size()), kBlockThreads, 0, main_.get()>>>(
        normals(), with_place_, entries.data(), entries.size());
    BFSLAB_CUDA_LAUNCHED("take_ids");
  }
  return found() - before;
}

void GpuWork::spell() {
  if (kernels_ && parents_wanted_ && members_ > 1 && graph_.delegate_count() > 0) {
    const HomeView home{
        visited_.data(),      own_mask_.data(),    kernels_->delegate_parents_of.data(),
        visited_.size(),      {Divisor(members_)}, me_,
        kernels_->done.data()};
    bring_home<<<blocks_for(graph_.delegate_count() / 4 + 1), kBlockThreads, 0, main_.get()>>>(
        home);
    BFSLAB_CUDA_LAUNCHED("bring_home");
  }
  if (graph_.owned == 0) return;
  const SpelledView view{with_place_,
                         RankedView::of(places_.own_delegates),
                         places_.delegate_numbers.data(),
                         labels(),
                         delegate_labels(),
                         place_parents_.data(),
                         found_first(),
                         nd_first_.data(),
                         names(),
                         delegate_parents_,
                         levels_.data(),
                         parents_.data(),
                         graph_.owned,
                         source_};
  const auto launch = [&]<bool kParents>() {
    static const unsigned most = cuda::blocks_at_once(&spell_out<kParents>, kBlockThreads, 0);
    const unsigned blocks = std::min(most, blocks_for(graph_.owned / 4 + 1));
    spell_out<kParents><<<blocks, kBlockThreads, 0, main_.get()>>>(view);
  };
  parents_wanted_ ? launch.operator()<true>() : launch.operator()<false>();
  BFSLAB_CUDA_LAUNCHED("spell_out");
  spelled_ = true;
}

void GpuWork::finish(Communicator& data) {
  if (!spelled_) spell();
  if (parents_wanted_ && members_ > 1) fetch_parents(data);
  end_.record(main_);
  main_.wait();
}

void GpuWork::fetch_parents(Communicator& data) {
  if (!kernels_ || !carries_) ask_for_parents(data);
  data.barrier();  // before what others read where it lies is written again
}

void GpuWork::ask_for_parents(Communicator& data) {
  // Who asks: of places in the queue, of delegates in the list, which no level needs any more.
  unsigned long long* const asking = asked_.data();
  unsigned long long* const next = asking + 2;
  asked_.fill_bytes(0, main_.get());
  const auto select = [&](std::uint64_t count, const auto& asks, local_vertex_t* into,
                          unsigned long long* selected) {
    const thrust::counting_iterator<local_vertex_t> all(0);
    std::size_t needed = 0;
    const auto items = static_cast<std::int64_t>(count);
    const auto run = [&](void* scratch) {
      BFSLAB_CUDA(
          cub::DeviceSelect::If(scratch, needed, all, into, selected, items, asks, main_.get()));
    };
    run(nullptr);
    run(unique_scratch_.at_least(std::max(needed, std::size_t{1}), main_.get()));
  };
  const std::uint32_t d = kernels_ ? 0 : graph_.delegate_count();  // these have theirs
  if (d > 0) {
    select(d, DelegateAsks{visited_.data(), own_mask_.data(), delegate_parents_}, list_.data(),
           asking);
  }
  if (!carries_) {
    select(places_.count(), PlaceAsks{reached_.data(), found_first(), place_parents_.data()},
           queue_.data(), asking + 1);
  }
  // Those of both, in one list for each member.
  const OfDelegates of_delegates{list_.data(), names_.data(), owner_, members_};
  const unsigned blocks = cuda::full_grid();
  const auto for_all = [&](const auto& launch) {
    if (d > 0) launch(of_delegates, asking);
    if (carries_) return;
    with_view(graph_.nn, [&](const auto& nn) {
      using Graph = std::remove_cvref_t<decltype(nn)>;
      launch(OfPlaces<Graph>{nn, queue_.data(), ids_.data(), levels_.data(), me_}, asking + 1);
    });
  };
  for_all([&](const auto& items, const unsigned long long* count) {
    count_questions<<<blocks, kBlockThreads, 0, main_.get()>>>(items, count, next);
    BFSLAB_CUDA_LAUNCHED("count_questions");
  });
  const std::size_t bytes = members_ * sizeof(*next);
  BFSLAB_CUDA(
      cudaMemcpyAsync(asked_seen_.data(), next, bytes, cudaMemcpyDeviceToHost, main_.get()));
  main_.wait();
  std::array<std::uint64_t, kMostMembers> sizes{};
  std::array<std::uint64_t, kMostMembers> first{};
  std::uint64_t all = 0;
  for (unsigned to = 0; to < members_; ++to) {
    sizes[to] = asked_seen_.data()[to];
    first[to] = asked_seen_.data()[to] = all;
    all += sizes[to];
  }
  auto* const questions =
      reinterpret_cast<Question*>(questions_.at_least(all * sizeof(Question), main_.get()));
  if (all > 0) {
    BFSLAB_CUDA(
        cudaMemcpyAsync(next, asked_seen_.data(), bytes, cudaMemcpyHostToDevice, main_.get()));
    for_all([&](const auto& items, const unsigned long long* count) {
      put_questions<<<blocks, kBlockThreads, 0, main_.get()>>>(items, count, next, questions);
      BFSLAB_CUDA_LAUNCHED("put_questions");
    });
  }
  std::vector<Bytes> lists(members_);
  for (unsigned to = 0; to < members_; ++to) {
    lists[to] = std::as_bytes(std::span<const Question>(questions + first[to], sizes[to]));
  }
  const std::vector<Bytes> received = data.all_to_all(lists);
  std::uint64_t to_answer = 0;
  for (const Bytes list : received) to_answer += values_of<Question>(list).size();
  auto* const answers =
      reinterpret_cast<vertex_t*>(answers_.at_least(to_answer * sizeof(vertex_t), main_.get()));
  std::uint64_t at = 0;
  for (unsigned from = 0; from < members_; ++from) {
    const std::span<const Question> asked = values_of<Question>(received[from]);
    lists[from] = std::as_bytes(std::span<const vertex_t>(answers + at, asked.size()));
    if (asked.empty()) continue;
    answer_questions<<<blocks_for(asked.size()), kBlockThreads, 0, main_.get()>>>(
        asked.data(), asked.size(), levels_.data(), delegate_parents_, owner_, answers + at);
    BFSLAB_CUDA_LAUNCHED("answer_questions");
    at += asked.size();
  }
  const std::vector<Bytes> answered = data.all_to_all(lists);
  for (unsigned from = 0; from < members_; ++from) {
    const std::span<const vertex_t> parents = values_of<vertex_t>(answered[from]);
    if (parents.empty()) continue;
    take_answers<<<blocks_for(parents.size()), kBlockThreads, 0, main_.get()>>>(
        questions + first[from], parents.data(), parents.size(), parents_.data());
    BFSLAB_CUDA_LAUNCHED("take_answers");
  }
}

std::uint64_t GpuWork::reached_entries() const {
  BFSLAB_CUDA(cudaMemsetAsync(sum_.data(), 0, sum_.bytes(), main_.get()));
  const auto add = [&](const auto& one, const auto& other, const Bits& reached,
                       std::uint32_t rows) {
    if (rows == 0) return;
    sum_reached<<<blocks_for(rows), kBlockThreads, 0, main_.get()>>>(
        EitherOffsets::of(one), EitherOffsets::of(other), reached.data(), rows, sum_.data());
    BFSLAB_CUDA_LAUNCHED("sum_reached");
  };
  add(graph_.nn, graph_.nd, reached_, places_.count());
  add(graph_.dn, graph_.dd, visited_, graph_.delegate_count());
  return cuda::read_back(sum_.data(), main_);
}

MemoryUse GpuWork::memory() const {
  MemoryUse use;
  use.graph = graph_.bytes() + places_.bytes() + ids_.bytes() + dd_first_.bytes() +
              nd_first_.bytes() + dd_sources_.bytes() + dn_sources_.bytes() + own_mask_.bytes() +
              nn_sources_.bytes() + nd_sources_.bytes() + long_delegates_.bytes();
  use.status = levels_.bytes() + place_levels_.bytes() + place_parents_.bytes() +
               low_levels_.bytes() + low_delegate_levels_.bytes() + parents_.bytes() +
               delegate_levels_.bytes() + own_delegate_parents_.bytes() + names_.bytes() +
               frontier_.bytes() + visited_.bytes() + known_.bytes() + reached_.bytes() +
               reached_before_.bytes() + found_first_.bytes();
  use.queues =
      queue_.bytes() + list_.bytes() + sent_.bytes() + questions_.bytes() + answers_.bytes();
  for (const auto* turns : {&unique_, &joined_}) {
    for (const Turn& turn : *turns) {
      for (const cuda::GrowingBuffer& each : turn) use.queues += each.bytes();
    }
  }
  use.scratch = sums_.bytes() + main_sums_.bytes() + counts_.bytes() + sum_.bytes() +
                sent_begin_.bytes() + sent_count_.bytes() + unique_scratch_.bytes() +
                unique_counts_.bytes() + asked_.bytes() + left_rows_[0].bytes() +
                left_rows_[1].bytes();
  if (kernels_) {
    const std::uint64_t status = kernels_->known[0].bytes() + kernels_->known[1].bytes() +
                                 kernels_->delegate_parents.bytes();
    use.status += status;
    use.queues += kernels_->received.bytes();
    use.scratch += kernels_->team.bytes() - status - kernels_->received.bytes() +
                   kernels_->said_of.bytes() + kernels_->known_of[0].bytes() +
                   kernels_->known_of[1].bytes() + kernels_->touched_of[0].bytes() +
                   kernels_->touched_of[1].bytes() + kernels_->sent_to.bytes() +
                   kernels_->received_from.bytes() + kernels_->delegate_parents_of.bytes() +
                   kernels_->records.bytes() + kernels_->few.bytes() + kernels_->done.bytes();
  }
  use.sized_by_device =
      sums_.bytes_by_device() + main_sums_.bytes_by_device() + unique_scratch_.bytes();
  if (kernels_) use.sized_by_device += kernels_->records.bytes();
  return use;
}

}  // namespace

std::unique_ptr<LocalWork> make_gpu_work(const DeviceSubgraphs& graph, const Places& places,
                                         const MemberGpu& gpu, const Member& member,
                                         const WorkSettings& settings) {
  return std::make_unique<GpuWork>(graph, places, gpu, member, settings);
}

}  // namespace bfslab::distributed::delegate
