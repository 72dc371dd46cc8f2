// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda_function.hpp"

#include <gtest/gtest.h>

#include "datasets/graph/types.hpp"

namespace bfslab {
namespace {

constinit CudaFunction<int(int)> doubled{"doubling a number"};
constinit CudaFunction<int(int)> halved{[](int number) { return number; }};

// One test, since what is supplied stays.
TEST(CudaFunction, RefusesUntilItIsSupplied) {
  try {
    static_cast<void>(doubled(4));
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(
        message.starts_with("doubling a number needs a GPU, and this bfslab was built "
                            "without CUDA: install"))
        << message;
  }
  EXPECT_TRUE(doubled.supply([](int number) { return 2 * number; }));
  EXPECT_EQ(doubled(4), 8);
}

TEST(CudaFunction, DoesSomethingElseUntilItIsSupplied) {
  EXPECT_EQ(halved(4), 4);
  EXPECT_TRUE(halved.supply([](int number) { return number / 2; }));
  EXPECT_EQ(halved(4), 2);
}

}  // namespace
}  // namespace bfslab
