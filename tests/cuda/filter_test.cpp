// SPDX-License-Identifier: Apache-2.0
// Gunrock's filter: whatever candidates there are, each vertex enters the queue once.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/cuda/device_arrays.hpp"
#include "tests/cuda/filter_kernel.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {
namespace {

// Runs one filter after another, as a traversal does.
class Filter : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  }

  void make(const std::vector<edge_t>& degrees) {
    const auto n = static_cast<vertex_t>(degrees.size());
    degrees_ = degrees;
    std::vector<edge_t> offsets(n + std::size_t{1});
    std::partial_sum(degrees.begin(), degrees.end(), offsets.begin() + 1);
    offsets_ = sent(offsets);
    bits_ = sent(std::vector<std::uint32_t>((n + 31) / 32));
    work_.outgoing = {offsets_.data(), nullptr, n, offsets.back()};
    std::uint32_t count[cuda::kDegreeClasses] = {};
    for (const edge_t degree : degrees) ++count[cuda::degree_class(degree)];
    for (int parity = 0; parity < 2; ++parity) {
      queue_[parity] = sent(std::vector<vertex_t>(n, kNoVertex));
      work_.queue[parity].entries = queue_[parity].data();
      for (int c = 1; c < cuda::kDegreeClasses; ++c) {
        region_[c] = region_[c - 1] + count[c - 1];
        work_.queue[parity].region[c] = region_[c];
      }
    }
    visited_.assign(n, false);
  }

  // Expects exactly those of `candidates` in the queue that no earlier level had.
  void expect_each_once(level_t level, const std::vector<vertex_t>& candidates, unsigned blocks,
                        unsigned threads) {
    const auto list = sent(candidates);
    std::vector<cuda::LevelSlot> slots(cuda::kSlots);
    slots[level % cuda::kSlots].candidates = static_cast<std::uint32_t>(candidates.size());
    const auto device_slots = sent(slots);
    work_.slots = {device_slots.data()};
    run_filter(work_, {list.data(), bits_.data()}, level, by_class_, one_atomic_a_vertex_, blocks,
               threads);

    std::vector<std::vector<vertex_t>> wanted(cuda::kDegreeClasses);
    std::vector<vertex_t> distinct = candidates;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (const vertex_t v : distinct) {
      if (visited_[v]) continue;
      visited_[v] = true;
      if (by_class_ && degrees_[v] == 0) continue;
      wanted[by_class_ ? cuda::degree_class(degrees_[v]) : 0].push_back(v);
    }
    const std::vector<vertex_t> entries = fetched(queue_[level % 2]);
    const cuda::LevelSlot slot = fetched(device_slots)[level % cuda::kSlots];
    for (int c = 0; c < cuda::kDegreeClasses; ++c) {
      ASSERT_EQ(slot.queued[c], wanted[c].size()) << "class " << c;
      const auto begin = entries.begin() + (by_class_ ? region_[c] : 0);
      std::vector<vertex_t> got(begin, begin + slot.queued[c]);
      std::sort(got.begin(), got.end());
      EXPECT_EQ(got, wanted[c]) << "class " << c;
    }
  }

  cuda::Traversal work_;
  bool by_class_ = false;
  bool one_atomic_a_vertex_ = false;
  std::vector<edge_t> degrees_;
  std::uint32_t region_[cuda::kDegreeClasses] = {};
  std::vector<bool> visited_;
  cuda::DeviceBuffer<edge_t> offsets_;
  cuda::DeviceBuffer<std::uint32_t> bits_;
  cuda::DeviceBuffer<vertex_t> queue_[2];
};

TEST_F(Filter, AsManyCandidatesAsOneVertexHas) {
  make(std::vector<edge_t>(1000, 3));
  expect_each_once(3, std::vector<vertex_t>(100'003, 999), 16, 256);
  expect_each_once(4, std::vector<vertex_t>(33, 999), 1, 32);
  expect_each_once(5, {}, 4, 128);
  expect_each_once(6, {0}, 4, 128);
}

// Every vertex of one slot of the history, in turns: what it holds is always another's.
TEST_F(Filter, VerticesThatDriveOneAnotherOutOfTheHistory) {
  make(std::vector<edge_t>(4096, 1));
  std::vector<vertex_t> candidates;
  for (int i = 0; i < 50'000; ++i) candidates.push_back(static_cast<vertex_t>(i % 8 * 512 + 7));
  expect_each_once(1, candidates, 8, 1024);
}

TEST_F(Filter, RandomCandidatesOverLevelsAndDegreeClasses) {
  constexpr vertex_t kVertices = 20'011;
  std::mt19937 random(7);
  std::vector<edge_t> degrees(kVertices);
  constexpr edge_t kDegrees[] = {0, 1, 31, 32, 255, 256, 65535, 65536, 70000};
  for (edge_t& degree : degrees) degree = kDegrees[random() % std::size(kDegrees)];
  for (const bool by_class : {false, true}) {
    for (const bool by_thread : {false, true}) {
      make(degrees);
      by_class_ = by_class;
      one_atomic_a_vertex_ = by_thread;
      for (level_t level = 0; level < 7; ++level) {
        std::vector<vertex_t> candidates(1 + random() % 30'000);
        // Earlier levels' vertices among them: a filter has to know them.
        for (vertex_t& v : candidates) v = random() % (kVertices * (level + 1) / 7);
        expect_each_once(level, candidates, 1 + random() % 64, 32 * (1 + random() % 32));
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
