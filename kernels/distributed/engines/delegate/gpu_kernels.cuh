// SPDX-License-Identifier: Apache-2.0
// The kernels of `delegate-cuda` (scalable-bfs, section IV and Figure 3): what a level does on one
// GPU. Forward visits are edge actions (traversal/edges.cuh) that the expansions of expand/ share
// out; backward visits look for parents from the unvisited side.
//
// Normal vertices have a level each and a bit that says whether they were reached: bits of 67
// million vertices lie in the GPU's cache, where levels do not. A visit only sets bits, by atomics
// that return nothing, so that no visit waits for one or for a place in a queue; any of the parents
// that a level finds for a vertex is right. What was set since the level before becomes the
// frontier at the beginning of the next level: labelled and queued in the order of ids. Delegates
// are bits of masks, in the 32-bit halves of Communicator words.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/bits.cuh"
#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/distributed/divisor.hpp"
#include "kernels/distributed/engines/delegate/local_work.hpp"
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

namespace bfslab::distributed::delegate {

using cuda::fresh;
using cuda::kAllLanes;
using cuda::lane_id;
using cuda::lay_out;
using cuda::place_of_warp;
using cuda::test;
using cuda::unset_among;
using NormalView = cuda::ReachedView;  // of a member's normal vertices

inline constexpr unsigned kMostMembers = 64;

// A subgraph as kernels take it, with offsets of one width,
template <typename Offset, typename Column>
struct GraphView {
  const Offset* row_offsets = nullptr;
  const Column* columns = nullptr;
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

  [[nodiscard]] static EitherView of(const DeviceSubgraph<Column>& graph) {
    return {EitherOffsets::of(graph), graph.columns.data()};
  }
};

// What kernels tell each other and the host of a level.
struct Counts {
  unsigned long long forward[kEdgeClasses] = {};   // edges of the level's sources
  unsigned long long frontier[kEdgeClasses] = {};  // nd, dn, dd: sources with edges
  unsigned long long checked[kEdgeClasses] = {};   // entries that backward visits read
  unsigned long long delegates = 0;
  unsigned long long own_delegates = 0;
  unsigned long long found_by_dn = 0;    // normal vertices
  unsigned long long found_normals = 0;  // by dn and nn
  unsigned long long found_delegates = 0;
  std::uint32_t listed = 0;   // delegates with edges here: the queue of forward visits
  std::uint32_t normals = 0;  // of the level
};

// Sources of edges in nd, dn and dd that no level has reached.
struct Unvisited {
  unsigned long long nd = 0, dn = 0, dd = 0;
};

// The workloads of a level that begins, whose sources it takes from `unvisited`. `has_nn`: the
// member has edges in nn.
constexpr PerEdgeClass<Workload> workloads(const Counts& seen, bool has_nn, Unvisited& unvisited) {
  PerEdgeClass<Workload> work;
  for (std::size_t i = 0; i < kEdgeClasses; ++i) {
    work.each[i].forward = seen.forward[i];
    work.each[i].frontier = seen.frontier[i];
  }
  Workload& nd = work[EdgeClass::nd];
  Workload& dn = work[EdgeClass::dn];
  Workload& dd = work[EdgeClass::dd];
  work[EdgeClass::nn].frontier = has_nn ? seen.normals : 0;
  unvisited.nd -= nd.frontier;
  unvisited.dn -= dn.frontier;
  unvisited.dd -= dd.frontier;
  nd.unvisited = dn.backward = unvisited.nd;
  nd.backward = dn.unvisited = unvisited.dn;
  dd.unvisited = dd.backward = unvisited.dd;
  return work;
}

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

struct DelegateView {
  std::uint32_t* visited = nullptr;  // bits
  std::uint32_t* found = nullptr;
  vertex_t* parents = nullptr;      // null: not asked for
  const vertex_t* names = nullptr;  // ids as parents have them, where these are asked for

  [[nodiscard]] __device__ std::uint32_t known(std::size_t word) const {
    return visited[word] | fresh(found + word);
  }
  // u was open in this level.
  __device__ void mark(local_vertex_t u, vertex_t parent) const {
    if (parents != nullptr) parents[u] = parent;
    atomicOr(found + u / 32, 1U << (u % 32));
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
  OwnerOf own;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return delegates.known(word); });
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
    if (owner == own.me) return normals.take(local, parent);
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

  [[nodiscard]] __device__ std::uint32_t candidates(std::size_t word) const {
    const std::uint32_t with_edges = sources[word];
    return with_edges != 0 ? with_edges & ~fresh(normals.reached + word) : 0;
  }
  [[nodiscard]] __device__ bool is_parent(local_vertex_t u) const { return test(frontier, u); }
  __device__ void found(local_vertex_t v, local_vertex_t u) const {
    normals.take(v, names != nullptr ? names[u] : kNoVertex);
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
    return with_edges & ~delegates.known(word);
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

// Of a block of kLookThreads, in shared memory: one for all visits and the beginning of a level.
struct LookSpace {
  static constexpr unsigned kMostRows = 64;

  std::uint16_t laid_out[kLookThreads / 32][1024];
  RestOfRow rows[kMostRows];
  unsigned listed;
};

__device__ inline LookSpace& look_space() {
  __shared__ LookSpace space;
  return space;
}

// A warp takes 32 words of candidates, lays them out side by side, and gives each lane one; after
// kAlone entries the warp goes on together, and what is longer than kTogether is left for the whole
// block, so that no hub keeps a thread or a warp. `checked` counts the entries read. All threads of
// a grid of blocks of kLookThreads.
template <typename Graph, typename Look>
__device__ void look_through(const Graph& graph, const Look& task, std::size_t words,
                             unsigned long long* checked) {
  constexpr unsigned kAlone = 16;
  constexpr unsigned kBatch = 4;
  constexpr std::uint64_t kTogether = 8192;
  constexpr unsigned kMostRows = LookSpace::kMostRows;
  auto& [laid_out, rows, listed] = look_space();
  if (threadIdx.x == 0) listed = 0;
  __syncthreads();

  std::uint16_t* const mine = laid_out[threadIdx.x / 32];
  unsigned long long read = 0;
  const std::size_t warp = cuda::thread_in_grid() / 32;
  const std::size_t warps = cuda::threads_in_grid() / 32;
  for (std::size_t first = warp * 32; first < words; first += warps * 32) {
    const std::size_t at = first + lane_id();
    const std::uint32_t count = lay_out(at < words ? task.candidates(at) : 0, mine);
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
      // Several threads may have found a parent: each is right.
      if (hit) task.found(rest.vertex, to);
      if (__syncthreads_or(hit ? 1 : 0) != 0) break;
    }
  }
  cuda::add_of_block(read, checked);
}

template <typename Graph, typename Look>
__global__ void __launch_bounds__(kLookThreads)
    look(const __grid_constant__ Graph graph, const __grid_constant__ Look task, std::size_t words,
         unsigned long long* checked) {
  look_through(graph, task, words, checked);
}

}  // namespace bfslab::distributed::delegate
