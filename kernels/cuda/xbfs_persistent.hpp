// xbfs's levels inside one cooperative kernel: `launch = persistent`.
#pragma once

#include <string>

#include "kernels/cuda/xbfs_work.hpp"

namespace bfslab::cuda {

// One of the ten kernels, and how many of its blocks the GPU runs at once.
struct PersistentKernel {
  void (*kernel)(XbfsWork) = nullptr;
  unsigned blocks = 0;
  std::size_t shared_bytes = 0;
};

// `balance` as the toggle names it.
PersistentKernel persistent_kernel(const std::string& balance, bool async, bool hub_cache);
// Queues the kernel; all of the traversal is done when the stream gets past it. The source has been
// placed.
void launch(const PersistentKernel& kernel, const XbfsWork& work, cudaStream_t stream);

}  // namespace bfslab::cuda
