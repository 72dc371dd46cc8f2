// SPDX-License-Identifier: Apache-2.0
// Rows that are collected on a GPU round by round (entry_pass.cuh).
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"
#include "kernels/distributed/subgraphs/placement.hpp"

namespace bfslab::distributed {

// A subgraph whose rows come in order, some in each round.
template <typename Column>
class Collected {
 public:
  Collected(std::uint64_t rows, const cuda::Stream& stream) : stream_(stream), starts_(rows + 1) {}

  // Rows first .. last - 1 of the subgraph are rows `of_round` of the round; keys begin .. end - 1
  // are theirs.
  void add(std::uint64_t first, RowRange of_round, const std::uint64_t* keys, std::uint64_t count,
           std::uint64_t begin, std::uint64_t end, unsigned column_bits) {
    cuda::find_offsets(keys, count, column_bits, of_round.first, of_round.last, total_ - begin,
                       starts_.data() + first, stream_);
    if (begin == end) return;
    parts_.emplace_back(end - begin);
    cuda::take_columns(keys + begin, end - begin, column_bits, parts_.back().data(), stream_);
    total_ += end - begin;
  }

  // With `rows` rows, or one fewer than were collected, which is empty. Offsets of up to
  // `max_narrow` entries have 32 bits.
  DeviceSubgraph<Column> finish(
      std::uint64_t rows, std::uint64_t max_narrow = std::numeric_limits<std::uint32_t>::max()) {
    cuda::upload(starts_.data() + starts_.size() - 1, &total_, sizeof(total_), stream_);
    DeviceSubgraph<Column> made;
    if (total_ <= max_narrow) {
      made.narrow = cuda::DeviceBuffer<std::uint32_t>(rows + 1);
      cuda::take_columns(starts_.data(), rows + 1, 32, made.narrow.data(), stream_);
    } else if (starts_.size() == rows + 1) {
      made.wide = std::move(starts_);
    } else {
      made.wide = cuda::DeviceBuffer<std::uint64_t>(rows + 1);
      cuda::copy(made.wide.data(), starts_.data(), rows + 1, stream_);
    }
    stream_.wait();
    starts_ = {};
    made.columns = cuda::concatenate(std::exchange(parts_, {}), stream_);
    return made;
  }

 private:
  const cuda::Stream& stream_;
  std::uint64_t total_ = 0;
  cuda::DeviceBuffer<std::uint64_t> starts_;
  std::vector<cuda::DeviceBuffer<Column>> parts_;
};

// Returns the number of sorted keys in the rows below `row`.
inline std::uint64_t keys_below(const std::uint64_t* keys, std::uint64_t count,
                                unsigned column_bits, std::uint64_t row,
                                const cuda::Stream& stream) {
  const cuda::DeviceBuffer<std::uint64_t> found(1);
  cuda::find_offsets(keys, count, column_bits, row, row + 1, 0, found.data(), stream);
  return cuda::read_back(found.data(), stream);
}

}  // namespace bfslab::distributed
