// SPDX-License-Identifier: Apache-2.0
// How a level of `delegate-cuda` begins (the pre-visit of scalable-bfs, Figure 3), in two passes
// over the bits. The first makes what was found the frontier, labels it and counts the sources of
// each subgraph. The second queues those that a visit forward may begin from, in the order of ids,
// and sums up their edges for the choice of directions, where the number of sources alone has not
// decided it: most of the frontier, in the levels that have most of it, is never queued. Where no
// direction is left to choose, one pass does both, since nn alone is visited forward then.
//
// Cost: 16 bytes for 32 delegates and 16 for 32 normal vertices, read in order, four words at once;
// 16 bytes of labels read and written for each word of the frontier; 4 bytes written for a vertex
// that is queued, and its offsets read in each subgraph that is asked for its workload.
#pragma once

#include "kernels/distributed/engines/delegate/gpu_kernels.cuh"

namespace bfslab::distributed::delegate {

// Adds what the threads of a block have of each of several sums to `*total(s)`: one atomic a block
// and sum. All threads of a block of kLookThreads; `of_warp(s)` is the sum over a warp's.
template <unsigned kSums, typename Value, typename OfWarp, typename Total>
__device__ void add_sums_of_block(OfWarp of_warp, Total total) {
  constexpr unsigned kWarps = kLookThreads / 32;
  static_assert(kSums <= kLookThreads);
  __shared__ Value of_warps[kWarps][kSums];
#pragma unroll
  for (unsigned s = 0; s < kSums; ++s) {
    const Value sum = of_warp(s);
    if (lane_id() == 0) of_warps[threadIdx.x / 32][s] = sum;
  }
  __syncthreads();
  if (threadIdx.x < kSums) {
    unsigned long long all = 0;
#pragma unroll
    for (unsigned warp = 0; warp < kWarps; ++warp) all += of_warps[warp][threadIdx.x];
    if (all > 0) atomicAdd(total(threadIdx.x), all);
  }
}

// Of a thread.
struct LevelSums {
  std::uint32_t frontier[kEdgeClasses] = {};
  std::uint32_t normals = 0;
  std::uint32_t delegates = 0;
  std::uint32_t own_delegates = 0;

  __device__ void add(EdgeClass subgraph, std::uint32_t sources) {
    frontier[static_cast<std::size_t>(subgraph)] += sources;
  }
  // All threads of the block.
  __device__ void add_to(Counts& counts) const {
    if (__syncthreads_or((normals | delegates) != 0 ? 1 : 0) == 0) return;
    constexpr unsigned kClasses = kEdgeClasses;
    static_assert(kClasses == 4);
    const std::uint32_t mine[] = {frontier[0], frontier[1], frontier[2],  frontier[3],
                                  normals,     delegates,   own_delegates};
    add_sums_of_block<kClasses + 3, std::uint32_t>(
        [&mine](unsigned s) {
#if __CUDA_ARCH__ >= 800
          return __reduce_add_sync(kAllLanes, mine[s]);
#else
          return static_cast<std::uint32_t>(cuda::sum_of_warp(mine[s]));
#endif
        },
        [&counts](unsigned s) {
          return s < kClasses        ? &counts.frontier[s]
                 : s == kClasses     ? &counts.normals
                 : s == kClasses + 1 ? &counts.delegates
                                     : &counts.own_delegates;
        });
  }
};

// Likewise, of edges.
struct EdgeSums {
  unsigned long long forward[kEdgeClasses] = {};

  // Of `kCount` rows of the subgraph, of which those with a bit in `there` count. All are asked for
  // before the first is awaited, the others, too: a condition would be a branch and a wait.
  template <typename Column, int kCount>
  __device__ void add(EdgeClass subgraph, const EitherView<Column>& graph,
                      const local_vertex_t (&rows)[kCount], unsigned there) {
    const EitherOffsets offsets = graph.row_offsets;
    std::uint64_t degrees[kCount];
#pragma unroll
    for (int t = 0; t < kCount; ++t) degrees[t] = offsets.degree(rows[t]);
#pragma unroll
    for (int t = 0; t < kCount; ++t) {
      forward[static_cast<std::size_t>(subgraph)] += (there >> t & 1U) != 0 ? degrees[t] : 0;
    }
  }
  // All threads of the block.
  __device__ void add_to(Counts& counts) const {
    unsigned long long any = 0;
    for (const unsigned long long each : forward) any |= each;
    if (__syncthreads_or(any != 0 ? 1 : 0) == 0) return;
    add_sums_of_block<kEdgeClasses, unsigned long long>(
        [this](unsigned s) {
          return __any_sync(kAllLanes, forward[s] != 0) != 0 ? cuda::sum_of_warp(forward[s]) : 0;
        },
        [&counts](unsigned s) { return &counts.forward[s]; });
  }
};

// All parts are called by all threads of a grid of blocks of kLookThreads: whole warps stay
// together, for places in the queues.
struct LevelBegin {
  EitherView<global_vertex_t> nn;
  EitherView<local_vertex_t> nd, dn, dd;
  const std::uint32_t* reached = nullptr;
  std::uint32_t* reached_before = nullptr;
  LabelView labels;
  local_vertex_t* queue = nullptr;  // normal vertices to begin from
  std::size_t normal_words = 0;
  std::uint32_t* visited = nullptr;  // of delegates
  LabelView delegate_labels;
  std::uint32_t* frontier = nullptr;
  local_vertex_t* list = nullptr;  // delegates to begin from
  std::size_t delegate_words = 0;
  const std::uint32_t* dn_sources = nullptr;
  const std::uint32_t* dd_sources = nullptr;
  const std::uint32_t* nn_sources = nullptr;
  const std::uint32_t* nd_sources = nullptr;
  const std::uint32_t* own = nullptr;

  // --- First.

  // known(w, before): of four words of delegates from w on those that are visited now, where
  // `before` were until the level before: what that one found on any member comes to them. To
  // `next`, which may be null, goes what is known as this level begins.
  template <typename Known>
  __device__ void take_delegates(Known known, std::uint32_t* next, level_t level,
                                 LevelSums& sums) const {
    for (std::size_t first = first_of_warp(); first < delegate_words; first += words_at_once()) {
      const std::size_t w = first + lane_id() * std::size_t{4};
      const uint4 before = w < delegate_words ? four(visited, w) : uint4{};
      const uint4 now = w < delegate_words ? known(w, before) : uint4{};
      const uint4 bits = without(now, before);
      if (w < delegate_words && next != nullptr) put_four(next, w, either(before, bits));
      if (any_of(bits)) {
        put_four(visited, w, either(before, bits));
        const uint4 in_dn = both(bits, four(dn_sources, w));
        const uint4 in_dd = both(bits, four(dd_sources, w));
        sums.add(EdgeClass::dn, count_of(in_dn));
        sums.add(EdgeClass::dd, count_of(in_dd));
        sums.delegates += count_of(bits);
        sums.own_delegates += count_of(both(bits, four(own, w)));
      }
      if (w < delegate_words) put_four(frontier, w, bits);
      delegate_labels.set(first, bits, level, words_of_warp());
    }
  }

  // In place of it, where all were visited before: none is in the frontier.
  __device__ void take_no_delegates() const {
    for (std::size_t w = cuda::thread_in_grid() * std::size_t{4}; w < delegate_words;
         w += words_at_once()) {
      put_four(frontier, w, uint4{});
    }
  }

  __device__ void take_normals(level_t level, LevelSums& sums) const {
    for (std::size_t first = first_of_warp(); first < normal_words; first += words_at_once()) {
      const std::size_t w = first + lane_id() * std::size_t{4};
      uint4 bits{};
      if (w < normal_words) bits = without(four(reached, w), four(reached_before, w));
      if (any_of(bits)) count_normals(bits, w, sums);
      labels.set(first, bits, level, words_of_warp());
    }
  }

  // Both passes in one, where all but nn is visited backward or not at all.
  __device__ void take_and_queue_normals(level_t level, Counts& now, LevelSums& sums) const {
    for (std::size_t first = first_of_warp(); first < normal_words; first += words_at_once()) {
      const std::size_t w = first + lane_id() * std::size_t{4};
      uint4 bits{};
      uint4 begins{};
      if (w < normal_words) {
        const uint4 now_reached = four(reached, w);
        bits = without(now_reached, four(reached_before, w));
        if (any_of(bits)) {
          put_four(reached_before, w, now_reached);
          begins = count_normals(bits, w, sums);
        }
      }
      labels.set(first, bits, level, words_of_warp());
      if (nobody_has(bits)) continue;
      const auto no_sums = [](const auto& /*some*/, unsigned /*there*/) {};
      put(Straight{first}, begins, queue, &now.queued, no_sums);
    }
  }

  // What nobody needs but those who ask: the edges of all sources, to `now.told`. Before
  // normal vertices are taken, after delegates are.
  __device__ void tell(Counts& now) const {
    unsigned long long edges[kEdgeClasses] = {};
    const auto add = [&](EdgeClass subgraph, const auto& graph, local_vertex_t row) {
      edges[static_cast<std::size_t>(subgraph)] += graph.row_offsets.degree(row);
    };
    const auto each_bit = [](std::size_t word, std::uint32_t bits, auto&& visit) {
      for (; bits != 0; bits &= bits - 1) {
        visit(static_cast<local_vertex_t>(word * 32 + __ffs(static_cast<int>(bits)) - 1));
      }
    };
    for (std::size_t w = cuda::thread_in_grid(); w < delegate_words; w += cuda::threads_in_grid()) {
      each_bit(w, frontier[w], [&](local_vertex_t u) {
        add(EdgeClass::dn, dn, u);
        add(EdgeClass::dd, dd, u);
      });
    }
    for (std::size_t w = cuda::thread_in_grid(); w < normal_words; w += cuda::threads_in_grid()) {
      each_bit(w, reached[w] & ~reached_before[w], [&](local_vertex_t v) {
        add(EdgeClass::nn, nn, v);
        add(EdgeClass::nd, nd, v);
      });
    }
    for (std::size_t each = 0; each < kEdgeClasses; ++each) {
      cuda::add_of_block(edges[each], &now.told[each]);
    }
  }

  // --- Second, after all threads have ended the first.

  __device__ void queue_delegates(const Wanted& wanted, Counts& now, EdgeSums& sums) const {
    const bool to_normals = wanted.forward[EdgeClass::dn];
    const bool to_delegates = wanted.forward[EdgeClass::dd];
    if (!to_normals && !to_delegates) return;
    const auto sum = [&](const auto& some, unsigned there) {
      if (wanted.edges[EdgeClass::dn]) sums.add(EdgeClass::dn, dn, some, there);
      if (wanted.edges[EdgeClass::dd]) sums.add(EdgeClass::dd, dd, some, there);
    };
    for (Turn turn(delegate_words); turn.is_one(); turn.go_on()) {
      const std::size_t w = turn.own();
      uint4 bits{};
      if (w < delegate_words) bits = four(frontier, w);
      if (nobody_has(bits)) continue;
      uint4 in_dn{};
      uint4 in_dd{};
      if (any_of(bits)) {
        if (to_normals) in_dn = both(bits, four(dn_sources, w));
        if (to_delegates) in_dd = both(bits, four(dd_sources, w));
      }
      put(turn, either(in_dn, in_dd), list, &now.listed, sum);
    }
  }

  __device__ void queue_normals(const Wanted& wanted, Counts& now, EdgeSums& sums) const {
    const auto sum = [&](const auto& some, unsigned there) {
      if (wanted.edges[EdgeClass::nd]) sums.add(EdgeClass::nd, nd, some, there);
    };
    const bool to_delegates = wanted.forward[EdgeClass::nd];
    for (Turn turn(normal_words); turn.is_one(); turn.go_on()) {
      const std::size_t w = turn.own();
      uint4 bits{};
      if (w < normal_words) {
        const uint4 now_reached = four(reached, w);
        bits = without(now_reached, four(reached_before, w));
        if (any_of(bits)) put_four(reached_before, w, now_reached);
      }
      if (nobody_has(bits)) continue;
      uint4 begins{};
      if (any_of(bits)) {
        begins = both(bits, four(nn_sources, w));
        if (to_delegates) begins = either(begins, both(bits, four(nd_sources, w)));
      }
      put(turn, begins, queue, &now.queued, sum);
    }
  }

 private:
  // Of four words from w on, those with edges in nn.
  __device__ uint4 count_normals(const uint4& bits, std::size_t w, LevelSums& sums) const {
    const uint4 in_nn = both(bits, four(nn_sources, w));
    sums.add(EdgeClass::nn, count_of(in_nn));
    sums.add(EdgeClass::nd, count_of(both(bits, four(nd_sources, w))));
    sums.normals += count_of(bits);
    return in_nn;
  }

  // The 128 words of a warp from `first` on, four of each lane.
  struct Straight {
    std::size_t first;
    // As that of Turn.
    [[nodiscard]] __device__ local_vertex_t vertex(unsigned place) const {
      return static_cast<local_vertex_t>(first * 32 + place);
    }
  };

  // The 128 words of a warp's turn, of which each lane has four that follow one another: sixteen
  // stretches far from each other, as in LookWords.
  struct Turn {
    static constexpr unsigned kStretch = 8;
    static constexpr unsigned kLanes = kStretch / 4;

    std::size_t apart;  // words from a stretch to the next
    std::size_t turn = cuda::thread_in_grid() / 32;

    __device__ explicit Turn(std::size_t words) : apart((words + 127) / 128 * kStretch) {}
    [[nodiscard]] __device__ bool is_one() const { return turn * kStretch < apart; }
    __device__ void go_on() { turn += cuda::threads_in_grid() / 32; }
    [[nodiscard]] __device__ std::size_t word(unsigned lane) const {
      return lane / kLanes * apart + turn * kStretch + lane % kLanes * 4;
    }
    [[nodiscard]] __device__ std::size_t own() const { return word(lane_id()); }
    // Of bit i of lane l's k-th word, at place l * 128 + k * 32 + i.
    [[nodiscard]] __device__ local_vertex_t vertex(unsigned place) const {
      return static_cast<local_vertex_t>(word(place / 128) * 32 + place % 128);
    }
  };

  __device__ static uint4 four(const std::uint32_t* bits, std::size_t word) {
    return *reinterpret_cast<const uint4*>(bits + word);
  }
  __device__ static void put_four(std::uint32_t* bits, std::size_t word, const uint4& four) {
    *reinterpret_cast<uint4*>(bits + word) = four;
  }
  __device__ static uint4 both(const uint4& a, const uint4& b) {
    return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
  }
  __device__ static uint4 either(const uint4& a, const uint4& b) {
    return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
  }
  __device__ static uint4 without(const uint4& a, const uint4& b) {
    return make_uint4(a.x & ~b.x, a.y & ~b.y, a.z & ~b.z, a.w & ~b.w);
  }
  __device__ static bool any_of(const uint4& bits) {
    return (bits.x | bits.y | bits.z | bits.w) != 0;
  }
  __device__ static bool nobody_has(const uint4& bits) {
    return __any_sync(kAllLanes, any_of(bits)) == 0;
  }
  __device__ static std::uint32_t count_of(const uint4& bits) {
    return __popc(bits.x) + __popc(bits.y) + __popc(bits.z) + __popc(bits.w);
  }

  // Four words of each lane of a warp, which follow one another.
  [[nodiscard]] __device__ static std::size_t first_of_warp() {
    return (cuda::thread_in_grid() - lane_id()) * std::size_t{4};
  }
  [[nodiscard]] __device__ static std::size_t words_at_once() {
    return cuda::threads_in_grid() * std::size_t{4};
  }
  [[nodiscard]] __device__ static std::uint32_t* words_of_warp() {
    return look_space().words[threadIdx.x / 32];
  }

  // Appends them to `queue`, and calls sum(ids, which of these are there) of what the lane puts.
  // All lanes of a warp.
  template <typename WarpWords, typename Sum>
  __device__ static void put(const WarpWords& turn, const uint4& bits, local_vertex_t* queue,
                             std::uint32_t* queued, Sum sum) {
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
    if (cuda::sum_of_warp(count_of(bits)) <= kPlaces) {
      // Few: all at once, since each step waits for memory.
      std::uint16_t* const places = places_of_warp();
      const std::uint32_t count = lay_out(words, places);
      put_laid_out(turn, count, places, queue, queued, sum);
      return;
    }
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      std::uint32_t one[4] = {};
      one[k] = words[k];
      std::uint16_t* const places = places_of_warp();
      const std::uint32_t count = lay_out(one, places);
      put_laid_out(turn, count, places, queue, queued, sum);
    }
  }

  static constexpr std::uint32_t kPlaces = 1024;  // of a warp

  // As cuda::lay_out(), of four words a lane: bit i of lane l's k-th word is l * 128 + k * 32 + i.
  __device__ static std::uint32_t lay_out(const std::uint32_t (&words)[4], std::uint16_t* places) {
    std::uint32_t own = 0;
    for (const std::uint32_t word : words) own += __popc(word);
    const std::uint32_t upto = cuda::inclusive_of_warp(own);
    std::uint32_t at = upto - own;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      for (std::uint32_t left = words[k]; left != 0; left &= left - 1) {
        places[at++] = static_cast<std::uint16_t>(lane_id() * 128 + k * 32 +
                                                  __ffs(static_cast<int>(left)) - 1);
      }
    }
    return __shfl_sync(kAllLanes, upto, 31);
  }

  template <typename WarpWords, typename Sum>
  __device__ static void put_laid_out(const WarpWords& turn, std::uint32_t count,
                                      const std::uint16_t* places, local_vertex_t* queue,
                                      std::uint32_t* queued, Sum& sum) {
    constexpr int kEach = 4;  // offsets in flight a lane
    if (count == 0) return;
    const std::uint32_t place = place_of_warp(queued, count);
    __syncwarp();
    for (std::uint32_t i = lane_id(); i < count; i += 32 * kEach) {
      local_vertex_t some[kEach];
      unsigned there = 0;
#pragma unroll
      for (int t = 0; t < kEach; ++t) {
        const std::uint32_t j = i + 32 * t;
        some[t] = j < count ? turn.vertex(places[j]) : 0;
        if (j < count) {
          queue[place + j] = some[t];
          there |= 1U << t;
        }
      }
      sum(some, there);
    }
    __syncwarp();  // before `places` are written again
  }
};

}  // namespace bfslab::distributed::delegate
