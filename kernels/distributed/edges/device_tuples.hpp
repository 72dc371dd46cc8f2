// SPDX-License-Identifier: Apache-2.0
// The tuples of a share in the memory of a GPU, a portion at a time: made there by kernels where
// they are a Kronecker or R-MAT generator's; read from the rows of a CSR, which are sent as they
// are; and else made on the host and sent.
#pragma once

#include <cstdint>
#include <memory>

#include "datasets/graph/buffer.hpp"
#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/edges/edge_share.hpp"

namespace bfslab::distributed {

// Some of a member's tuples, for kernels (device_tuples.cuh), from position `first` on: those of a
// generator whose tables lie in the memory of the GPU, entries of a CSR, or an array there.
struct TuplePortion {
  struct Rows {
    const edge_t* row_offsets = nullptr;  // [count + 1], of all of the CSR's entries
    vertex_t first = 0;
    vertex_t count = 0;
    const vertex_t* columns = nullptr;  // of the portion's entries alone
  };

  const QuadrantTuples* recipe = nullptr;
  Rows rows;                           // where `recipe` is null and `rows.count` is not 0
  const GlobalEdge* stored = nullptr;  // else
  std::uint64_t first = 0;             // not where they are stored
  std::uint64_t count = 0;
};

class TupleFeed {
 public:
  // A portion has 2^26 tuples where the GPU makes them or reads rows, of 4 bytes and 8 for each row
  // of the share in device memory, else 2^24 of 16 bytes in host and device memory; and at most
  // `max_portion` if that is not 0. `share` and `stream` outlive the feed.
  TupleFeed(const Member& member, const EdgeShare& share, const cuda::Stream& stream,
            std::uint64_t max_portion = 0);

  [[nodiscard]] std::uint64_t portions() const { return (share_.size() + portion_ - 1) / portion_; }
  [[nodiscard]] std::uint64_t portion() const { return portion_; }
  // Valid until the next call; empty behind the last portion.
  TuplePortion load(std::uint64_t portion);

 private:
  void fill(std::uint64_t begin, std::uint64_t count);

  const EdgeShare& share_;
  const cuda::Stream& stream_;
  int threads_;
  std::uint64_t portion_ = 1;
  std::uint64_t first_ = 0;                     // of a generator's or of a CSR's
  std::unique_ptr<cuda::DeviceTuples> tuples_;  // where the GPU makes them
  const CsrGraph* graph_ = nullptr;             // where it reads rows
  vertex_t first_row_ = 0;
  cuda::DeviceBuffer<edge_t> row_offsets_;
  cuda::DeviceBuffer<vertex_t> columns_;
  Buffer<GlobalEdge> host_;  // else
  cuda::DeviceBuffer<GlobalEdge> stored_;
  std::uint64_t loaded_ = ~std::uint64_t{0};
};

}  // namespace bfslab::distributed
