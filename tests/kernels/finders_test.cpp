// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/finders.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <thread>
#include <vector>

namespace bfslab::cpu {
namespace {

constexpr std::size_t kWords = 64;
constexpr vertex_t kVertices = kWords * kWordBits;

TEST(Finders, TellWhatWasFoundAndByWhom) {
  Finders finders(kWords);
  const FinderView view = finders.view();
  EXPECT_EQ(finders.bytes(), kVertices);
  EXPECT_TRUE(view.claim(0, 0));
  EXPECT_TRUE(view.claim(63, 254));
  EXPECT_TRUE(view.claim_locked(64, 7));
  EXPECT_TRUE(view.is_open(130));
  EXPECT_EQ(view.count(130, 3), 1U);
  EXPECT_FALSE(view.is_open(130));
  for (const std::size_t other : {0U, 9U}) {
    EXPECT_FALSE(view.claim(63, other));
    EXPECT_FALSE(view.claim_locked(0, other));
    EXPECT_EQ(view.count(64, other), 0U);
  }
  EXPECT_TRUE(view.is(0, 0) && view.is(254, 63) && view.is(7, 64) && view.is(3, 130));
  EXPECT_FALSE(view.is(1, 0) || view.is(0, 63) || view.is(0, 1));
  EXPECT_EQ(finders.found(0), bit_of(0) | bit_of(63));
  EXPECT_EQ(finders.found(1), word_t{1});
  EXPECT_EQ(finders.found(2), word_t{4});
  EXPECT_EQ(finders.found(3), word_t{0});
  const word_t kept = bit_of(1) | bit_of(62);
  finders.set_word(0, kept);
  finders.set_word(1, 0);
  EXPECT_EQ(finders.found(0), kept);
  EXPECT_TRUE(view.is(0, 1) && view.is(0, 62));
  EXPECT_EQ(finders.found(1), word_t{0});
  EXPECT_EQ(finders.found(2), word_t{4});
}

// Every bit of the word that is made of bytes, alone and with all others.
TEST(Finders, GatherWordsInOrder) {
  for (vertex_t v = 0; v < kWordBits; ++v) {
    Finders finders(2);
    const FinderView view = finders.view();
    view.claim(kWordBits + v, 200);
    EXPECT_EQ(finders.found(0), word_t{0});
    EXPECT_EQ(finders.found(1), bit_of(v));
  }
  Finders finders(1);
  const FinderView view = finders.view();
  for (vertex_t v = 0; v < kWordBits; ++v) view.claim(v, v);
  EXPECT_EQ(finders.found(0), ~word_t{0});
}

enum class How { claim, locked, count };

// Threads that want the same vertices at the same time: each vertex is found by at least one of
// them, and has one finder, who is one of those that found it.
TEST(Finders, LeaveEveryVertexToOneOfThoseThatFoundIt) {
  constexpr std::size_t kThreads = 4;
  for (int round = 0; round < 50; ++round) {
    for (const How how : {How::claim, How::locked, How::count}) {
      Finders finders(kWords);
      const FinderView view = finders.view();
      std::vector<std::vector<char>> found(kThreads, std::vector<char>(kVertices, 0));
      std::atomic<std::size_t> ready{0};
#pragma omp parallel num_threads(kThreads)
      {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        const auto team = static_cast<std::size_t>(omp_get_num_threads());
        ready.fetch_add(1);
        while (ready.load() < team) std::this_thread::yield();
        for (vertex_t v = 0; v < kVertices; ++v) {
          bool mine = false;
          if (how == How::claim) mine = view.claim(v, thread);
          if (how == How::locked) mine = view.claim_locked(v, thread);
          if (how == How::count) mine = view.is_open(v) && view.count(v, thread) != 0;
          found[thread][v] = mine ? 1 : 0;
        }
      }
      for (vertex_t v = 0; v < kVertices; ++v) {
        std::size_t finds = 0;
        std::size_t owners = 0;
        for (std::size_t t = 0; t < kThreads; ++t) {
          finds += static_cast<std::size_t>(found[t][v]);
          if (!view.is(t, v)) continue;
          ++owners;
          EXPECT_EQ(found[t][v], 1) << "vertex " << v << ", thread " << t;
        }
        EXPECT_EQ(owners, 1U) << "vertex " << v;
        EXPECT_GE(finds, 1U);
        if (how == How::locked) {
          EXPECT_EQ(finds, 1U) << "vertex " << v;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::cpu
