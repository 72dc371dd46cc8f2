// SPDX-License-Identifier: Apache-2.0
// How kernels are launched, and how many blocks they get.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kBlockThreads = 256;  // of a block, where nothing else is said

// Maximum threads and blocks that a multiprocessor runs at once, which launch bounds must not
// exceed.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
inline constexpr unsigned kMostThreads = 1024;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || \
                                 __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
inline constexpr unsigned kMostThreads = 1536;
#else
inline constexpr unsigned kMostThreads = 2048;
#endif

// Blocks of kBlockThreads that the GPU runs at once, if no kernel asks for much.
unsigned full_grid();
// Enough for so many threads: at least one, at most a full grid.
unsigned blocks_for(std::uint64_t threads);

}  // namespace bfslab::cuda

// Enqueues a kernel with `blocks` blocks of kBlockThreads in the order of `stream`.
#define BFSLAB_LAUNCH(kernel, blocks, stream, ...)                                     \
  do {                                                                                 \
    kernel<<<blocks, ::bfslab::cuda::kBlockThreads, 0, ::bfslab::cuda::raw(stream)>>>( \
        __VA_ARGS__);                                                                  \
    BFSLAB_CUDA_LAUNCHED(#kernel);                                                     \
  } while (false)
