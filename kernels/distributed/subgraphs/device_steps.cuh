// SPDX-License-Identifier: Apache-2.0
// The table of all delegates, made on a GPU between the passes over the tuples (entry_pass.cuh).
// All work in the order of the stream; pointers are into the memory of the GPU.
//
// Cost an entry of the pass that places it: a bit for each end (n / 8 bytes: 4 MB at scale 25, in
// L2), and a rank for each end that is a delegate.
#pragma once

#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/subgraphs/entry_pass.cuh"
#include "kernels/distributed/subgraphs/subgraphs.hpp"

namespace bfslab::distributed {

// Members that emit_kept() can bin for: their counters are in a block's shared memory.
inline constexpr unsigned kMaxKeepers = 2048;

// Lists nothing where `list` is null, and only counts.
__global__ void __launch_bounds__(kBlockThreads)
    find_above(const std::uint32_t* degrees, std::uint64_t owned, std::uint64_t threshold,
               std::uint64_t* list, Counter* found) {
  Counter own = 0;
  for (std::uint64_t v = grid_thread(); v < owned; v += grid_threads()) {
    const std::uint32_t degree = degrees[v];
    if (degree <= threshold) continue;
    if (list != nullptr) {
      list[atomicAdd(found, Counter{1})] = v << 32 | degree;
    } else {
      ++own;
    }
  }
  if (own > 0) atomicAdd(found, own);
}

__global__ void __launch_bounds__(kBlockThreads)
    mark(const std::uint64_t* list, std::uint64_t count, unsigned member, Ownership own,
         Counter* bits) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const global_vertex_t v = own.global(member, list[i] >> 32);
    atomicOr(&bits[v / 64], Counter{1} << (v % 64));
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    count_bits(const std::uint64_t* bits, std::uint64_t words, std::uint32_t* counts) {
  for (std::uint64_t i = grid_thread(); i < words; i += grid_threads()) {
    counts[i] = static_cast<std::uint32_t>(__popcll(bits[i]));
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    enter(const std::uint64_t* list, std::uint64_t count, unsigned member, Ownership own,
          DelegateView table, global_vertex_t* ids, std::uint32_t* degrees) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const global_vertex_t v = own.global(member, list[i] >> 32);
    const local_vertex_t number = table.number(v);
    ids[number] = v;
    degrees[number] = static_cast<std::uint32_t>(list[i]);
  }
}

// The delegates of all members. Memory: 12 bits a vertex of the graph, 16 bytes a delegate.
struct DelegateTable {
  DeviceBuffer<std::uint64_t> bits;
  DeviceBuffer<std::uint32_t> before;
  DeviceBuffer<global_vertex_t> ids;     // [delegates] by number
  DeviceBuffer<std::uint32_t> degrees;   // [delegates] likewise
  DeviceBuffer<local_vertex_t> numbers;  // [delegates] by id; empty: these ascend, too

  [[nodiscard]] DelegateView view() const {
    return {bits.data(), before.data(), degrees.data(), numbers.data()};
  }
};

// Vertices that a DelegateTable can be made for.
inline constexpr std::uint64_t kMaxTableVertices = std::uint64_t{1} << 36;

constexpr unsigned kClassBits = 8;
constexpr std::uint32_t kMaxClass = (1U << kClassBits) - 1;
static_assert(degree_class(std::numeric_limits<std::uint32_t>::max()) <= kMaxClass);

// Keys whose ascending order is the delegates' by degree: how far the class of the degree is below
// the highest, and the place among ids.
__global__ void __launch_bounds__(kBlockThreads)
    rank_by_degree(const std::uint32_t* degrees, std::uint64_t count, std::uint64_t* keys) {
  for (std::uint64_t place = grid_thread(); place < count; place += grid_threads()) {
    keys[place] = std::uint64_t{kMaxClass - degree_class(degrees[place])} << 32 | place;
  }
}

// Makes numbers by place, and ids and degrees by number, from sorted keys.
__global__ void __launch_bounds__(kBlockThreads)
    renumber(const std::uint64_t* keys, std::uint64_t count, const global_vertex_t* old_ids,
             const std::uint32_t* old_degrees, local_vertex_t* numbers, global_vertex_t* ids,
             std::uint32_t* degrees) {
  for (std::uint64_t number = grid_thread(); number < count; number += grid_threads()) {
    const auto place = static_cast<std::uint32_t>(keys[number]);
    numbers[place] = static_cast<local_vertex_t>(number);
    ids[number] = old_ids[place];
    degrees[number] = old_degrees[place];
  }
}

// Writes the vertices of a list of above(), and their numbers among all delegates.
__global__ void __launch_bounds__(kBlockThreads)
    pair_up(const std::uint64_t* list, std::uint64_t count, unsigned member, Ownership own,
            DelegateView table, Separation::OwnDelegate* out) {
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::uint64_t local = list[i] >> 32;
    out[i] = {static_cast<local_vertex_t>(local), table.number(own.global(member, local))};
  }
}

// Numbers the delegates of a table, which come by id, by descending degree class.
inline void number_by_degree(DelegateTable& table, const Stream& stream) {
  const std::uint64_t delegates = table.ids.size();
  const unsigned blocks = blocks_for(delegates);
  cuda::KeyBuffers keys(delegates);
  BFSLAB_LAUNCH(rank_by_degree, blocks, stream, table.degrees.data(), delegates, keys.keys.data());
  cuda::sort_keys(keys, delegates, 32 + kClassBits, stream);
  keys.spare = {};
  table.numbers = DeviceBuffer<local_vertex_t>(delegates);
  DeviceBuffer<global_vertex_t> ids(delegates);
  DeviceBuffer<std::uint32_t> degrees(delegates);
  BFSLAB_LAUNCH(renumber, blocks, stream, keys.keys.data(), delegates, table.ids.data(),
                table.degrees.data(), table.numbers.data(), ids.data(), degrees.data());
  stream.wait();
  table.ids = std::move(ids);
  table.degrees = std::move(degrees);
}

// Returns the vertices v < degrees.size() whose degree is above `threshold`, as v << 32 | degree,
// ascending.
inline DeviceBuffer<std::uint64_t> above(const DeviceBuffer<std::uint32_t>& degrees,
                                         std::uint64_t owned, std::uint64_t threshold,
                                         const Stream& stream) {
  DeviceBuffer<std::uint64_t> found(1);
  const auto run = [&](std::uint64_t* list) {
    found.fill_bytes(0, stream.get());
    BFSLAB_LAUNCH(find_above, blocks_for(owned), stream, degrees.data(), owned, threshold, list,
                  counters(found.data()));
    return cuda::read_back(found.data(), stream);
  };
  const std::uint64_t count = run(nullptr);
  if (count == 0) return {};
  cuda::KeyBuffers buffers(count);
  run(buffers.keys.data());
  cuda::sort_keys(buffers, count, 64, stream);
  return std::move(buffers.keys);
}

// `lists`: of each member, what above() gives; they may lie in other GPUs' memory. Returns when all
// is there. By degree it needs 24 bytes a delegate beside the table.
inline DelegateTable number_delegates(std::span<const Bytes> lists, const Ownership& own,
                                      DelegateOrder order, const Stream& stream) {
  const std::uint64_t words = (own.vertices + 63) / 64;
  if (words > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::logic_error("more vertices than a table of delegates has room for");
  }
  std::uint64_t delegates = 0;
  for (const Bytes list : lists) delegates += list.size() / sizeof(std::uint64_t);
  DelegateTable table{DeviceBuffer<std::uint64_t>(words),
                      DeviceBuffer<std::uint32_t>(words),
                      DeviceBuffer<global_vertex_t>(delegates),
                      DeviceBuffer<std::uint32_t>(delegates),
                      {}};
  const auto each_list = [&](auto&& launch) {
    for (unsigned member = 0; member < lists.size(); ++member) {
      const std::span<const std::uint64_t> list = values_of<std::uint64_t>(lists[member]);
      if (!list.empty()) launch(list, member, blocks_for(list.size()));
    }
  };
  if (words > 0) {
    table.bits.fill_bytes(0, stream.get());
    each_list([&](std::span<const std::uint64_t> list, unsigned member, unsigned blocks) {
      BFSLAB_LAUNCH(mark, blocks, stream, list.data(), list.size(), member, own,
                    counters(table.bits.data()));
    });
    BFSLAB_LAUNCH(count_bits, blocks_for(words), stream, table.bits.data(), words,
                  table.before.data());
    cuda::with_scratch(stream.get(), [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, table.before.data(), table.before.data(),
                                           static_cast<std::int32_t>(words), stream.get());
    });
  }
  each_list([&](std::span<const std::uint64_t> list, unsigned member, unsigned blocks) {
    BFSLAB_LAUNCH(enter, blocks, stream, list.data(), list.size(), member, own, table.view(),
                  table.ids.data(), table.degrees.data());
  });
  if (order == DelegateOrder::degree && delegates > 0) number_by_degree(table, stream);
  stream.wait();
  return table;
}

}  // namespace bfslab::distributed
