// SPDX-License-Identifier: Apache-2.0
// Makes a CSR from entries. CUB sorts them and drops duplicates; two kernels make the arrays.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <limits>
#include <stdexcept>
#include <utility>

#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

namespace {

__global__ void __launch_bounds__(kBlockThreads)
    count_equal_neighbors(const std::uint64_t* keys, edge_t count, unsigned long long* equal) {
  unsigned long long own = 0;
  for (edge_t i = grid_thread() + 1; i < count; i += grid_threads()) {
    own += keys[i] == keys[i - 1] ? 1 : 0;
  }
  if (own > 0) atomicAdd(equal, own);
}

// One thread per row. Neighbouring threads search neighbouring places, so all except the last few
// steps of a search hit a cache; rows without entries cost no more than others.
__global__ void __launch_bounds__(kBlockThreads)
    search_rows(const std::uint64_t* keys, edge_t count, unsigned column_bits, edge_t first,
                edge_t rows, edge_t base, edge_t* offsets) {
  for (edge_t row = grid_thread(); row < rows; row += grid_threads()) {
    const std::uint64_t wanted = (first + row) << column_bits;
    edge_t low = 0;
    edge_t high = count;
    while (low < high) {
      const edge_t middle = (low + high) / 2;
      if (keys[middle] < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    offsets[row] = base + low;
  }
}

template <typename Column>
__global__ void __launch_bounds__(kBlockThreads)
    low_bits(const std::uint64_t* keys, edge_t count, std::uint64_t mask, Column* columns) {
  for (edge_t i = grid_thread(); i < count; i += grid_threads()) {
    columns[i] = static_cast<Column>(keys[i] & mask);
  }
}

// CUB's fast paths index with 32 bits, and a round is cut to fit them.
template <typename Size>
Size cub_size(edge_t count) {
  if (count > static_cast<edge_t>(std::numeric_limits<Size>::max())) {
    throw std::logic_error("more entries than a round may have");
  }
  return static_cast<Size>(count);
}

}  // namespace

void sort_keys(KeyBuffers& buffers, edge_t count, unsigned bits, const Stream& stream) {
  if (count < 2 || bits == 0) return;
  cub::DoubleBuffer<std::uint64_t> both(buffers.keys.data(), buffers.spare.data());
  with_scratch(stream.get(), [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, both, cub_size<std::uint32_t>(count), 0,
                                          static_cast<int>(bits), stream.get());
  });
  if (both.selector == 1) std::swap(buffers.keys, buffers.spare);
}

edge_t count_duplicates(const std::uint64_t* keys, edge_t count, const Stream& stream) {
  auto equal = zeroed<unsigned long long>(1, stream);
  BFSLAB_LAUNCH(count_equal_neighbors, blocks_for(count), stream, keys, count, equal.data());
  return read_back(equal.data(), stream);
}

edge_t drop_duplicates(KeyBuffers& buffers, edge_t count, const Stream& stream) {
  if (count < 2) return count;
  const DeviceBuffer<std::int64_t> kept(1);
  with_scratch(stream.get(), [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, buffers.keys.data(), buffers.spare.data(),
                                     kept.data(), cub_size<std::int32_t>(count), stream.get());
  });
  std::swap(buffers.keys, buffers.spare);
  return static_cast<edge_t>(read_back(kept.data(), stream));
}

void find_offsets(const std::uint64_t* keys, edge_t count, unsigned column_bits, edge_t first,
                  edge_t last, edge_t base, edge_t* offsets, const Stream& stream) {
  if (first == last) return;
  BFSLAB_LAUNCH(search_rows, blocks_for(last - first), stream, keys, count, column_bits, first,
                last - first, base, offsets);
}

template <typename Column>
void take_columns(const std::uint64_t* keys, edge_t count, unsigned column_bits, Column* columns,
                  const Stream& stream) {
  if (count == 0) return;
  const std::uint64_t mask = column_bits < 64 ? (std::uint64_t{1} << column_bits) - 1 : ~edge_t{0};
  BFSLAB_LAUNCH(low_bits, blocks_for(count), stream, keys, count, mask, columns);
}
template void take_columns(const std::uint64_t*, edge_t, unsigned, std::uint32_t*, const Stream&);
template void take_columns(const std::uint64_t*, edge_t, unsigned, std::uint64_t*, const Stream&);

}  // namespace bfslab::cuda
