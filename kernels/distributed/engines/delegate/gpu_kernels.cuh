// SPDX-License-Identifier: Apache-2.0
// The kernels of `delegate-cuda` (scalable-bfs, section IV and Figure 3): what a level does on one
// GPU. Forward visits are edge actions (traversal/edges.cuh) that the expansions of expand/ share
// out; backward visits look for parents from the unvisited side.
//
// Normal vertices have a level each and a bit that says whether they were reached: bits of 67
// million vertices lie in the GPU's cache, where levels do not. A vertex is claimed by an atomic on
// its word of bits, so it enters the queue once, and the queue of a whole search is one array: a
// level is a stretch of it. Delegates are bits of masks, in the 32-bit halves of Communicator
// words.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/distributed/divisor.hpp"
#include "kernels/distributed/engines/delegate/local_work.hpp"

namespace bfslab::distributed::delegate {

using cuda::kAllLanes;
using cuda::lane_id;

inline constexpr unsigned kMostMembers = 64;

// A subgraph as kernels take it: offsets of either width.
template <typename Offset, typename Column>
struct GraphView {
  const Offset* row_offsets = nullptr;
  const Column* columns = nullptr;
};

// What kernels tell each other and the host of a level.
struct Counts {
  unsigned long long forward[kEdgeClasses] = {};   // edges of the level's sources
  unsigned long long frontier[kEdgeClasses] = {};  // nd, dn, dd: sources with edges
  unsigned long long checked[kEdgeClasses] = {};   // entries that backward visits read
  unsigned long long delegates = 0;
  unsigned long long own_delegates = 0;
  std::uint32_t listed = 0;   // delegates with edges here: the queue of forward visits
  std::uint32_t normals = 0;  // of the level
  std::uint32_t queued = 0;   // normal vertices of all levels so far
  std::uint32_t queued_by_dn = 0;
  std::uint32_t any_delegate = 0;
};

// What travels with its parent.
struct Carried {
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

__device__ inline std::uint32_t fresh(const std::uint32_t* word) {
  return *static_cast<const volatile std::uint32_t*>(word);
}
__device__ inline bool test(const std::uint32_t* bits, std::uint32_t i) {
  return (bits[i / 32] >> (i % 32) & 1U) != 0;
}

// The normal vertices of a member; `owned` entries each.
struct NormalView {
  std::uint32_t* reached = nullptr;  // bits
  level_t* levels = nullptr;
  vertex_t* parents = nullptr;  // null: not asked for
  local_vertex_t* queue = nullptr;
  std::uint32_t* tail = nullptr;

  [[nodiscard]] __device__ bool open(local_vertex_t v) const {
    return (fresh(reached + v / 32) >> (v % 32) & 1U) == 0;
  }
  // By whichever lanes are here.
  __device__ void take(local_vertex_t v, vertex_t parent, level_t level) const {
    const std::uint32_t bit = 1U << (v % 32);
    if ((atomicOr(reached + v / 32, bit) & bit) != 0) return;
    levels[v] = level;
    if (parents != nullptr) parents[v] = parent;
    queue[cuda::append_place(tail)] = v;
  }
};

struct DelegateView {
  std::uint32_t* visited = nullptr;  // bits
  std::uint32_t* found = nullptr;
  vertex_t* parents = nullptr;      // null: not asked for
  const vertex_t* names = nullptr;  // ids as parents have them, where these are asked for
  std::uint32_t* any = nullptr;

  [[nodiscard]] __device__ bool open(local_vertex_t u) const {
    return ((visited[u / 32] | fresh(found + u / 32)) >> (u % 32) & 1U) == 0;
  }
  __device__ void mark(local_vertex_t u, vertex_t parent) const {
    const std::uint32_t bit = 1U << (u % 32);
    if ((atomicOr(found + u / 32, bit) & bit) != 0) return;
    if (parents != nullptr) parents[u] = parent;
    *any = 1;
  }
};

// --- Forward: edge actions.

// Of dn.
struct TakeNormals {
  static constexpr int kBatch = 4;
  NormalView normals;
  const vertex_t* names = nullptr;
  level_t level = 0;  // that found vertices get

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    std::uint32_t word[kCount];
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      word[j] = to[j] != kNoVertex ? fresh(normals.reached + to[j] / 32) : ~0U;
    }
    unsigned open = 0;
#pragma unroll
    for (int j = 0; j < kCount; ++j) open |= (~word[j] >> (to[j] % 32) & 1U) << j;
    return open;
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    normals.take(to, names != nullptr ? names[from] : kNoVertex, level);
  }
  __device__ void finish() const {}
};
static_assert(cuda::EdgeAction<TakeNormals>);

// Of dd, whose sources have names, and of nd.
template <bool kFromDelegates>
struct MarkDelegates {
  static constexpr int kBatch = 4;
  DelegateView delegates;
  OwnerOf own;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    std::uint32_t word[kCount];
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      word[j] = ~0U;
      if (to[j] != kNoVertex) {
        word[j] = delegates.visited[to[j] / 32] | fresh(delegates.found + to[j] / 32);
      }
    }
    unsigned open = 0;
#pragma unroll
    for (int j = 0; j < kCount; ++j) open |= (~word[j] >> (to[j] % 32) & 1U) << j;
    return open;
  }
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) const {
    vertex_t parent = kNoVertex;
    if (delegates.parents != nullptr) {
      parent = kFromDelegates ? delegates.names[from] : static_cast<vertex_t>(own.global(from));
    }
    delegates.mark(to, parent);
  }
  __device__ void finish() const {}
};
static_assert(cuda::EdgeAction<MarkDelegates<true>>);

// Lists for the other members: each a stretch of one buffer, with room for all that a search can
// send.
struct SentView {
  local_vertex_t* ids = nullptr;  // one of the two
  Carried* carried = nullptr;
  const std::uint64_t* begin = nullptr;  // [members]
  std::uint32_t* count = nullptr;        // [members]
};

// Of nn, whose columns are ids of the whole graph. Whether a vertex of another member is open only
// that member knows.
struct TakeOrSend {
  static constexpr int kBatch = 4;
  NormalView normals;
  OwnerOf own;
  SentView sent;
  level_t level = 0;

  template <typename To, int kCount>
  __device__ __forceinline__ unsigned open_among(const To (&to)[kCount]) const {
    unsigned open = 0;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      if (to[j] == ~To{0}) continue;
      const bool looks = own.owner(to[j]) != own.me || normals.open(own.local(to[j]));
      open |= (looks ? 1U : 0U) << j;
    }
    return open;
  }
  template <typename To>
  __device__ __forceinline__ void found(vertex_t from, To to) const {
    const unsigned owner = own.owner(to);
    const local_vertex_t local = own.local(to);
    const auto parent = static_cast<vertex_t>(own.global(from));
    if (owner == own.me) return normals.take(local, parent, level);
    const unsigned here = __activemask();
    const unsigned peers = __match_any_sync(here, owner);
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    std::uint32_t base = 0;
    if (static_cast<int>(lane_id()) == leader) {
      base = atomicAdd(sent.count + owner, static_cast<std::uint32_t>(__popc(peers)));
    }
    base = __shfl_sync(peers, base, leader);
    const std::uint64_t place = sent.begin[owner] + base + __popc(peers & cuda::lanes_below());
    if (sent.carried != nullptr) {
      sent.carried[place] = {local, parent};
    } else {
      sent.ids[place] = local;
    }
  }
  __device__ void finish() const {}
};
static_assert(cuda::EdgeAction<TakeOrSend>);

// --- Backward: candidates look through their rows of the reversed subgraph.

// Unvisited normal vertices with edges in nd look for delegates of the frontier.
struct NormalsLook {
  NormalView normals;
  const std::uint32_t* sources = nullptr;   // bits: with edges in nd
  const std::uint32_t* frontier = nullptr;  // of delegates
  const vertex_t* names = nullptr;
  level_t level = 0;

  [[nodiscard]] __device__ std::uint32_t candidates(std::size_t word) const {
    const std::uint32_t with_edges = sources[word];
    return with_edges != 0 ? with_edges & ~fresh(normals.reached + word) : 0;
  }
  [[nodiscard]] __device__ bool is_parent(local_vertex_t u) const { return test(frontier, u); }
  __device__ void found(local_vertex_t v, local_vertex_t u) const {
    normals.take(v, names != nullptr ? names[u] : kNoVertex, level);
  }
};

// Unvisited delegates with edges in dn (kInto normal vertices) or dd look for their parents there.
// A normal vertex that was reached before this level, next to a delegate that was not, was reached
// in the level before: the frontier.
template <bool kIntoDelegates>
struct DelegatesLook {
  DelegateView delegates;
  const std::uint32_t* sources = nullptr;  // bits: with edges in the subgraph
  const std::uint32_t* parents = nullptr;  // bits: of the frontier's delegates, or normals reached
  OwnerOf own;

  [[nodiscard]] __device__ std::uint32_t candidates(std::size_t word) const {
    const std::uint32_t with_edges = sources[word];
    if (with_edges == 0) return 0;
    return with_edges & ~delegates.visited[word] & ~fresh(delegates.found + word);
  }
  [[nodiscard]] __device__ bool is_parent(local_vertex_t v) const { return test(parents, v); }
  __device__ void found(local_vertex_t u, local_vertex_t by) const {
    vertex_t parent = kNoVertex;
    if (delegates.parents != nullptr) {
      parent = kIntoDelegates ? delegates.names[by] : static_cast<vertex_t>(own.global(by));
    }
    delegates.mark(u, parent);
  }
};

// A row that is not looked through yet.
struct RestOfRow {
  local_vertex_t vertex;
  std::uint64_t begin, end;
};

inline constexpr unsigned kLookThreads = 256;

// A warp takes 32 words of candidates, lays them out side by side, and gives each lane one; after
// kAlone entries the warp goes on together, and what is longer than kTogether is left for the whole
// block, so that no hub keeps a thread or a warp. `checked` counts the entries read.
template <typename Graph, typename Look>
__global__ void __launch_bounds__(kLookThreads)
    look(const __grid_constant__ Graph graph, const __grid_constant__ Look task, std::size_t words,
         unsigned long long* checked) {
  constexpr unsigned kWarps = kLookThreads / 32;
  constexpr unsigned kAlone = 16;
  constexpr unsigned kBatch = 4;
  constexpr std::uint64_t kTogether = 8192;
  constexpr unsigned kMostRows = 64;
  __shared__ std::uint16_t laid_out[kWarps][1024];
  __shared__ RestOfRow rows[kMostRows];
  __shared__ unsigned listed;
  if (threadIdx.x == 0) listed = 0;
  __syncthreads();

  std::uint16_t* const mine = laid_out[threadIdx.x / 32];
  unsigned long long read = 0;
  const std::size_t warp = cuda::thread_in_grid() / 32;
  const std::size_t warps = cuda::threads_in_grid() / 32;
  for (std::size_t first = warp * 32; first < words; first += warps * 32) {
    const std::size_t at = first + lane_id();
    std::uint32_t bits = at < words ? task.candidates(at) : 0;
    const std::uint32_t own = __popc(bits);
    const std::uint32_t upto = cuda::inclusive_of_warp(own);
    const std::uint32_t count = __shfl_sync(kAllLanes, upto, 31);
    for (std::uint32_t place = upto - own; bits != 0; bits &= bits - 1) {
      mine[place++] =
          static_cast<std::uint16_t>(lane_id() * 32 + __ffs(static_cast<int>(bits)) - 1);
    }
    __syncwarp();
    for (std::uint32_t base = 0; base < count; base += 32) {
      RestOfRow row{0, 0, 0};
      if (base + lane_id() < count) {
        row.vertex = static_cast<local_vertex_t>(first * 32 + mine[base + lane_id()]);
        row.begin = graph.row_offsets[row.vertex];
        row.end = graph.row_offsets[row.vertex + std::size_t{1}];
      }
      const std::uint64_t alone = min(row.end, row.begin + kAlone);
      while (row.begin < alone) {
        local_vertex_t to[kBatch];
        const unsigned some = static_cast<unsigned>(min(std::uint64_t{kBatch}, alone - row.begin));
#pragma unroll
        for (unsigned j = 0; j < kBatch; ++j) to[j] = j < some ? graph.columns[row.begin + j] : 0;
        unsigned hits = 0;
#pragma unroll
        for (unsigned j = 0; j < kBatch; ++j) {
          hits |= (j < some && task.is_parent(to[j]) ? 1U : 0U) << j;
        }
        read += some;
        row.begin += some;
        if (hits != 0) {
          local_vertex_t parent = to[0];
          const int hit = __ffs(static_cast<int>(hits)) - 1;
#pragma unroll
          for (int j = 1; j < static_cast<int>(kBatch); ++j) parent = j == hit ? to[j] : parent;
          task.found(row.vertex, parent);
          row.begin = row.end;
        }
      }
      __syncwarp();
      unsigned left = __ballot_sync(kAllLanes, row.begin < row.end);
      while (left != 0) {
        const int owner = __ffs(static_cast<int>(left)) - 1;
        left &= left - 1;
        const RestOfRow rest{__shfl_sync(kAllLanes, row.vertex, owner),
                             __shfl_sync(kAllLanes, row.begin, owner),
                             __shfl_sync(kAllLanes, row.end, owner)};
        if (rest.end - rest.begin > kTogether) {
          unsigned place = 0;
          if (lane_id() == 0) {
            place = atomicAdd(&listed, 1U);
            if (place < kMostRows) rows[place] = rest;
          }
          if (__shfl_sync(kAllLanes, place, 0) < kMostRows) continue;
        }
        for (std::uint64_t e = rest.begin; e < rest.end; e += 32) {
          const bool within = e + lane_id() < rest.end;
          const local_vertex_t to = within ? graph.columns[e + lane_id()] : 0;
          const unsigned hits = __ballot_sync(kAllLanes, within && task.is_parent(to));
          read += within ? 1 : 0;
          if (hits == 0) continue;
          if (static_cast<int>(lane_id()) == __ffs(static_cast<int>(hits)) - 1) {
            task.found(rest.vertex, to);
          }
          break;
        }
        __syncwarp();
      }
    }
    __syncwarp();  // before the warp's part of laid_out is written again
  }

  __syncthreads();
  const unsigned all = min(listed, kMostRows);
  for (unsigned i = 0; i < all; ++i) {
    const RestOfRow rest = rows[i];
    for (std::uint64_t e = rest.begin; e < rest.end; e += kLookThreads) {
      const bool within = e + threadIdx.x < rest.end;
      const local_vertex_t to = within ? graph.columns[e + threadIdx.x] : 0;
      const bool hit = within && task.is_parent(to);
      read += within ? 1 : 0;
      // Several threads may have found a parent: the first to claim the vertex sets it.
      if (hit) task.found(rest.vertex, to);
      if (__syncthreads_or(hit ? 1 : 0) != 0) break;
    }
  }
  cuda::add_of_block(read, checked);
}

}  // namespace bfslab::distributed::delegate
