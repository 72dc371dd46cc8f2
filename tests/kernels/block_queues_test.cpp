// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/block_queues.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace bfslab::cpu {
namespace {

using Ids = std::vector<vertex_t>;

// Fills the queue of `thread` with `ids`, in blocks of unlike sizes.
void fill(BlockQueues& queues, std::size_t thread, std::span<const vertex_t> ids,
          std::mt19937& random) {
  queues.clear(thread);
  while (!ids.empty()) {
    const std::size_t complete =
        BlockQueues::kComplete + random() % (BlockQueues::kRoom - BlockQueues::kComplete + 1);
    const auto block = ids.first(std::min(ids.size(), complete));
    vertex_t* to = queues.add_block(thread);
    std::copy(block.begin(), block.end(), to);
    BlockQueues::set_size(to, block.size());
    ids = ids.subspan(block.size());
  }
  queues.close(thread);
}

Ids numbers(std::size_t count) {
  Ids ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

TEST(BlockQueues, HoldEverySplitOfTheirCapacity) {
  std::mt19937 random(1);
  constexpr std::size_t kMaxCount = 40 * BlockQueues::kRoom + 1;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, BlockQueues::kComplete, kMaxCount}) {
    for (const std::size_t threads : {1U, 2U, 5U}) {
      BlockQueues queues(n, static_cast<int>(threads));
      EXPECT_EQ(queues.bytes(), BlockQueues::bytes_for(n, static_cast<int>(threads)));
      for (int round = 0; round < 20; ++round) {
        queues.free_arena();
        const Ids ids = numbers(n);
        std::size_t at = 0;
        for (std::size_t t = 0; t < threads; ++t) {
          // The last takes what is left, which now and then is everything.
          const std::size_t left = n - at;
          const std::size_t share = t + 1 == threads || left == 0 ? left : random() % (left + 1);
          fill(queues, t, std::span(ids).subspan(at, round % 5 == 0 && t == 0 ? left : share),
               random);
          at += round % 5 == 0 && t == 0 ? left : share;
        }
        Ids seen;
        const auto note = [&](std::span<const vertex_t> block, std::size_t) {
          seen.insert(seen.end(), block.begin(), block.end());
        };
        if (round % 2 == 0) {
          queues.work_off(random() % threads, true, note);
        } else {  // the first thread leaves each of the others at least its last block
          for (std::size_t t = 0; t < threads; ++t) queues.work_off(t, false, note);
        }
        std::ranges::sort(seen);
        ASSERT_EQ(seen, ids);
      }
    }
  }
}

// Threads that take from each other get every block once, whichever thread filled it.
TEST(BlockQueues, EveryIdIsVisitedOnceByThreadsThatTakeFromEachOther) {
  constexpr int kThreads = 4;
  constexpr std::size_t kIds = 20000;
  std::mt19937 random(2);
  const Ids ids = numbers(kIds);
  BlockQueues first(kIds, kThreads);
  BlockQueues second(kIds, kThreads);
  const std::array<BlockQueues*, 2> turn = {&first, &second};
  for (std::size_t t = 0; t < kThreads; ++t) {  // all in one queue
    fill(first, t, t == 0 ? std::span<const vertex_t>(ids) : std::span<const vertex_t>(), random);
  }
  for (int level = 0; level < 50; ++level) {
    BlockQueues& from = *turn[level % 2];
    BlockQueues& to = *turn[(level + 1) % 2];
    std::vector<Ids> seen(kThreads);
#pragma omp parallel num_threads(kThreads)
    {
      const auto t = static_cast<std::size_t>(omp_get_thread_num());
      if (t == 0) from.free_arena();
      std::mt19937 sizes(static_cast<unsigned>(level * kThreads) + static_cast<unsigned>(t));
      from.work_off(t, false, [&](std::span<const vertex_t> block, std::size_t) {
        seen[t].insert(seen[t].end(), block.begin(), block.end());
      });
      fill(to, t, seen[t], sizes);
    }
    Ids all;
    for (const Ids& part : seen) all.insert(all.end(), part.begin(), part.end());
    std::ranges::sort(all);
    ASSERT_EQ(all, ids) << "level " << level;
  }
}

// Queues that may hold ids several times are crowded when about as many blocks are taken as all ids
// need, and from then on have room for all ids once more, however they are divided.
TEST(BlockQueues, HaveRoomForRepeatsUntilCrowdedAndForAllIdsThen) {
  constexpr std::size_t kIds = 30 * BlockQueues::kComplete + 7;
  const Ids ids = numbers(kIds);
  for (const std::size_t threads : {2U, 5U}) {
    BlockQueues queues(kIds, static_cast<int>(threads), true);
    const std::size_t bytes = BlockQueues::bytes_for(kIds, static_cast<int>(threads), true);
    EXPECT_EQ(queues.bytes(), bytes);
    EXPECT_GT(bytes, BlockQueues::bytes_for(kIds, static_cast<int>(threads)));
    queues.free_arena();
    for (std::size_t t = 0; t < threads; ++t) queues.clear(t);
    // Until the queues are crowded each thread fills blocks with ids that the others have, too.
    const auto add = [&](std::size_t t, std::span<const vertex_t> block) {
      vertex_t* to = queues.add_block(t);
      std::ranges::copy(block, to);
      BlockQueues::set_size(to, block.size());
    };
    std::size_t held = 0;
    std::size_t blocks = 0;
    for (std::size_t at = 0; !queues.crowded(); at += BlockQueues::kComplete) {
      ASSERT_LT(at, kIds);
      for (std::size_t t = 0; t < threads && !queues.crowded(); ++t, ++blocks) {
        const auto block = std::span(ids).subspan(at, std::min(BlockQueues::kComplete, kIds - at));
        add(t, block);
        held += block.size();
      }
    }
    // They take so many blocks at once, in turns, until more are taken than all ids fill while all
    // threads but one have taken some for nothing.
    constexpr std::size_t kAtOnce = BlockQueues::kAtOnce;
    const std::size_t before = (kIds / BlockQueues::kComplete + (threads - 1) * kAtOnce) / kAtOnce;
    EXPECT_EQ(blocks, before / threads * threads * kAtOnce + before % threads + 1);
    // Then the last thread finds everything once; the block that made them crowded is its own.
    for (std::size_t at = BlockQueues::kComplete; at < kIds; at += BlockQueues::kComplete) {
      const auto block = std::span(ids).subspan(at, std::min(BlockQueues::kComplete, kIds - at));
      add(threads - 1, block);
      held += block.size();
    }
    for (std::size_t t = 0; t < threads; ++t) queues.close(t);
    std::size_t seen = 0;
    std::vector<std::size_t> of(threads);
    queues.look_at_all([&](std::span<const vertex_t> block, std::size_t owner) {
      seen += block.size();
      ++of[owner];
    });
    EXPECT_EQ(seen, held);
    std::vector<std::size_t> worked(threads);
    queues.work_off(0, true,
                    [&](std::span<const vertex_t>, std::size_t owner) { ++worked[owner]; });
    EXPECT_EQ(worked, of);
  }
}

TEST(WorkRange, LeavesTheLastPieceToItsOwner) {
  WorkRange range;
  std::uint32_t piece = 99;
  EXPECT_FALSE(range.take_front(piece));
  range.reset(3, 6);
  EXPECT_TRUE(range.take_back(piece));
  EXPECT_EQ(piece, 5U);
  EXPECT_TRUE(range.take_front(piece));
  EXPECT_EQ(piece, 3U);
  EXPECT_FALSE(range.take_back(piece));
  EXPECT_TRUE(range.take_front(piece));
  EXPECT_EQ(piece, 4U);
  EXPECT_FALSE(range.take_front(piece));
}

}  // namespace
}  // namespace bfslab::cpu
