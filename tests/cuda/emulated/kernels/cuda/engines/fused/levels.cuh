// SPDX-License-Identifier: Apache-2.0
// What fused/deep.cuh needs of CUDA and of fused/levels.cuh, by threads of the CPU.
#pragma once
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>
#define __device__
#define __forceinline__ inline
#define BFSLAB_HOST_DEVICE
#define alignas_(x)
namespace bfslab {
using vertex_t = std::uint32_t;
using level_t = std::uint32_t;
using edge_t = std::uint64_t;
constexpr vertex_t kNoVertex = ~0U;
namespace cuda {
constexpr unsigned kFusedThreads = EMU_THREADS, kFusedWarps = kFusedThreads / 32, kBlocks = 8;
struct uint4 {
  unsigned x = 0, y = 0, z = 0, w = 0;
};
constexpr unsigned kAllLanes = ~0U;
struct Idx {
  unsigned x;
};
inline thread_local Idx threadIdx, blockIdx;
struct Warp {
  std::barrier<> meet{32};
  std::uint64_t slot[32];
};
struct Block {
  std::barrier<> meet{kFusedThreads};
  std::atomic<int> any[3];
  std::unique_ptr<Warp[]> warps{new Warp[kFusedWarps]};
  std::vector<std::max_align_t> arena;
  unsigned long long sum[kFusedThreads];
  std::barrier<> eight{8};
  std::uint32_t eights[8];
};
inline Block* blocks_;
inline std::barrier<>* cluster_meet;
inline thread_local unsigned or_turn;
inline Block& me() { return blocks_[blockIdx.x]; }
inline unsigned lane_id() { return threadIdx.x % 32; }
inline void __syncthreads() { me().meet.arrive_and_wait(); }
inline int __syncthreads_or(int v) {
  auto& b = me();
  unsigned t = or_turn++ % 3;
  if (v) b.any[t] = 1;
  b.meet.arrive_and_wait();
  int r = b.any[t];
  if (threadIdx.x == 0) b.any[(t + 1) % 3] = 0;  // used next; everyone passed its last use
  b.meet.arrive_and_wait();
  return r;
}
inline Warp& warp() { return me().warps[threadIdx.x / 32]; }
template <typename T>
T __shfl_sync(unsigned, T v, int l) {
  auto& w = warp();
  w.slot[lane_id()] = (std::uint64_t)v;
  w.meet.arrive_and_wait();
  T r = (T)w.slot[l];
  w.meet.arrive_and_wait();
  return r;
}
inline unsigned __ballot_sync(unsigned, int p) {
  auto& w = warp();
  w.slot[lane_id()] = p != 0;
  w.meet.arrive_and_wait();
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (unsigned)w.slot[i] << i;
  w.meet.arrive_and_wait();
  return r;
}
inline int __any_sync(unsigned m, int p) { return __ballot_sync(m, p) != 0; }
inline std::uint32_t __reduce_add_sync(unsigned mask, std::uint32_t v) {
  if (mask != 0xFF) abort();
  auto& b = me();
  b.eights[threadIdx.x] = v;
  b.eight.arrive_and_wait();
  std::uint32_t s = 0;
  for (auto e : b.eights) s += e;
  b.eight.arrive_and_wait();
  return s;
}
inline int __ffs(int v) { return __builtin_ffs(v); }
template <typename T>
T min(T a, T b) {
  return a < b ? a : b;
}
inline std::uint32_t atomicAdd(std::uint32_t* p, std::uint32_t v) {
  return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
inline std::uint32_t atomicOr(std::uint32_t* p, std::uint32_t v) {
  return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}
inline std::uint32_t append_place(std::uint32_t* c) { return atomicAdd(c, 1); }
inline void add_of_block(unsigned long long v, unsigned long long* total) {
  __atomic_fetch_add(total, v, __ATOMIC_RELAXED);
  __syncthreads();
}
inline std::byte* fused_shared() { return (std::byte*)me().arena.data(); }
inline unsigned thread_in_grid() { return blockIdx.x * kFusedThreads + threadIdx.x; }
inline unsigned threads_in_grid() { return kBlocks * kFusedThreads; }
constexpr vertex_t kLongRow = kNoVertex - 1;
struct FusedRow {
  static bool is_long(uint4 r) { return r.w == kLongRow; }
};
enum FusedKind : unsigned { kFusedDown, kFusedUp, kFusedSmall };
struct LevelSlot {
  std::uint32_t queued[4] = {};
  std::uint32_t candidates = 0;
  unsigned long long vertices = 0, edges = 0;
};
constexpr unsigned kSlots = 8, kClearedAhead = 3;
struct SlotRing {
  LevelSlot* slots;
  LevelSlot* at(level_t l) const { return slots + l % kSlots; }
};
struct Progress {
  level_t level = 0;
  std::uint64_t frontier = 1, edges = 0, edges_before = 0, all_edges = 0, visited = 1;
};
struct FusedCourse {
  Progress at;
  bool clear[2];
};
struct Log {
  void* head = nullptr;
  std::vector<std::uint64_t>* sizes;
  void level_is(level_t, FusedKind) const {}
  void level_ended(level_t l, LevelSlot s) const {
    if (sizes->size() != l) abort();
    sizes->push_back(s.vertices);
  }
  void starts() const {}
};
template <typename Offset>
struct FusedRows {
  const Offset* row_offsets;
  const vertex_t* columns;
};
template <typename Offset>
struct FusedWork {
  FusedRows<Offset> out;
  const uint4* packed;
  unsigned packed_shift;
  vertex_t vertices;
  std::uint32_t words;
  std::uint32_t *visited, *before;
  std::uint32_t* front[2];
  level_t* levels;
  vertex_t* parents;
  vertex_t* queues[2];
  SlotRing slots;
  FusedCourse* course;
  Log log;
};
template <typename Offset>
std::uint64_t degree_of(const FusedRows<Offset>& r, vertex_t v) {
  return r.row_offsets[v + 1] - r.row_offsets[v];
}
template <typename Offset>
void fused_reset(const FusedWork<Offset>& work, vertex_t source) {
  for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) {
    vertex_t first = w * 32;
    std::uint32_t beyond = first + 32 <= work.vertices ? 0 : ~0U << (work.vertices - first);
    work.before[w] = work.visited[w] = beyond | (source / 32 == w ? 1U << source % 32 : 0U);
  }
  if (thread_in_grid() == 0 && source < work.vertices) {
    work.levels[source] = 0;
    work.parents[source] = source;
  }
}
}  // namespace cuda
namespace cuda {}
}  // namespace bfslab
namespace cooperative_groups {
struct cluster_group {
  void sync() const { bfslab::cuda::cluster_meet->arrive_and_wait(); }
  unsigned block_rank() const { return bfslab::cuda::blockIdx.x; }
  unsigned thread_rank() const { return bfslab::cuda::thread_in_grid(); }
  unsigned num_threads() const { return bfslab::cuda::threads_in_grid(); }
  template <typename T>
  T* map_shared_rank(T* p, unsigned b) const {
    return (T*)((char*)p - (char*)bfslab::cuda::me().arena.data() +
                (char*)bfslab::cuda::blocks_[b].arena.data());
  }
};
inline cluster_group this_cluster() { return {}; }
}  // namespace cooperative_groups
