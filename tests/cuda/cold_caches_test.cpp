// SPDX-License-Identifier: Apache-2.0
// The memory that overwrites the L2 cache of a GPU.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "kernels/cuda/device/error.hpp"
#include "kernels/device_services.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {
namespace {

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  BFSLAB_CUDA(cudaMemGetInfo(&free, &total));
  return free;
}

// Other programs may take and free memory of the same GPU at any time, so that one call of many
// shows that it has taken none.
TEST(GpuColdCaches, MemoryOfTwiceTheCacheIsAllocatedOnce) {
  if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  int device = 0;
  int l2_bytes = 0;
  BFSLAB_CUDA(cudaGetDevice(&device));
  BFSLAB_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  ASSERT_GT(l2_bytes, 0);
  gpu::open();
  EXPECT_GE(gpu::overwrite_l2(1), 2 * static_cast<std::size_t>(l2_bytes));
  bool has_taken_none = false;
  for (int call = 0; call < 100 && !has_taken_none; ++call) {
    const std::size_t before = free_bytes();
    gpu::overwrite_l2(1);
    has_taken_none = free_bytes() == before;
  }
  EXPECT_TRUE(has_taken_none);
  int now = -1;
  BFSLAB_CUDA(cudaGetDevice(&now));
  EXPECT_EQ(now, device);
}

}  // namespace
}  // namespace bfslab::tests
