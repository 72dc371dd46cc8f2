// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/grid2d/device_block.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cuda/device/threads.cuh"

namespace bfslab::distributed::grid2d {
namespace {

using cuda::DeviceBuffer;
using cuda::kBlockThreads;

// Swaps, in place, the lowest `low_bits` of each key with the `other_bits` above them.
__global__ void __launch_bounds__(kBlockThreads)
    turn_keys(std::uint64_t* keys, std::uint64_t count, unsigned low_bits, unsigned other_bits) {
  const std::uint64_t mask = (std::uint64_t{1} << low_bits) - 1;
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    const std::uint64_t key = keys[i];
    keys[i] = (key & mask) << other_bits | key >> low_bits;
  }
}

template <typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    take_first(const Offset* offsets, const local_t* entries, std::uint64_t rows, local_t* first) {
  for (std::uint64_t row = cuda::thread_in_grid(); row < rows; row += cuda::threads_in_grid()) {
    first[row] = offsets[row] < offsets[row + 1] ? entries[offsets[row]] : 0;
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    count_entries(const local_t* entries, std::uint64_t count, local_t* times) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    atomicAdd(times + entries[i], local_t{1});
  }
}

// Makes rows of sorted keys (duplicates already dropped). Sets `lengths` to the row lengths.
template <typename Offset>
DeviceRows<Offset> rows_of(const std::uint64_t* keys, std::uint64_t count, unsigned low_bits,
                           std::uint64_t rows, std::vector<local_t>& lengths,
                           const cuda::Stream& stream) {
  DeviceBuffer<edge_t> offsets(rows + 1);
  cuda::find_offsets(keys, count, low_bits, 0, rows, 0, offsets.data(), stream);
  cuda::upload(offsets.data() + rows, &count, sizeof(count), stream);
  DeviceRows<Offset> made;
  made.entries = DeviceBuffer<local_t>(count);
  cuda::take_columns(keys, count, low_bits, made.entries.data(), stream);
  const std::vector<edge_t> host = cuda::downloaded(offsets, stream);
  lengths.resize(rows);
  for (std::uint64_t row = 0; row < rows; ++row) {
    lengths[row] = static_cast<local_t>(host[row + 1] - host[row]);
  }
  if constexpr (sizeof(Offset) == sizeof(edge_t)) {
    made.offsets = std::move(offsets);
  } else {
    made.offsets = DeviceBuffer<Offset>(rows + 1);
    cuda::take_columns(offsets.data(), rows + 1, 32, made.offsets.data(), stream);
    stream.wait();  // `offsets` is freed
  }
  return made;
}

// Counts how often each vertex is an entry, for the direction that is not held.
std::vector<local_t> times_of(const DeviceBuffer<local_t>& entries, std::uint64_t vertices,
                              const cuda::Stream& stream) {
  auto times = cuda::zeroed<local_t>(vertices, stream);
  BFSLAB_LAUNCH(count_entries, cuda::blocks_for(entries.size()), stream, entries.data(),
                entries.size(), times.data());
  return cuda::downloaded(times, stream);
}

std::uint64_t sum_of_pieces(const std::vector<local_t>& lengths) {
  std::uint64_t pieces = 0;
  for (const local_t length : lengths) pieces += pieces_of(length);
  return pieces;
}

}  // namespace

template <typename Offset>
DeviceBlock<Offset> upload_block(const Block<Offset>& block, const cuda::Stream& stream) {
  DeviceBlock<Offset> made;
  made.shared = block.shared();
  made.entries = block.entries();
  const auto copy = [&](const Rows<Offset>& rows) {
    return DeviceRows<Offset>{uploaded(rows.offsets.span(), stream),
                              uploaded(rows.entries.span(), stream)};
  };
  made.csr = copy(block.csr());
  if (!made.shared) made.csc = copy(block.csc());
  made.first = uploaded(block.first(), stream);
  made.leaving = block.leaving();
  made.entering = block.entering();
  made.max_pieces = std::max(sum_of_pieces(made.leaving), sum_of_pieces(made.entering));
  return made;
}

template <typename Offset>
DeviceBlock<Offset> make_device_block(BlockKeys keys, const BlockPlan& plan,
                                      const cuda::Stream& stream) {
  const std::uint64_t tails = plan.grid.column_size();
  const std::uint64_t heads = plan.grid.row_size();
  const unsigned tail_bits = bits_for(tails);
  const unsigned head_bits = bits_for(heads);
  DeviceBlock<Offset> made;
  made.shared = plan.shared();
  const bool by_tail = plan.wants_csr || made.shared;
  std::uint64_t count = keys.count;
  cuda::KeyBuffers& buffers = keys.buffers;
  const auto turn = [&] {
    BFSLAB_LAUNCH(turn_keys, cuda::blocks_for(count), stream, buffers.keys.data(), count, head_bits,
                  tail_bits);
  };
  if (!by_tail) turn();
  cuda::sort_keys(buffers, count, tail_bits + head_bits, stream);
  if (plan.rules.deduplicate) count = cuda::drop_duplicates(buffers, count, stream);
  made.entries = count;
  if (by_tail) {
    made.csr = rows_of<Offset>(buffers.keys.data(), count, head_bits, tails, made.leaving, stream);
    if (plan.wants_csc && !made.shared) {
      turn();
      cuda::sort_keys(buffers, count, tail_bits + head_bits, stream);
    }
  }
  if (plan.wants_csc && !made.shared) {
    made.csc = rows_of<Offset>(buffers.keys.data(), count, tail_bits, heads, made.entering, stream);
  }
  stream.wait();  // `keys` is freed
  if (made.shared) {
    made.entering = made.leaving;
  } else if (!plan.wants_csc) {
    made.entering = times_of(made.csr.entries, heads, stream);
  } else if (!by_tail) {
    made.leaving = times_of(made.csc.entries, tails, stream);
  }
  if (plan.wants_csc) {
    made.first = DeviceBuffer<local_t>(heads);
    const DeviceRows<Offset>& csc = made.by_head();
    BFSLAB_LAUNCH(take_first, cuda::blocks_for(heads), stream, csc.offsets.data(),
                  csc.entries.data(), heads, made.first.data());
    stream.wait();
  }
  made.max_pieces = std::max(sum_of_pieces(made.leaving), sum_of_pieces(made.entering));
  return made;
}

template DeviceBlock<std::uint32_t> make_device_block(BlockKeys, const BlockPlan&,
                                                      const cuda::Stream&);
template DeviceBlock<std::uint64_t> make_device_block(BlockKeys, const BlockPlan&,
                                                      const cuda::Stream&);
template DeviceBlock<std::uint32_t> upload_block(const Block<std::uint32_t>&, const cuda::Stream&);
template DeviceBlock<std::uint64_t> upload_block(const Block<std::uint64_t>&, const cuda::Stream&);

}  // namespace bfslab::distributed::grid2d
