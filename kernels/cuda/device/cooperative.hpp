// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks all run at once: cooperative ones, which can synchronise at a barrier, and
// those of one cluster, whose blocks access each other's shared memory.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

// Returns how many blocks of the kernel the GPU runs at once.
template <typename... Parameters>
unsigned blocks_at_once(void (*kernel)(Parameters...), unsigned threads, std::size_t shared_bytes) {
  int of_multiprocessor = 0;
  BFSLAB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &of_multiprocessor, reinterpret_cast<const void*>(kernel), static_cast<int>(threads),
      shared_bytes));
  return static_cast<unsigned>(of_multiprocessor * device().multiprocessors);
}

// A cooperative kernel with its grid: at most blocks_at_once() blocks, of all groups together.
template <typename... Parameters>
struct CooperativeKernel {
  void (*kernel)(Parameters...) = nullptr;
  unsigned blocks = 0;
  unsigned threads = 0;
  std::size_t shared_bytes = 0;  // per block, requested at launch
  unsigned groups = 1;           // of as many blocks each, numbered by blockIdx.y

  void launch(cudaStream_t stream, Parameters... arguments) const {
    void* pointers[] = {static_cast<void*>(&arguments)...};
    BFSLAB_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                            dim3(blocks, groups), dim3(threads), pointers,
                                            shared_bytes, stream));
  }
};

// Raises the kernel's limit, and returns how many bytes a block may request at launch beside what
// the kernel declares. The limit belongs to the kernel, and so to all engines that use it.
template <typename... Parameters>
std::size_t allow_shared_bytes(void (*kernel)(Parameters...)) {
  const auto* const entry = reinterpret_cast<const void*>(kernel);
  cudaFuncAttributes found{};
  BFSLAB_CUDA(cudaFuncGetAttributes(&found, entry));
  const std::size_t of_block = device().shared_bytes_of_block;
  const std::size_t most = of_block - std::min(of_block, found.sharedSizeBytes);
  BFSLAB_CUDA(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most)));
  return most;
}

// GPUs have clusters from compute capability 9 on.
template <typename... Parameters>
struct ClusterKernel {
  void (*kernel)(Parameters...) = nullptr;
  unsigned blocks = 0;
  unsigned threads = 0;
  std::size_t shared_bytes = 0;  // per block, requested at launch

  // Returns whether this device runs it. Must be called once before the launch.
  [[nodiscard]] bool runs_here() const {
    int here = 0;
    int clusters = 0;
    BFSLAB_CUDA(cudaGetDevice(&here));
    BFSLAB_CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, here));
    const auto* const entry = reinterpret_cast<const void*>(kernel);
    cudaFuncAttributes found{};
    BFSLAB_CUDA(cudaFuncGetAttributes(&found, entry));
    if (clusters == 0 || found.ptxVersion < 90) return false;
    if (allow_shared_bytes(kernel) < shared_bytes) return false;
    constexpr unsigned kPortable = 8;
    if (blocks > kPortable) {
      BFSLAB_CUDA(cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    const Launch launch(*this, nullptr);
    int at_once = 0;
    if (cudaOccupancyMaxActiveClusters(&at_once, entry, &launch.config) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // no cluster of that size runs here
      return false;
    }
    return at_once > 0;
  }

  void launch(cudaStream_t stream, Parameters... arguments) const {
    const Launch launch(*this, stream);
    BFSLAB_CUDA(cudaLaunchKernelEx(&launch.config, kernel, arguments...));
  }

 private:
  struct Launch {
    cudaLaunchAttribute cluster{};
    cudaLaunchConfig_t config{};

    Launch(const ClusterKernel& cluster_kernel, cudaStream_t stream) {
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim.x = cluster_kernel.blocks;
      cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
      config.gridDim = dim3(cluster_kernel.blocks);
      config.blockDim = dim3(cluster_kernel.threads);
      config.dynamicSmemBytes = cluster_kernel.shared_bytes;
      config.stream = stream;
      config.attrs = &cluster;
      config.numAttrs = 1;
    }
    Launch(const Launch&) = delete;  // config names cluster
    Launch& operator=(const Launch&) = delete;
  };
};

}  // namespace bfslab::cuda
