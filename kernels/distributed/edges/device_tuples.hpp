// SPDX-License-Identifier: Apache-2.0
// The tuples of a share in the memory of a GPU, a portion at a time: made there by kernels where
// they are a Kronecker or R-MAT generator's, and else made on the host and sent.
#pragma once

#include <cstdint>
#include <memory>

#include "datasets/graph/buffer.hpp"
#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/edges/edge_share.hpp"

namespace bfslab::distributed {

// Some of a member's tuples, for kernels (device_tuples.cuh): those of a generator whose tables lie
// in the memory of the GPU, from position `first` on, or an array there.
struct TuplePortion {
  const QuadrantTuples* recipe = nullptr;
  std::uint64_t first = 0;
  const GlobalEdge* stored = nullptr;  // where `recipe` is null
  std::uint64_t count = 0;
};

class TupleFeed {
 public:
  // A portion has 2^26 tuples where the GPU makes them, else 2^24 of 16 bytes in host and device
  // memory, and at most `most` where that is not 0. `share` and `stream` outlive the feed.
  TupleFeed(const Member& member, const EdgeShare& share, const cuda::Stream& stream,
            std::uint64_t most = 0);

  [[nodiscard]] std::uint64_t portions() const { return (share_.size() + portion_ - 1) / portion_; }
  // Tuples of one.
  [[nodiscard]] std::uint64_t portion() const { return portion_; }
  // Valid until the next call; empty behind the last portion.
  TuplePortion load(std::uint64_t portion);

 private:
  void fill(std::uint64_t begin, std::uint64_t count);

  const EdgeShare& share_;
  const cuda::Stream& stream_;
  int threads_;
  std::uint64_t portion_ = 1;
  std::unique_ptr<cuda::DeviceTuples> tuples_;  // where the GPU makes them
  std::uint64_t first_ = 0;
  Buffer<GlobalEdge> host_;  // else
  cuda::DeviceBuffer<GlobalEdge> stored_;
  std::uint64_t loaded_ = ~std::uint64_t{0};
};

}  // namespace bfslab::distributed
