// SPDX-License-Identifier: Apache-2.0
// The kernels of `delegate-cuda` (scalable-bfs, section IV and Figure 3): what a level does on one
// GPU. Forward visits are edge actions (traversal/edges.cuh) that the expansions of expand/ share
// out; backward visits look for parents from the unvisited side.
//
// Normal vertices are numbered by place (places.hpp) and have a level each and a bit that says
// whether they were reached: bits of 67 million vertices lie in the GPU's cache, where levels do
// not. While levels run, a level is four bits. A visit only sets bits, by atomics that return
// nothing, so that no visit waits for one or for a place in a queue; any of the parents that a
// level finds for a vertex is right. What was set since the level before becomes the frontier at
// the beginning of the next level: labelled and queued in the order of ids. Delegates are bits of
// masks, in the 32-bit halves of Communicator words.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/expand/degree_sums.cuh"
#include "kernels/cuda/traversal/bits.cuh"
#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/cuda/traversal/mark_rows.cuh"
#include "kernels/distributed/divisor.hpp"
#include "kernels/distributed/engines/delegate/local_work.hpp"
#include "kernels/distributed/engines/delegate/look_words.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

namespace bfslab::distributed::delegate {

using cuda::fresh;
using cuda::kAllLanes;
using cuda::lane_id;
using cuda::lay_out;
using cuda::place_of_warp;
using cuda::test;
using cuda::unset_among;
using NormalView = cuda::ReachedView;  // of a member's normal vertices, by place

inline constexpr unsigned kMostMembers = 64;

// The so-manieth member after `me`, 1 to members - 1: if each reads the others in this order, no
// two begin with the same.
constexpr unsigned member_after(unsigned me, unsigned other, unsigned members) {
  const unsigned member = me + other;
  return member < members ? member : member - members;
}

// Words of 32 that `bits` take, of which four are read at once.
constexpr std::size_t words_for(std::uint64_t bits) { return (bits + 127) / 128 * 4; }

// A subgraph as kernels take it, with offsets of one width,
template <typename Offset, typename Column>
struct GraphView {
  const Offset* row_offsets = nullptr;
  const Column* columns = nullptr;
  std::uint64_t entries = 0;
};

// or of a width that is known when they run, for kernels that have all subgraphs, or read few.
struct EitherOffsets {
  const std::uint32_t* narrow = nullptr;
  const std::uint64_t* wide = nullptr;  // null: they are narrow

  template <typename Column>
  [[nodiscard]] static EitherOffsets of(const DeviceSubgraph<Column>& graph) {
    return {graph.narrow.data(), graph.wide.data()};
  }
  [[nodiscard]] __device__ std::uint64_t operator[](std::size_t row) const {
    return wide != nullptr ? wide[row] : narrow[row];
  }
  [[nodiscard]] __device__ std::uint64_t degree(local_vertex_t row) const {
    return (*this)[row + std::size_t{1}] - (*this)[row];
  }
};

template <typename Column>
struct EitherView {
  EitherOffsets row_offsets;
  const Column* columns = nullptr;
  std::uint64_t entries = 0;

  [[nodiscard]] static EitherView of(const DeviceSubgraph<Column>& graph) {
    return {EitherOffsets::of(graph), graph.columns.data(), graph.columns.size()};
  }
};

// Looks of a level that leave long rows for later (LeftRows): of dd, or of its owners alone; of the
// others in dd; of nd.
enum LongLook : unsigned { of_dd, of_others_in_dd, of_nd, kLongLooks };

// What kernels tell each other and the host of a level.
struct Counts {
  unsigned long long forward[kEdgeClasses] = {};   // edges of the level's sources, where wanted
  unsigned long long told[kEdgeClasses] = {};      // likewise, all of them, if somebody asks
  unsigned long long frontier[kEdgeClasses] = {};  // sources with edges
  unsigned long long checked[kEdgeClasses] = {};   // entries that backward visits read
  unsigned long long normals = 0;                  // of the level
  unsigned long long delegates = 0;
  unsigned long long own_delegates = 0;
  unsigned long long found_by_dn = 0;    // normal vertices
  unsigned long long found_normals = 0;  // by dn and nn
  unsigned long long found_delegates = 0;
  // What forward visits begin from: delegates and normal vertices with edges in a subgraph that may
  // be visited forward.
  std::uint32_t listed = 0;
  std::uint32_t queued = 0;
  std::uint32_t left_long[kLongLooks] = {};  // LeftRows::count
  std::uint32_t long_open = 0;               // LongRows::any_open, where hosts launch levels
};

inline constexpr unsigned kTurns = 3;  // counts of this level, of the next, and of the one before

// Sources of edges in nd, dn and dd that no level has reached.
struct Unvisited {
  unsigned long long nd = 0, dn = 0, dd = 0;
};

// The workloads of a level that begins, whose sources it takes from `unvisited`. Where edges are
// not summed up, sources stand for them, each of which has one at least.
constexpr PerEdgeClass<Workload> workloads(const Counts& seen, Unvisited& unvisited) {
  PerEdgeClass<Workload> work;
  for (std::size_t i = 0; i < kEdgeClasses; ++i) {
    work.each[i].frontier = seen.frontier[i];
    work.each[i].forward = seen.forward[i] > seen.frontier[i] ? seen.forward[i] : seen.frontier[i];
  }
  Workload& nd = work[EdgeClass::nd];
  Workload& dn = work[EdgeClass::dn];
  Workload& dd = work[EdgeClass::dd];
  unvisited.nd -= nd.frontier;
  unvisited.dn -= dn.frontier;
  unvisited.dd -= dd.frontier;
  nd.unvisited = dn.backward = unvisited.nd;
  nd.backward = dn.unvisited = unvisited.dn;
  dd.unvisited = dd.backward = unvisited.dd;
  return work;
}

// What of a level whose sources are counted is left to do: nothing for a subgraph that turns
// backward by these alone, and for good, and no delegates where none has edges.
constexpr Wanted left_to_do(const Counts& seen, Unvisited unvisited, const DirectionRule& rule,
                            const Backward& last) {
  const PerEdgeClass<Workload> work = workloads(seen, unvisited);
  Backward turned;
  for (const EdgeClass subgraph : {EdgeClass::nd, EdgeClass::dn, EdgeClass::dd}) {
    turned[subgraph] = rule.turns(subgraph, last[subgraph], work[subgraph]);
  }
  Wanted wanted = rule.wanted(turned);
  for (const EdgeClass subgraph : {EdgeClass::dn, EdgeClass::dd}) {  // else there is none to queue
    wanted.forward[subgraph] = wanted.forward[subgraph] && work[subgraph].frontier > 0;
  }
  return wanted;
}

// As cuda::mark_rows.
template <typename Has>
__global__ void mark_rows(const __grid_constant__ Has has, std::uint32_t rows,
                          std::uint32_t* bits) {
  cuda::mark_rows(rows, bits,
                  [&has](std::uint64_t r) { return has(static_cast<local_vertex_t>(r)); });
}

// What travels with its parent, in one store.
struct alignas(8) Carried {
  local_vertex_t vertex;
  vertex_t parent;
};

// v % members and v / members.
struct OwnerOf {
  Divisor members;
  unsigned me = 0;

  [[nodiscard]] __device__ unsigned owner(global_vertex_t v) const {
    return static_cast<unsigned>(members.remainder(v));
  }
  [[nodiscard]] __device__ local_vertex_t local(global_vertex_t v) const {
    return static_cast<local_vertex_t>(members.quotient(v));
  }
  [[nodiscard]] __device__ global_vertex_t global(local_vertex_t v) const {
    return v * members.value() + me;
  }
};

// The ids of the whole graph of a member's normal vertices, for parents.
struct NormalNames {
  OwnerOf own;
  const local_vertex_t* ids = nullptr;  // by place; null: nobody asks for parents

  [[nodiscard]] __device__ vertex_t of(local_vertex_t place) const {
    return ids != nullptr ? static_cast<vertex_t>(own.global(ids[place])) : kNoVertex;
  }
};

// Levels while a search runs: four bits a vertex, which take an eighth of the memory's traffic, and
// the whole word only where these are too short.
struct LabelView {
  static constexpr std::uint32_t kNone = 0xF;         // not reached
  static constexpr std::uint32_t kWhole = 0xE;        // in `whole`
  static constexpr std::uint32_t kEach = 0x11111111;  // times a label: eight of it

  std::uint32_t* low = nullptr;  // eight labels a word
  level_t* whole = nullptr;

  // Of vertex `i`, whose label is `label`.
  [[nodiscard]] __device__ std::uint32_t label(std::size_t i) const {
    return low[i / 8] >> i % 8 * 4 & 0xFU;
  }
  [[nodiscard]] __device__ level_t level(std::uint32_t label, std::size_t i) const {
    return label == kNone ? kUnreached : label == kWhole ? whole[i] : label;
  }
  // Of one vertex that has no label, while others label its neighbours in the word.
  __device__ void set_one(std::size_t i, level_t level) const {
    const std::uint32_t label = level < kWhole ? level : kWhole;
    atomicAnd(low + i / 8, ~((kNone & ~label) << i % 8 * 4));
    if (level >= kWhole) whole[i] = level;
  }
  // Level 0 for `i`, which has no label, by the thread that has written its word.
  __device__ void begin_with(std::size_t i) const { low[i / 8] &= ~(0xFU << i % 8 * 4); }
  // Of those vertices that have a bit in the words of a warp, which follow one another from
  // `first` on, four of each lane: what lanes read and write together lies side by side. All lanes
  // of a warp; `space` is the warp's, [128], by 16 bytes.
  __device__ void set(std::size_t first, const uint4& bits, level_t level,
                      std::uint32_t* space) const {
    constexpr unsigned kAtOnce = 4;  // reads under way
    if (__any_sync(kAllLanes, (bits.x | bits.y | bits.z | bits.w) != 0) == 0) return;
    const bool fits = level < kWhole;
    const std::uint32_t eight = (fits ? level : kWhole) * kEach;
    reinterpret_cast<uint4*>(space)[lane_id()] = bits;
    __syncwarp();
    uint4* const of_word = reinterpret_cast<uint4*>(low) + first + lane_id();  // 32 labels each
    std::uint32_t of[kAtOnce];
    uint4 old[kAtOnce];  // all are asked for before the first is written
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      of[i] = space[32 * i + lane_id()];
      old[i] = of[i] != 0 ? of_word[32 * i] : uint4{};
    }
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if (of[i] == 0) continue;
      const auto blend = [&](std::uint32_t before, unsigned byte) {
        // Eight bits become eight nibbles, of ones or of zeros.
        std::uint32_t spread = of[i] >> 8 * byte & 0xFFU;
        spread = (spread | spread << 12) & 0x000F000FU;
        spread = (spread | spread << 6) & 0x03030303U;
        spread = (spread | spread << 3) & 0x11111111U;
        const std::uint32_t mask = spread * 0xFU;
        return (before & ~mask) | (eight & mask);
      };
      of_word[32 * i] = make_uint4(blend(old[i].x, 0), blend(old[i].y, 1), blend(old[i].z, 2),
                                   blend(old[i].w, 3));
    }
    __syncwarp();  // before `space` is written again
    if (fits) return;
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
    for (unsigned k = 0; k < 4; ++k) {
      for (std::uint32_t left = words[k]; left != 0; left &= left - 1) {
        whole[(first + lane_id() * 4 + k) * 32 + __ffs(static_cast<int>(left)) - 1] = level;
      }
    }
  }
};

struct DelegateView {
  // Bits: who was visited before this level, and who is found in it, so that a visit asks once.
  std::uint32_t* known = nullptr;
  // A bit for each word of `known` in which something was found in this level; null: nobody asks.
  std::uint32_t* touched = nullptr;
  vertex_t* parents = nullptr;      // null: not asked for
  const vertex_t* names = nullptr;  // ids as parents have them, where these are asked for

  // u was open in this level.
  __device__ void mark(local_vertex_t u, vertex_t parent) const {
    if (parents != nullptr) parents[u] = parent;
    cuda::set_together(known, u);
    touch(u / 32);
  }
  __device__ void touch(std::size_t word) const {
    if (touched == nullptr || (fresh(touched + word / 32) >> word % 32 & 1U) != 0) return;
    atomicOr(touched + word / 32, 1U << word % 32);
  }
};

// --- Forward: edge actions.

// Of dn.
struct TakeNormals {
  static constexpr int kBatch = 4;
  NormalView normals;
  const vertex_t* names = nullptr;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return fresh(normals.reached + word); });
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    normals.take(to, names != nullptr ? names[from] : kNoVertex);
  }
  __device__ void finish() const {}
};
static_assert(cuda::EdgeAction<TakeNormals>);

// Of dd, whose sources have names, and of nd.
template <bool kFromDelegates>
struct MarkDelegates {
  static constexpr int kBatch = 4;
  DelegateView delegates;
  NormalNames normals;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return fresh(delegates.known + word); });
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    vertex_t parent = kNoVertex;
    if (delegates.parents != nullptr) {
      parent = kFromDelegates ? delegates.names[from] : normals.of(from);
    }
    delegates.mark(to, parent);
  }
  __device__ void finish() const {}
};
static_assert(cuda::EdgeAction<MarkDelegates<true>>);

// Where an edge of nn ends: as its column holds it, so that no visit divides.
struct NormalEnd {
  global_vertex_t column = 0;

  [[nodiscard]] __device__ static NormalEnd of(unsigned owner, local_vertex_t local) {
    return {global_vertex_t{owner} << 32 | local};
  }
  [[nodiscard]] __device__ unsigned owner() const { return static_cast<unsigned>(column >> 32); }
  // On its owner; or its place, of this member's own.
  [[nodiscard]] __device__ local_vertex_t local() const {
    return static_cast<local_vertex_t>(column);
  }
};

// Lists for the other members, with room for all that a search can send: in this member's memory,
// or, where one kernel runs all levels, in the memory of whom they are for.
struct SentView {
  std::byte* const* lists = nullptr;     // [members] of ids, or of Carried
  const std::uint64_t* begin = nullptr;  // [members] entries of the level begin there
  std::uint32_t* count = nullptr;        // [members] from there on
  bool carried = false;
};

// Of nn, whose columns take_places() has made NormalEnds. Whether a vertex of another member is
// open only that member knows.
struct TakeOrSend {
  static constexpr int kBatch = 4;
  NormalView normals;
  unsigned me = 0;
  NormalNames names;
  SentView sent;

  template <typename To, int kCount>
  __device__ __forceinline__ unsigned open_among(const To (&to)[kCount]) const {
    // As in parents_among(); a member has a word of bits at least.
    std::uint32_t words[kCount];
    std::uint32_t bits[kCount];
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const NormalEnd end{to[j]};  // of none the owner is nobody
      const bool is_own = end.owner() == me;
      const local_vertex_t v = is_own ? end.local() : 0;
      words[j] = fresh(normals.reached + v / 32);
      bits[j] = is_own ? 1U << v % 32 : 0;  // of others it is not known
    }
    unsigned open = 0;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      open |= (to[j] != ~To{0} && (words[j] & bits[j]) == 0 ? 1U : 0U) << j;
    }
    return open;
  }
  template <typename To>
  __device__ __forceinline__ void found(vertex_t from, To to) const {
    const unsigned owner = NormalEnd{to}.owner();
    const local_vertex_t local = NormalEnd{to}.local();
    const vertex_t parent = names.of(from);
    if (owner == me) return normals.take(local, parent);
    const unsigned here = __activemask();
    const unsigned peers = __match_any_sync(here, owner);
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    std::uint32_t base = 0;
    if (static_cast<int>(lane_id()) == leader) {
      base = atomicAdd(sent.count + owner, static_cast<std::uint32_t>(__popc(peers)));
    }
    base = __shfl_sync(peers, base, leader);
    const std::uint64_t place = sent.begin[owner] + base + __popc(peers & cuda::lanes_below());
    std::byte* const list = sent.lists[owner];
    if (sent.carried) {
      reinterpret_cast<Carried*>(list)[place] = {local, parent};
    } else {
      reinterpret_cast<local_vertex_t*>(list)[place] = local;
    }
  }
  __device__ void finish() const {}
};
static_assert(cuda::EdgeAction<TakeOrSend>);

// What levels of few vertices have found, by the level modulo kTurns.
struct FewCounts {
  std::uint32_t found[kTurns] = {};
  std::uint32_t queued[kTurns] = {};  // of these, those with edges in nn
};

// Normal vertices of such a level: claimed, labelled and queued one by one, as they are found.
struct FewFinds {
  NormalView normals;
  LabelView labels;
  level_t level = 0;                       // that they belong to
  const std::uint32_t* sources = nullptr;  // bits: with edges in nn
  local_vertex_t* queue = nullptr;         // where the level's begin
  FewCounts* counts = nullptr;
  std::uint32_t own = 0;  // of the thread

  __device__ void claim(local_vertex_t v, vertex_t parent) {
    const std::uint32_t bit = 1U << v % 32;
    if ((atomicOr(normals.reached + v / 32, bit) & bit) != 0) return;
    cuda::stress_pause();
    if (normals.parents != nullptr) normals.parents[v] = parent;
    labels.set_one(v, level);
    ++own;
    if (test(sources, v)) queue[cuda::append_place(&counts->queued[level % kTurns])] = v;
  }
  // All lanes of a warp, once all are claimed.
  __device__ void finish() const {
    const std::uint32_t all = cuda::sum_of_warp(own);
    if (lane_id() == 0 && all > 0) atomicAdd(&counts->found[level % kTurns], all);
  }
};

// Of nn, in such a level.
struct ClaimOrSend {
  static constexpr int kBatch = TakeOrSend::kBatch;
  TakeOrSend send;
  FewFinds finds;

  template <typename To, int kCount>
  __device__ __forceinline__ unsigned open_among(const To (&to)[kCount]) const {
    return send.open_among(to);
  }
  template <typename To>
  __device__ __forceinline__ void found(vertex_t from, To to) {
    if (NormalEnd{to}.owner() != send.me) return send.found(from, to);
    finds.claim(NormalEnd{to}.local(), send.names.of(from));
  }
  __device__ void finish() const { finds.finish(); }
};
static_assert(cuda::EdgeAction<ClaimOrSend>);

// --- Backward: candidates look through their rows of the reversed subgraph.

// The first entry of a row, kept by itself, and a bit that says that the row has no other, so that
// who misses there need not ask how long it is. Entries of rows that are looked through are
// delegates, of which there are fewer than that bit has room for.
struct FirstEntry {
  static constexpr std::uint32_t kOnly = 1U << 31;
  std::uint32_t word = 0;

  [[nodiscard]] __device__ local_vertex_t entry() const { return word & ~kOnly; }
  [[nodiscard]] __device__ bool is_only() const { return (word & kOnly) != 0; }
};

// Of 32 vertices, as bits: those with edges where it is looked, and those that need not look.
struct CandidateWords {
  std::uint32_t sources = 0;
  std::uint32_t known = 0;
  std::uint32_t of_owner = 0;  // what the word's owner knows, where it was asked

  [[nodiscard]] __device__ std::uint32_t open() const { return sources & ~known; }
};

inline constexpr unsigned kLookThreads = 256;

// Bits of the frontier's delegates, of which a block keeps the first ones in shared memory. Where
// delegates are numbered by degree these are hubs, whom most rows begin with, and lanes look them
// up side by side; in the level-1 cache each line that they ask for is a turn of its own.
struct FrontierBits {
  static constexpr unsigned kMostKept = 4096;

  const std::uint32_t* bits = nullptr;
  std::uint32_t kept = 0;  // words, at most kMostKept

  // All threads of a block of kLookThreads, before it looks, as often as the bits change. A barrier
  // of the block is to follow.
  __device__ void keep() const {
    __syncthreads();  // who looked before may still read them
    for (std::uint32_t w = threadIdx.x; w < kept; w += kLookThreads) space()[w] = bits[w];
  }
  // Where they are kept. Once for all looks: what it points to is hidden, since its address would
  // be made anew for each otherwise.
  [[nodiscard]] __device__ static const std::uint32_t* kept_words() {
    const std::uint32_t* words = space();
    asm("" : "+l"(words));
    return words;
  }
  // That has u's bit.
  [[nodiscard]] __device__ std::uint32_t word_of(local_vertex_t u,
                                                 const std::uint32_t* kept_words) const {
    const std::uint32_t* const words = u / 32 < kept ? kept_words : bits;
    return words[u / 32];
  }

 private:
  [[nodiscard]] __device__ static std::uint32_t* space() {
    __shared__ std::uint32_t words[kMostKept];
    return words;
  }
};

// Unvisited normal vertices with edges in nd look for delegates of the frontier.
struct NormalsLook {
  NormalView normals;
  const std::uint32_t* sources = nullptr;  // bits: with edges in nd
  const FirstEntry* first = nullptr;       // of each row
  FrontierBits frontier;
  const vertex_t* names = nullptr;
  // Bits: whose parent is the first entry of its row, which is not written besides: stores of four
  // bytes here and there cost the memory 32 each. Null: nobody asks for parents.
  std::uint32_t* found_first = nullptr;

  [[nodiscard]] __device__ CandidateWords words_at(std::size_t word) const {
    return {sources[word], fresh(normals.reached + word)};
  }
  [[nodiscard]] __device__ std::uint32_t candidates(const CandidateWords& words,
                                                    std::size_t /*word*/) const {
    return words.open();
  }
  __device__ void keep_bits() const { frontier.keep(); }
  [[nodiscard]] __device__ static const std::uint32_t* kept_words() {
    return FrontierBits::kept_words();
  }
  // Of the bits that say who is a parent, the word that has u's; `kept` are kept_words().
  [[nodiscard]] __device__ std::uint32_t parent_word(local_vertex_t u,
                                                     const std::uint32_t* kept) const {
    return frontier.word_of(u, kept);
  }
  [[nodiscard]] __device__ bool tells_parents() const { return normals.parents != nullptr; }
  // v, whose bit is then to be set among those that were found.
  __device__ void found(local_vertex_t v, local_vertex_t u) const {
    if (tells_parents()) normals.parents[v] = names[u];
  }
  // Whether those of a word that find the first entries of their rows are noted together.
  [[nodiscard]] __device__ static constexpr bool notes_first() { return true; }
  __device__ void note_first(std::size_t word, std::uint32_t bits) const {
    if (found_first != nullptr && bits != 0) atomicOr(found_first + word, bits);
  }
  [[nodiscard]] __device__ LookWords words_of(std::size_t all) const { return LookWords(all); }
  __device__ void set_found(std::size_t word, std::uint32_t bits) const {
    atomicOr(normals.reached + word, bits);
  }
  // Whether a candidate has found one meanwhile.
  [[nodiscard]] __device__ bool has_found(local_vertex_t v) const { return !normals.open(v); }
};

// Which delegates look. Those that a member owns have all their neighbours of higher degree on it,
// and only ones of lower degree on others (Algorithm 1): if their owners look first and tell, few
// are left for the rest.
struct Among {
  enum Whom { all, own, others };
  Whom whom = all;
  DelegateStripes stripes;
  unsigned me = 0;
  // DelegateView::known of the members; null: nobody asks.
  const std::uint32_t* const* known = nullptr;

  [[nodiscard]] __device__ bool is_own(std::size_t word) const {
    return stripes.owner_of_word(word) == me;
  }
  // Asked ahead, where others than the owner look after it and take all that it has found.
  [[nodiscard]] __device__ std::uint32_t of_owner(std::size_t word) const {
    return whom == others && !is_own(word) ? fresh(known[stripes.owner_of_word(word)] + word) : 0;
  }
  // Of words that may be anybody's, those of `bits` that are to look. Only their owner is asked
  // for what it has found: it looks first, and what others find besides is little.
  [[nodiscard]] __device__ std::uint32_t of(std::uint32_t bits, std::size_t word) const {
    if (known == nullptr || whom == own || bits == 0) return bits;
    if (is_own(word)) return whom == others ? 0 : bits;
    return whom == others ? bits : bits & ~fresh(known[stripes.owner_of_word(word)] + word);
  }
};

// Unvisited delegates with edges in dn (kInto normal vertices) or dd look for their parents there.
// A normal vertex that was reached before this level, next to a delegate that was not, was reached
// in the level before: the frontier.
template <bool kIntoDelegates>
struct DelegatesLook {
  DelegateView delegates;
  const std::uint32_t* sources = nullptr;  // bits: with edges in the subgraph
  const FirstEntry* first = nullptr;       // of each row; null: they are not kept
  // Of delegates, or bits of the normal vertices that were reached.
  std::conditional_t<kIntoDelegates, FrontierBits, const std::uint32_t*> parents = {};
  NormalNames normals;
  Among among;

  [[nodiscard]] __device__ CandidateWords words_at(std::size_t word) const {
    return {sources[word], fresh(delegates.known + word), among.of_owner(word)};
  }
  // Takes what the word's owner has found, where it was asked ahead: once, for all that follows.
  // Blocks that are done here go on to nd meanwhile, and find others of the same word.
  [[nodiscard]] __device__ std::uint32_t candidates(CandidateWords words, std::size_t word) const {
    const std::uint32_t theirs = words.of_owner & ~words.known;
    if (theirs != 0) {
      cuda::stress_pause();
      atomicOr(delegates.known + word, theirs);
      words.known |= theirs;
    }
    return among.of(words.open(), word);
  }
  __device__ void keep_bits() const {
    if constexpr (kIntoDelegates) parents.keep();
  }
  // These as those of NormalsLook.
  [[nodiscard]] __device__ static const std::uint32_t* kept_words() {
    return kIntoDelegates ? FrontierBits::kept_words() : nullptr;
  }
  [[nodiscard]] __device__ std::uint32_t parent_word(local_vertex_t v,
                                                     const std::uint32_t* kept) const {
    if constexpr (kIntoDelegates) {
      return parents.word_of(v, kept);
    } else {
      return parents[v / 32];
    }
  }
  [[nodiscard]] __device__ bool tells_parents() const { return delegates.parents != nullptr; }
  __device__ void found(local_vertex_t u, local_vertex_t by) const {
    if (!tells_parents()) return;
    delegates.parents[u] = kIntoDelegates ? delegates.names[by] : normals.of(by);
  }
  [[nodiscard]] __device__ static constexpr bool notes_first() { return false; }
  __device__ void set_found(std::size_t word, std::uint32_t bits) const {
    atomicOr(delegates.known + word, bits);
    // Of what owners find before the others look, all words are read.
    if (among.whom != Among::own) delegates.touch(word);
  }
  [[nodiscard]] __device__ bool has_found(local_vertex_t u) const {
    return (fresh(delegates.known + u / 32) >> u % 32 & 1U) != 0;
  }
  [[nodiscard]] __device__ LookWords words_of(std::size_t all) const {
    return among.whom == Among::own ? LookWords(all, among.stripes.members.value(), among.me)
                                    : LookWords(all);
  }
};

// A row that is not looked through yet.
struct alignas(16) RestOfRow {
  local_vertex_t vertex = 0;
  std::uint32_t left = 0;  // entries: a row has fewer than 2^31
  std::uint64_t begin = 0;
};

// Of dd and dn: rows with more entries are too long for a block alone, in which each turn of some
// thousand entries waits for memory.
inline constexpr std::uint32_t kLongRow = 1U << 16;

// The delegates that have such rows.
struct LongRows {
  const local_vertex_t* delegates = nullptr;
  std::uint32_t count = 0;

  // Whether the thread's share of them, in a block of kLookThreads, has one without a bit in
  // `visited`.
  [[nodiscard]] __device__ bool any_open(const std::uint32_t* visited) const {
    bool open = false;
    for (std::uint32_t i = threadIdx.x; i < count; i += kLookThreads) {
      const local_vertex_t u = delegates[i];
      open = open || (fresh(visited + u / 32) >> u % 32 & 1U) == 0;
    }
    return open;
  }
};

// Where a look leaves what is long of its rows, for all blocks together (look_at_left).
struct LeftRows {
  RestOfRow* rows = nullptr;       // [LongRows::count]; null: blocks keep theirs
  std::uint32_t* count = nullptr;  // 0 before

  [[nodiscard]] __device__ bool takes(const RestOfRow& rest) const {
    return rows != nullptr && rest.left > kLongRow;
  }
  __device__ void leave(const RestOfRow& rest) const { rows[atomicAdd(count, 1U)] = rest; }
};

// In place of LeftRows: blocks keep their rows.
struct LeavesNone {
  [[nodiscard]] __device__ static bool takes(const RestOfRow& /*rest*/) { return false; }
  __device__ static void leave(const RestOfRow& /*rest*/) {}
};

// Of a block of kLookThreads, in shared memory: one for all visits and the beginning of a level.
struct LookSpace {
  static constexpr unsigned kWarps = kLookThreads / 32;
  static constexpr unsigned kMostRows = 64;

  std::uint32_t words[kWarps][128];
  RestOfRow rows[kMostRows];
  unsigned listed;
};

// In raw bytes, since RestOfRow has a constructor.
__device__ inline LookSpace& look_space() {
  __shared__ alignas(16) std::byte space[sizeof(LookSpace)];
  return *reinterpret_cast<LookSpace*>(space);
}

// Room for 1,024 places of each warp: in what visits forward have their sums of degrees in, since
// what shared memory takes the level-1 cache lacks. A visit forward follows, and is followed, by a
// barrier of the block.
__device__ inline std::uint16_t* places_of_warp() {
  constexpr unsigned kEach = 1024;
  static_assert(sizeof(edge_t) * cuda::kMostSummedByBlock >=
                sizeof(std::uint16_t) * kEach * LookSpace::kWarps);
  return reinterpret_cast<std::uint16_t*>(cuda::sums_of_block()) + threadIdx.x / 32 * kEach;
}

template <typename Look>
__device__ __forceinline__ bool is_parent(const Look& task, const std::uint32_t* kept,
                                          local_vertex_t u) {
  return (task.parent_word(u, kept) >> u % 32 & 1U) != 0;
}

// Which of those of `entries` that have a bit in `looked_up` are parents, as bits. All are asked
// for before the first is awaited: none is asked for under a condition, which would be a branch of
// its own and a wait. In place of the others 0 is asked for, since a row has an entry somewhere.
template <typename Look, unsigned kCount>
__device__ __forceinline__ unsigned parents_among(const Look& task, const std::uint32_t* kept,
                                                  const local_vertex_t (&entries)[kCount],
                                                  unsigned looked_up) {
  std::uint32_t words[kCount];
#pragma unroll
  for (unsigned t = 0; t < kCount; ++t) {
    words[t] = task.parent_word((looked_up >> t & 1U) != 0 ? entries[t] : 0, kept);
  }
  unsigned hits = 0;
#pragma unroll
  for (unsigned t = 0; t < kCount; ++t) hits |= (words[t] >> entries[t] % 32 & 1U) << t;
  return hits & looked_up;
}

// The first entries of the rows of those candidates whose bits the warp's lanes have, a word of the
// turn each, four vertices side by side a lane: what finds a parent is set in `found`, and what
// does or has no other entry in `settled`, both 0 before and in shared memory.
template <typename Look>
__device__ __forceinline__ void look_at_first(const Look& task, const std::uint32_t* kept,
                                              const LookWords& turns, std::size_t turn,
                                              std::uint32_t candidates, std::uint32_t* found,
                                              std::uint32_t* settled) {
  constexpr unsigned kGroups = 2;  // of four words, asked for before the first is looked up
  constexpr unsigned kEach = 4;
  static_assert(LookWords::kStretch % (kGroups * kEach) == 0);
  const unsigned shift = lane_id() % 8 * kEach;
  for (unsigned i = 0; i < 32; i += kGroups * kEach) {
    unsigned open[kGroups];
    unsigned any = 0;
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      open[g] = __shfl_sync(kAllLanes, candidates, i + g * kEach + lane_id() / 8) >> shift & 0xFU;
      any |= open[g];
    }
    if (__any_sync(kAllLanes, any != 0) == 0) continue;
    const auto v =
        static_cast<local_vertex_t>(turns.word(turn, i) * 32 + std::size_t{lane_id()} * kEach);
    uint4 four[kGroups];
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      four[g] = open[g] != 0 ? *reinterpret_cast<const uint4*>(task.first + v + g * 128) : uint4{};
    }
    __syncwarp();  // all are asked for before the first is looked up, which no compiler may change
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) {
      const FirstEntry u[kEach] = {{four[g].x}, {four[g].y}, {four[g].z}, {four[g].w}};
      const local_vertex_t entries[kEach] = {u[0].entry(), u[1].entry(), u[2].entry(),
                                             u[3].entry()};
      const unsigned hits = parents_among(task, kept, entries, open[g]);
      unsigned ended = 0;
#pragma unroll
      for (unsigned t = 0; t < kEach; ++t) ended |= (u[t].is_only() ? 1U : 0U) << t;
      if (!Look::notes_first() && task.tells_parents()) {
#pragma unroll
        for (unsigned t = 0; t < kEach; ++t) {
          if ((hits >> t & 1U) != 0) task.found(v + g * 128 + t, entries[t]);
        }
      }
      const unsigned both = hits | (hits | ended) << 8;
      const unsigned of_next = __shfl_down_sync(kAllLanes, both, 1);
      if (lane_id() % 2 == 0) {  // two lanes make a byte
        const unsigned bytes = both | of_next << kEach;
        const unsigned at = (i + g * kEach) * 4 + lane_id() / 2;
        reinterpret_cast<std::uint8_t*>(found)[at] = static_cast<std::uint8_t>(bytes);
        reinterpret_cast<std::uint8_t*>(settled)[at] = static_cast<std::uint8_t>(bytes >> 8);
      }
    }
  }
}

// Which entries of a row are read at once: those among four whose first has a place that is a
// multiple of four, since a lane's read of four costs what that of one does.
struct FourEntries {
  std::uint64_t at = 0;  // the first one's place
  unsigned of_row = 0;   // bits: those that are the row's

  __device__ FourEntries(std::uint64_t begin, std::uint32_t left) : at(begin / 4 * 4) {
    const auto before = static_cast<unsigned>(begin % 4);
    of_row = ((1U << min(left, 4 - before)) - 1) << before;
  }
  [[nodiscard]] __device__ unsigned count() const { return __popc(of_row); }

  template <typename Graph>
  [[nodiscard]] __device__ uint4 of(const Graph& graph) const {
    static_assert(sizeof(*graph.columns) == sizeof(std::uint32_t));
    if (of_row == 0) return {};
    if (at + 4 <= graph.entries) return *reinterpret_cast<const uint4*>(graph.columns + at);
    const auto one = [&](unsigned j) {
      return (of_row >> j & 1U) != 0 ? graph.columns[at + j] : 0;
    };
    return make_uint4(one(0), one(1), one(2), one(3));
  }
};

// The rest of a row, by `step` threads of which this is the `first`: four entries side by side a
// thread, and two times that at once. Each stops once any has found a parent; of those that find
// one at the same time each is right.
template <typename Graph, typename Look>
__device__ void look_along(const Graph& graph, const Look& task, const std::uint32_t* kept,
                           const RestOfRow& rest, std::size_t first, std::size_t step,
                           unsigned long long& read) {
  constexpr unsigned kFours = 2;
  const std::uint64_t end = rest.begin + rest.left;
  const std::uint64_t fours = (end + 3) / 4;
  for (std::uint64_t f = rest.begin / 4 + first; f < fours; f += kFours * step) {
    local_vertex_t to[kFours * 4];
    unsigned of_row = 0;
    uint4 entries[kFours];
#pragma unroll
    for (unsigned k = 0; k < kFours; ++k) {
      const std::uint64_t begin = max(rest.begin, (f + k * step) * 4);
      const FourEntries four(begin, begin < end ? static_cast<std::uint32_t>(end - begin) : 0);
      of_row |= four.of_row << 4 * k;
      entries[k] = four.of(graph);
    }
    const bool ended = task.has_found(rest.vertex);
#pragma unroll
    for (unsigned k = 0; k < kFours; ++k) {
      to[4 * k] = entries[k].x;
      to[4 * k + 1] = entries[k].y;
      to[4 * k + 2] = entries[k].z;
      to[4 * k + 3] = entries[k].w;
    }
    if (ended) return;
    const unsigned hits = parents_among(task, kept, to, of_row);
    read += __popc(of_row);
    if (hits == 0) continue;
    const int hit = __ffs(static_cast<int>(hits)) - 1;
    local_vertex_t parent = to[0];
#pragma unroll
    for (int j = 1; j < static_cast<int>(kFours * 4); ++j) parent = j == hit ? to[j] : parent;
    cuda::stress_pause();
    task.found(rest.vertex, parent);
    task.set_found(rest.vertex / 32, 1U << rest.vertex % 32);
    return;
  }
}

// A warp takes 32 words of candidates. They look at the first entries of their rows, in order, and
// those that miss and have more are laid out side by side, two for each lane; after some kAlone
// entries the warp goes on together, and what is longer than kTogether is left for the whole block,
// or, where `left` takes it, for all blocks, so that no hub keeps a thread, a warp or a block. What
// a turn finds is set by one atomic a word. `checked` counts the entries read. All threads of a
// grid of blocks of kLookThreads, each of which has the frontier's bits (Look::keep_bits).
template <typename Graph, typename Look, typename Left>
__device__ void look_through(const Graph& graph, const Look& task, std::size_t words,
                             const Left& left_rows, unsigned long long* checked) {
  constexpr unsigned kRows = 2;  // of a lane, side by side
  constexpr unsigned kBatch = 4;
  constexpr unsigned kAlone = 16;
  constexpr std::uint32_t kTogether = 8192;
  constexpr unsigned kMostRows = LookSpace::kMostRows;
  auto& [words_of_warps, rows, listed] = look_space();
  if (threadIdx.x == 0) listed = 0;
  __syncthreads();

  std::uint16_t* const mine = places_of_warp();
  std::uint32_t* const found = words_of_warps[threadIdx.x / 32];
  std::uint32_t* const settled = found + 32;
  unsigned long long read = 0;
  const LookWords turns = task.words_of(words);
  const std::uint32_t* const kept = task.kept_words();
  const unsigned looked_at = task.first != nullptr ? 1 : 0;  // entries of each row
  const auto words_of = [&](std::size_t turn) {
    const std::size_t at = turn < turns.turns ? turns.word(turn, lane_id()) : words;
    return at < words ? task.words_at(at) : CandidateWords{};
  };
  // Neighbouring turns go to different blocks. Each turn's words are asked for in the one before.
  std::size_t turn = std::size_t{threadIdx.x / 32} * gridDim.x + blockIdx.x;
  CandidateWords next = words_of(turn);
  for (; turn < turns.turns; turn += std::size_t{gridDim.x} * LookSpace::kWarps) {
    const CandidateWords now = next;
    next = words_of(turn + std::size_t{gridDim.x} * LookSpace::kWarps);
    const std::size_t at = turns.word(turn, lane_id());
    std::uint32_t candidates = at < words ? task.candidates(now, at) : 0;
    if (__any_sync(kAllLanes, candidates != 0) == 0) continue;
    found[lane_id()] = settled[lane_id()] = 0;
    __syncwarp();
    if (looked_at != 0) {
      read += __popc(candidates);
      look_at_first(task, kept, turns, turn, candidates, found, settled);
      __syncwarp();
      if constexpr (Look::notes_first()) task.note_first(at, found[lane_id()]);
      candidates &= ~settled[lane_id()];
    }
    const std::uint32_t count = lay_out(candidates, mine);
    __syncwarp();
    const auto vertex_at = [&](std::uint32_t place) {
      const unsigned bit = mine[place];
      return static_cast<local_vertex_t>(turns.word(turn, bit / 32) * 32 + bit % 32);
    };
    // `place`: of the row among those laid out.
    const auto hit = [&](std::uint32_t place, local_vertex_t vertex, local_vertex_t parent) {
      task.found(vertex, parent);
      const unsigned bit = mine[place];
      atomicOr(found + bit / 32, 1U << bit % 32);
    };
    for (std::uint32_t base = lane_id(); base < count + lane_id(); base += 32 * kRows) {
      RestOfRow row[kRows];
      std::uint64_t ends[kRows];
      // All are asked for before the first is awaited: past the last row that one's again.
#pragma unroll
      for (unsigned k = 0; k < kRows; ++k) {
        row[k].vertex = vertex_at(min(base + 32 * k, count - 1));
        row[k].begin = graph.row_offsets[row[k].vertex];
        ends[k] = graph.row_offsets[row[k].vertex + std::size_t{1}];
      }
#pragma unroll
      for (unsigned k = 0; k < kRows; ++k) {
        row[k].begin += looked_at;
        row[k].left =
            base + 32 * k < count ? static_cast<std::uint32_t>(ends[k] - row[k].begin) : 0;
      }
      for (unsigned tried = 0; tried < kAlone; tried += kBatch) {
        uint4 read_of[kRows];
#pragma unroll
        for (unsigned k = 0; k < kRows; ++k) {
          read_of[k] = FourEntries(row[k].begin, row[k].left).of(graph);
        }
        bool more = false;
#pragma unroll
        for (unsigned k = 0; k < kRows; ++k) {
          const FourEntries four(row[k].begin, row[k].left);
          const local_vertex_t to[kBatch] = {read_of[k].x, read_of[k].y, read_of[k].z,
                                             read_of[k].w};
          const unsigned hits = parents_among(task, kept, to, four.of_row);
          read += four.count();
          row[k].begin += four.count();
          row[k].left -= four.count();
          if (hits != 0) {
            local_vertex_t parent = to[0];
            const int first = __ffs(static_cast<int>(hits)) - 1;
#pragma unroll
            for (int j = 1; j < static_cast<int>(kBatch); ++j) {
              parent = j == first ? to[j] : parent;
            }
            hit(base + 32 * k, row[k].vertex, parent);
            row[k].left = 0;
          }
          more |= row[k].left > 0;
        }
        if (!more) break;
      }
      __syncwarp();
#pragma unroll
      for (unsigned k = 0; k < kRows; ++k) {
        unsigned left = __ballot_sync(kAllLanes, row[k].left > 0);
        while (left != 0) {
          const int owner = __ffs(static_cast<int>(left)) - 1;
          left &= left - 1;
          RestOfRow rest;
          rest.vertex = __shfl_sync(kAllLanes, row[k].vertex, owner);
          rest.left = __shfl_sync(kAllLanes, row[k].left, owner);
          rest.begin = __shfl_sync(kAllLanes, row[k].begin, owner);
          if (left_rows.takes(rest)) {
            if (lane_id() == 0) left_rows.leave(rest);
            continue;
          }
          if (rest.left > kTogether) {
            unsigned place = 0;
            if (lane_id() == 0) {
              place = atomicAdd(&listed, 1U);
              if (place < kMostRows) rows[place] = rest;
            }
            if (__shfl_sync(kAllLanes, place, 0) < kMostRows) continue;
          }
          for (std::uint32_t e = lane_id(); e < rest.left + lane_id(); e += 32) {
            const bool within = e < rest.left;
            const local_vertex_t to = within ? graph.columns[rest.begin + e] : 0;
            const unsigned hits = __ballot_sync(kAllLanes, within && is_parent(task, kept, to));
            read += within ? 1 : 0;
            if (hits == 0) continue;
            if (static_cast<int>(lane_id()) == __ffs(static_cast<int>(hits)) - 1) {
              hit(base - lane_id() + 32 * k + static_cast<unsigned>(owner), rest.vertex, to);
            }
            break;
          }
          __syncwarp();
        }
      }
    }
    __syncwarp();  // before the warp's parts of shared memory are written again
    cuda::stress_pause();
    if (found[lane_id()] != 0) task.set_found(at, found[lane_id()]);
    __syncwarp();
  }

  __syncthreads();
  const unsigned all = min(listed, kMostRows);
  for (unsigned i = 0; i < all; ++i) {
    look_along(graph, task, kept, rows[i], threadIdx.x, kLookThreads, read);
  }
  cuda::add_of_block(read, checked);
}

// What it left, once all blocks have: the whole grid takes a row, and the next one. As
// look_through().
template <typename Graph, typename Look>
__device__ void look_at_left(const Graph& graph, const Look& task, const LeftRows& left,
                             unsigned long long* checked) {
  const std::uint32_t count = fresh(left.count);
  if (count == 0) return;
  unsigned long long read = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const uint4 words = __ldcg(reinterpret_cast<const uint4*>(left.rows + i));
    const RestOfRow rest = std::bit_cast<RestOfRow>(words);
    look_along(graph, task, task.kept_words(), rest, cuda::thread_in_grid(),
               cuda::threads_in_grid(), read);
  }
  cuda::add_of_block(read, checked);
}

template <typename Graph, typename Look>
__global__ void __launch_bounds__(kLookThreads)
    look(const __grid_constant__ Graph graph, const __grid_constant__ Look task, std::size_t words,
         LeftRows left, unsigned long long* checked) {
  task.keep_bits();
  look_through(graph, task, words, left, checked);
}

// After it.
template <typename Graph, typename Look>
__global__ void __launch_bounds__(kLookThreads)
    look_further(const __grid_constant__ Graph graph, const __grid_constant__ Look task,
                 LeftRows left, unsigned long long* checked) {
  if (fresh(left.count) == 0) return;
  task.keep_bits();
  __syncthreads();
  look_at_left(graph, task, left, checked);
}

}  // namespace bfslab::distributed::delegate
