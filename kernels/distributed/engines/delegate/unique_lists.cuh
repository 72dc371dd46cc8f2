// SPDX-License-Identifier: Apache-2.0
// Lists of normal vertices as the host has them sent: without repeated vertices, and joined by rank
// (scalable-bfs, section V-B); and how they are taken.
//
// Cost: a radix sort by 32 bits, and one pass that drops repetitions. Memory: each list twice.
#pragma once

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <vector>

#include "kernels/distributed/engines/delegate/gpu_memory.cuh"

namespace bfslab::distributed::delegate {

// A value of Carried as 64 bits: the parent above the vertex.
struct CarriedKey {
  std::uint64_t bits;
  __host__ __device__ bool operator==(const CarriedKey& other) const {
    return static_cast<std::uint32_t>(bits) == static_cast<std::uint32_t>(other.bits);
  }
};

// Sorts the keys of `list` by their vertex into the first half of `into`, and writes one for each
// vertex to the second half, which is returned. Their number goes to `kept`. All in the stream's
// order.
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

__device__ inline Carried with_parent(const Carried& entry) { return entry; }
__device__ inline Carried with_parent(local_vertex_t id) { return {id, kNoVertex}; }

template <typename Entry>
__global__ void take_list(NormalView normals, const __grid_constant__ RankedView places,
                          const Entry* list, std::uint64_t count) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    const auto [id, parent] = with_parent(list[i]);
    const local_vertex_t v = places.place(id);
    if (normals.open(v)) normals.take(v, parent);
  }
}

class UniqueLists {
 public:
  explicit UniqueLists(GpuMemory& memory) : memory_(memory) {}

  // Called once per level: what was made in the level before stays for another one.
  void next_level() { turn_ = 1 - turn_; }
  // The following have the contracts of LocalWork.
  void make_unique(std::span<Bytes> lists) {
    const auto sort = memory_.carries_parents ? sort_unique<std::uint64_t, CarriedKey>
                                              : sort_unique<local_vertex_t, local_vertex_t>;
    const cudaStream_t stream = memory_.stream.get();
    bool any = false;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists[i].empty()) continue;
      any = true;
      lists[i] = {
          sort(lists[i], unique_[turn_][i], memory_.library_scratch, counts_.data() + i, stream),
          lists[i].size()};
    }
    if (!any) return;
    cuda::copy(seen_.data(), counts_.data(), lists.size(), memory_.stream);
    memory_.stream.wait();
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (!lists[i].empty()) lists[i] = lists[i].first(seen_[i] * memory_.entry_bytes());
    }
  }
  Bytes join(std::span<const Bytes> lists, unsigned rank) {
    std::size_t bytes = 0;
    for (const Bytes list : lists) bytes += list.size();
    std::byte* const into = joined_[turn_][rank].at_least(bytes, memory_.stream.get());
    std::size_t at = 0;
    for (const Bytes list : lists) {
      cuda::copy(into + at, list.data(), list.size(), memory_.stream);
      at += list.size();
    }
    return {into, bytes};
  }
  void take(Bytes list) const {
    const auto launch = [&](auto entries) {
      BFSLAB_LAUNCH(take_list, blocks_for(entries.size()), memory_.stream, memory_.normals(),
                    memory_.with_place(), entries.data(), entries.size());
    };
    memory_.carries_parents ? launch(values_of<Carried>(list))
                            : launch(values_of<local_vertex_t>(list));
  }
  void add_to(MemoryUse& use) const {
    use.scratch += counts_.bytes();
    for (const auto* turns : {&unique_, &joined_}) {
      for (const Turn& turn : *turns) {
        for (const cuda::GrowingBuffer& each : turn) use.queues += each.bytes();
      }
    }
  }

 private:
  using Turn = std::vector<cuda::GrowingBuffer>;  // [members]

  GpuMemory& memory_;
  std::array<Turn, 2> unique_{Turn(memory_.members), Turn(memory_.members)};
  std::array<Turn, 2> joined_{Turn(memory_.members), Turn(memory_.members)};
  DeviceBuffer<unsigned long long> counts_{memory_.members};
  cuda::PinnedBuffer<unsigned long long> seen_{memory_.members};
  unsigned turn_ = 0;
};

}  // namespace bfslab::distributed::delegate
