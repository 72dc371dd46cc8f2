// SPDX-License-Identifier: Apache-2.0
// Searches of hybrid that run together, and searches that end at a level: on the whole zoo, in both
// directions, with sources that are alone, the same, fewer than the batch, and more than one batch.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/search_toggles.hpp"
#include "kernels/unsupported.hpp"
#include "tests/kernels/batches.hpp"

namespace bfslab::tests {
namespace {

// The default, and all levels in each direction: with and without hints, at different limits.
std::vector<Toggles> settings(std::int64_t batch, Size size) {
  const Toggles plain = [&] {
    Toggles toggles(find_engine("hybrid")->toggles);
    toggles.set("batch", batch);
    toggles.set("threads", std::int64_t{2});
    return toggles;
  }();
  std::vector<Toggles> all{plain};
  if (size != Size::small) return all;
  for (const double threshold : {0.0, 0.2, 1.0}) {
    for (const std::int64_t hints : {0, 2, 4}) {
      all.push_back(plain);
      all.back().set("rule", "vertices");
      all.back().set("threshold", threshold);
      all.back().set("hints", hints);
      all.back().set("threads", 1 + hints / 2);
      all.back().set("depth_limit", hints == 4 ? std::int64_t{2} : std::int64_t{0});
    }
  }
  return all;
}

class Batch : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Zoo, Batch, testing::ValuesIn(zoo_families()),
                         [](const auto& param) { return param.param; });

TEST_P(Batch, GivesEachSourceItsAnswer) {
  std::string why;
  const std::vector<ZooGraph>& graphs = zoo_family(GetParam(), &why);
  if (graphs.empty()) GTEST_SKIP() << why;
  for (const ZooGraph& animal : graphs) {
    Truths truths(*animal.graph);
    for (const std::int64_t batch : {3, 64}) {
      expect_own_answers("hybrid", animal, truths, settings(batch, animal.size));
      if (HasFailure()) return;
    }
  }
}

TEST_P(Batch, NeedsNoTranspose) {
  std::string why;
  for (const ZooGraph& animal : zoo_family(GetParam(), &why)) {
    if (animal.graph->symmetric() || animal.size != Size::small) continue;
    SCOPED_TRACE(animal.name);
    const CsrGraph bare = without_transpose(*animal.graph);
    Truths truths(bare);
    const Toggles toggles = settings(64, Size::large).front();
    const auto engine = loaded("hybrid", bare, toggles);
    ASSERT_EQ(judge_together(*engine, bare, spread(animal, 64), kNoDepthLimit, truths), "");
  }
}

TEST_P(Batch, TakesTurnsWithSingleSearches) {
  for (const ZooGraph& animal : zoo_family(GetParam())) {
    if (animal.size != Size::small) continue;
    expect_turns("hybrid", animal, settings(8, Size::large).front());
    if (HasFailure()) return;
  }
}

TEST_P(Batch, EndsSingleSearchesAtTheLimit) {
  for (const ZooGraph& animal : zoo_family(GetParam())) {
    if (animal.size == Size::deep) continue;
    Truths truths(*animal.graph);
    for (const std::int64_t limit : {1, 2, 5}) {
      for (Toggles toggles : settings(1, animal.size)) {
        toggles.set("depth_limit", limit);
        expect_limit("hybrid", animal, truths, toggles);
        if (HasFailure()) return;
      }
    }
  }
}

// A hub's row is shared by the threads, and more vertices are found than a thread hands over.
TEST(BatchOfAStar, SharesTheRowOfTheHub) {
  constexpr vertex_t kLeaves = 20'000;
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t v = 1; v <= kLeaves; ++v) edges.emplace_back(0, v);
  const auto graph = make_graph(kLeaves + 1, edges);
  Truths truths(*graph);
  for (const double threshold : {0.0, 1.0}) {
    Toggles toggles = settings(64, Size::large).front();
    toggles.set("rule", "vertices");
    toggles.set("threshold", threshold);
    const auto engine = loaded("hybrid", *graph, toggles);
    EXPECT_EQ(judge_together(*engine, *graph, {0, 1, kLeaves, 0}, kNoDepthLimit, truths), "");
  }
}

TEST(BatchRefuses, Parents) {
  const auto graph = make_graph(2, {{0, 1}});
  const Toggles toggles = settings(2, Size::large).front();
  EXPECT_TRUE(find_engine("hybrid")->may_refuse(toggles));
  for (const Answer asked : {Answer::parents, Answer::both}) {
    EXPECT_THROW(loaded("hybrid", *graph, toggles, asked), Unsupported);
  }
}

}  // namespace
}  // namespace bfslab::tests
