// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/local_queues.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

namespace bfslab::cpu {
namespace {

// However n ids are split among queues, they fit, and each queue returns its own.
TEST(LocalQueues, HoldEverySplitOfTheirCapacity) {
  constexpr std::size_t kBlock = LocalQueues::kBlock;
  std::mt19937 random(1);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, kBlock, 3 * kBlock + 1}) {
    for (const int threads : {1, 2, 5}) {
      LocalQueues queues(n, threads);
      EXPECT_EQ(queues.bytes(), LocalQueues::bytes_for(n, threads));
      for (int round = 0; round < 20; ++round) {
        queues.clear();
        std::vector<LocalQueues::Queue> queue(static_cast<std::size_t>(threads),
                                              LocalQueues::Queue(queues));
        std::vector<std::vector<vertex_t>> pushed(queue.size());
        for (vertex_t v = 0; v < n; ++v) {
          // Some rounds fill one queue after another, some all at once.
          const std::size_t q =
              round % 2 == 0 ? random() % queue.size() : (v / (kBlock / 2 + 1)) % queue.size();
          queue[q].push(v);
          pushed[q].push_back(v);
        }
        for (std::size_t q = 0; q < queue.size(); ++q) {
          ASSERT_EQ(queue[q].size(), pushed[q].size());
          std::vector<vertex_t> copied(queue[q].size());
          queue[q].copy_to(copied.data());
          std::sort(copied.begin(), copied.end());
          ASSERT_EQ(copied, pushed[q]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::cpu
