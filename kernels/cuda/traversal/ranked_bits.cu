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
  BFSLAB_LAUNCH(count_words, blocks_for(words), stream, ranked.bits.data(), words, before.data());
  with_scratch(stream.get(), [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, before.data(), before.data(), words + 1,
                                         stream.get());
  });
  ranked.count = read_back(before.data() + words, stream);
  ranked.before = std::move(before);
}

}  // namespace bfslab::cuda
