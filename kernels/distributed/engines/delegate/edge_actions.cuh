// SPDX-License-Identifier: Apache-2.0
// The actions of forward visits of `delegate-cuda` at an edge (traversal/edges.cuh), one for each
// kind of end: normal vertices of this member, delegates, and normal vertices of any member.
//
// A visit only sets bits, by atomics that return nothing, so that it waits neither for one nor for
// a place in a queue. Any of the parents that a level finds for a vertex is right.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/edges.cuh"
#include "kernels/distributed/engines/delegate/gpu_graph.cuh"
#include "kernels/distributed/engines/delegate/local_work.hpp"

namespace bfslab::distributed::delegate {

using cuda::unset_among;

// Delegates as bits and parents: what visits know of them and find.
struct DelegateView {
  // Bits of delegates that were visited before this level or are found in it.
  std::uint32_t* known = nullptr;
  // A bit for each word of `known` in which something was found in this level; null: not kept.
  std::uint32_t* touched = nullptr;
  vertex_t* parents = nullptr;      // null: not wanted
  const vertex_t* names = nullptr;  // [d] ids as parents have them

  // Marks u, which was open in this level, as found.
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

// Action of dn: takes normal vertices of this member.
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

// Action of dd, from delegates, and of nd, from normal vertices.
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
      parent = kFromDelegates ? delegates.names[from] : normals.name(from);
    }
    delegates.mark(to, parent);
  }
  __device__ void finish() const {}
};
static_assert(cuda::EdgeAction<MarkDelegates<true>>);

// Lists for the other members, with room for all that a search can send. They lie in this member's
// memory or, where one kernel runs all levels, in the memory of the receivers.
struct SentView {
  std::byte* const* lists = nullptr;     // [members] ids, or values of Carried
  const std::uint64_t* begin = nullptr;  // [members] where entries of the level begin
  std::uint32_t* count = nullptr;        // [members] entries from there on
  bool carried = false;
};

// Action of nn, whose columns are NormalEnds: takes vertices of this member and sends others to
// their owners, which alone know if they are open.
struct TakeOrSend {
  static constexpr int kBatch = 4;
  NormalView normals;
  unsigned me = 0;
  NormalNames names;
  SentView sent;

  template <typename To, int kCount>
  __device__ __forceinline__ unsigned open_among(const To (&to)[kCount]) const {
    // All words are requested first, as in parents_among(); there is at least one.
    std::uint32_t words[kCount];
    std::uint32_t bits[kCount];
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const NormalEnd end{to[j]};  // a missing edge has no member as its owner
      const bool is_own = end.owner() == me;
      const local_vertex_t v = is_own ? end.local() : 0;
      words[j] = fresh(normals.reached + v / 32);
      bits[j] = is_own ? 1U << v % 32 : 0;  // not known of others' vertices
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
    const vertex_t parent = names.name(from);
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

}  // namespace bfslab::distributed::delegate
