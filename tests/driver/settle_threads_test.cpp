// SPDX-License-Identifier: Apache-2.0
// The threads of a process, as Linux lists them, when a search may begin.
#include "harness/run/settle_threads.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

namespace bfslab {
namespace {

std::ptrdiff_t threads_here() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// These threads end when they are asked to; those of OpenMP's pool never do.
bool come_down_to(std::ptrdiff_t count) {
  for (int turn = 0; turn < 10'000; ++turn) {
    if (threads_here() == count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Tests with four threads, for which a system with fewer processors finds no work either.
void judge() {
  int met = 0;
#pragma omp parallel num_threads(4) reduction(+ : met)
  {
#pragma omp barrier
    ++met;
  }
  ASSERT_EQ(met, 4);
}

// LLVM's OpenMP keeps threads that have nothing to do.
#ifdef __clang__
#define SKIP_WITHOUT_GOMP() GTEST_SKIP() << "needs GNU's OpenMP"
#else
#define SKIP_WITHOUT_GOMP() static_cast<void>(0)
#endif

TEST(SettleThreads, NoneIsLeftToLookForWorkBesideASearchByOneThread) {
  SKIP_WITHOUT_GOMP();
  const auto before = threads_here();
  for (const OptionalCount threads : {OptionalCount(1), OptionalCount()}) {
    judge();
    ASSERT_EQ(threads_here(), before + 3);
    settle_threads(threads);
    EXPECT_TRUE(come_down_to(before)) << threads_here() << " threads";
  }
}

TEST(SettleThreads, ASearchByTwoFindsTwo) {
  SKIP_WITHOUT_GOMP();
  const auto before = threads_here();
  judge();
  settle_threads(OptionalCount(2));
  EXPECT_TRUE(come_down_to(before + 1)) << threads_here() << " threads";
  settle_threads({});
}

}  // namespace
}  // namespace bfslab
