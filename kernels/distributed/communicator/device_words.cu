// SPDX-License-Identifier: Apache-2.0
// A kernel that combines words of several GPUs: the reduction that the transports lack.
#include <algorithm>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/distributed/communicator/device_transport.hpp"

namespace bfslab::distributed {

namespace {

constexpr std::size_t kMaxSources = 64;  // of one kernel

struct Sources {
  const Word* words[kMaxSources];
  unsigned count;
};

template <Reduction kReduction>
__global__ void combine_all(Word* into, const __grid_constant__ Sources from, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    Word value = identity(kReduction);
#pragma unroll 4
    for (unsigned k = 0; k < from.count; ++k) {
      value = combine(kReduction, value, from.words[k][i]);
    }
    into[i] = value;
  }
}

}  // namespace

void combine_words(Word* into, std::span<const Word* const> from, std::size_t count,
                   Reduction reduction, cudaStream_t stream) {
  if (count == 0) return;
  Sources sources{};
  sources.count = static_cast<unsigned>(std::min(from.size(), kMaxSources));
  std::copy_n(from.begin(), sources.count, sources.words);
  const auto launch = [&]<Reduction kReduction>() {
    BFSLAB_LAUNCH(combine_all<kReduction>, cuda::blocks_for(count), stream, into, sources, count);
  };
  switch (reduction) {
    case Reduction::sum:
      launch.operator()<Reduction::sum>();
      break;
    case Reduction::minimum:
      launch.operator()<Reduction::minimum>();
      break;
    case Reduction::maximum:
      launch.operator()<Reduction::maximum>();
      break;
    case Reduction::bit_or:
      launch.operator()<Reduction::bit_or>();
      break;
  }
  if (from.size() <= kMaxSources) return;
  // The rest, with what there is so far.
  std::vector<const Word*> rest = {into};
  rest.insert(rest.end(), from.begin() + kMaxSources, from.end());
  combine_words(into, rest, count, reduction, stream);
}

}  // namespace bfslab::distributed
