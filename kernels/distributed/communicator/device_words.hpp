// SPDX-License-Identifier: Apache-2.0
// Words in the memory of GPUs combined by a kernel: what transports lack for a reduction.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

#include "kernels/distributed/communicator/communicator.hpp"

namespace bfslab::distributed {

// The maximum number of members that a kernel combines.
inline constexpr std::size_t kMaxSources = 64;

// into[i] = the reduction of from[0][i], from[1][i], ... for i < count, in the order of the stream;
// without sources the identity. `into` may be one of the sources, and a source may lie in the
// memory of another GPU that this one can read. At most kMaxSources.
void combine_words(Word* into, std::span<const Word* const> from, std::size_t count,
                   Reduction reduction, cudaStream_t stream);

}  // namespace bfslab::distributed
