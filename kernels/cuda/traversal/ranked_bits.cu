// SPDX-License-Identifier: Apache-2.0
// The counts of ranked_bits.hpp.
#include "kernels/cuda/traversal/ranked_bits.hpp"

#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

namespace {

__global__ void count_words(const std::uint32_t* bits, std::size_t words, std::uint32_t* counts) {
  for (std::size_t w = thread_in_grid(); w < words; w += threads_in_grid()) {
    counts[w] = __popc(bits[w]);
  }
}

}  // namespace

void rank(RankedBits& ranked, const Stream& stream) {
  const std::size_t words = ranked.bits.size();
  if (words == 0) return;
  // One more, for the sum.
  auto before = zeroed<std::uint32_t>(words + 1, stream);
  count_words<<<blocks_for(words), kBlockThreads, 0, stream.get()>>>(ranked.bits.data(), words,
                                                                     before.data());
  BFSLAB_CUDA_LAUNCHED("count_words");
  std::size_t bytes = 0;
  const auto scan = [&](void* scratch) {
    BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(scratch, bytes, before.data(), before.data(),
                                              words + 1, stream.get()));
  };
  scan(nullptr);
  const DeviceBuffer<std::byte> scratch(std::max<std::size_t>(bytes, 1));
  scan(scratch.data());
  ranked.count = read_back(before.data() + words, stream);
  ranked.before = std::move(before);
}

}  // namespace bfslab::cuda
