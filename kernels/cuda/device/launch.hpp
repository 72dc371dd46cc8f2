// SPDX-License-Identifier: Apache-2.0
// The number of blocks of a kernel.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kBlockThreads = 256;  // the default per block

// The maximum threads and blocks of a multiprocessor; launch bounds must not exceed them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
inline constexpr unsigned kMultiprocessorThreads = 1024;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || \
                                 __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
inline constexpr unsigned kMultiprocessorThreads = 1536;
#else
inline constexpr unsigned kMultiprocessorThreads = 2048;
#endif

// Returns the blocks of kBlockThreads that the GPU runs at once if kernels use few resources.
unsigned full_grid();
// Returns enough blocks for this number of threads: at least one, at most a full grid.
unsigned blocks_for(std::uint64_t threads);

}  // namespace bfslab::cuda

// Enqueues a kernel with `blocks` blocks of `threads` threads in the order of `stream`. A block may
// request `shared` bytes beside what the kernel declares.
#define BFSLAB_LAUNCH_SIZED(kernel, blocks, threads, shared, stream, ...)          \
  do {                                                                             \
    kernel<<<blocks, threads, shared, ::bfslab::cuda::raw(stream)>>>(__VA_ARGS__); \
    BFSLAB_CUDA_LAUNCHED(#kernel);                                                 \
  } while (false)
// The same with blocks of kBlockThreads, which request none.
#define BFSLAB_LAUNCH(kernel, blocks, stream, ...) \
  BFSLAB_LAUNCH_SIZED(kernel, blocks, ::bfslab::cuda::kBlockThreads, 0, stream, __VA_ARGS__)
