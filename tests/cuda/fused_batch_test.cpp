// SPDX-License-Identifier: Apache-2.0
// Searches of fused that run together, and searches that end at a level: on the whole zoo, with
// sources that are alone, the same, fewer than the batch, and more than one batch.
#include <gtest/gtest.h>

#include "datasets/load_graph.hpp"
#include "kernels/search_toggles.hpp"
#include "kernels/unsupported.hpp"
#include "tests/kernels/batches.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {
namespace {

// The default, each order of ids, top-down alone, and limits.
std::vector<Toggles> batch_toggles(std::int64_t batch, Size size) {
  Toggles plain(find_engine("fused")->toggles);
  plain.set("batch", batch);
  std::vector<Toggles> all{plain};
  if (size != Size::small) return all;
  for (const char* order : {"degree", "none"}) {
    for (const bool up : {true, false}) {
      for (const std::int64_t limit : {0, 1, 3}) {
        all.push_back(plain);
        all.back().set("order", std::string(order));
        all.back().set("bottom_up", up);
        all.back().set("depth_limit", limit);
      }
    }
  }
  return all;
}

class FusedBatch : public RunsHere<std::string> {};

INSTANTIATE_TEST_SUITE_P(Zoo, FusedBatch, testing::ValuesIn(zoo_families()),
                         [](const auto& param) { return param.param; });

TEST_P(FusedBatch, GivesEachSourceItsAnswer) {
  std::string why;
  const std::vector<ZooGraph>& graphs = zoo_family(GetParam(), &why);
  if (graphs.empty()) GTEST_SKIP() << why;
  for (const ZooGraph& animal : graphs) {
    Truths truths(*animal.graph);
    for (const std::int64_t batch : {3, 64}) {
      expect_own_answers("fused", animal, truths, batch_toggles(batch, animal.size));
      if (HasFailure()) return;
    }
  }
}

TEST_P(FusedBatch, TakesTurnsWithSingleSearches) {
  for (const ZooGraph& animal : zoo_family(GetParam())) {
    if (animal.size != Size::small) continue;
    expect_turns("fused", animal, batch_toggles(8, Size::large).front());
    if (HasFailure()) return;
  }
}

TEST_P(FusedBatch, EndsSingleSearchesAtTheLimit) {
  for (const ZooGraph& animal : zoo_family(GetParam())) {
    if (animal.size == Size::deep) continue;
    Truths truths(*animal.graph);
    for (const std::int64_t limit : {1, 2, 5}) {
      for (Toggles toggles : batch_toggles(1, Size::large)) {
        toggles.set("depth_limit", limit);
        expect_limit("fused", animal, truths, toggles);
        if (HasFailure()) return;
      }
    }
  }
}

class FusedBatchHere : public RunsHere<bool> {};

INSTANTIATE_TEST_SUITE_P(BottomUp, FusedBatchHere, testing::Bool());

// Rows longer than a lane looks along, of which only the last neighbour is in the frontier: vertex
// 0 is next to the leaves 1, ... and to the last vertex, which is next to the source before it.
TEST_P(FusedBatchHere, LooksAlongLongRows) {
  constexpr vertex_t kLeaves = 20'000;
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t v = 1; v <= kLeaves; ++v) edges.emplace_back(0, v);
  edges.emplace_back(0, kLeaves + 2);
  edges.emplace_back(kLeaves + 1, kLeaves + 2);
  const auto graph = make_graph(kLeaves + 3, edges);
  Truths truths(*graph);
  Toggles toggles = batch_toggles(64, Size::large).front();
  toggles.set("bottom_up", GetParam());
  toggles.set("order", std::string("none"));
  const auto engine = loaded("fused", *graph, toggles);
  Sources sources{kLeaves + 1, 0, 1, kLeaves, kLeaves + 2};
  for (vertex_t v = 2; sources.size() < 64; ++v) sources.push_back(v);
  EXPECT_EQ(judge_together(*engine, *graph, sources, kNoDepthLimit, truths), "");
}

// One search is three levels behind the others: the others go bottom-up when it still has one
// vertex, for which all vertices would look along their whole rows. Vertex v is next to v + each of
// 32 steps, so that the other searches meet most vertices after three levels.
TEST_P(FusedBatchHere, SplitsALevel) {
  constexpr vertex_t kRing = 65'536;
  std::vector<std::pair<vertex_t, vertex_t>> edges{{0, kRing}, {kRing, kRing + 1}};
  for (vertex_t i = 1; i <= 32; ++i) {
    const vertex_t step = 1 + i * i * i % (kRing / 2);
    for (vertex_t v = 0; v < kRing; ++v) edges.emplace_back(v, (v + step) % kRing);
  }
  const auto graph = make_graph(kRing + 2, edges);
  Truths truths(*graph);
  Toggles toggles = batch_toggles(64, Size::large).front();
  toggles.set("bottom_up", GetParam());
  const auto engine = loaded("fused", *graph, toggles);
  Sources sources{kRing + 1};
  for (vertex_t v = 1; sources.size() < 64; ++v) sources.push_back(977 * v);
  EXPECT_EQ(judge_together(*engine, *graph, sources, kNoDepthLimit, truths), "");
}

// More levels than a window has words for, on several windows.
TEST_P(FusedBatchHere, WritesLevelsOfAllWindows) {
  constexpr vertex_t kLength = 61;  // no multiple of four
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t v = 1; v < kLength; ++v) edges.emplace_back(v - 1, v);
  const auto graph = make_graph(kLength + 1, edges);  // with an isolated vertex
  Truths truths(*graph);
  for (const std::int64_t limit : {0, 7, 8, 9, 16}) {
    Toggles toggles = batch_toggles(64, Size::large).front();
    toggles.set("bottom_up", GetParam());
    toggles.set("depth_limit", limit);
    const auto engine = loaded("fused", *graph, toggles);
    Sources sources;
    for (vertex_t v = 0; v <= kLength; ++v) sources.push_back(v);
    EXPECT_EQ(judge_together(*engine, *graph, sources, depth_limit_of(toggles), truths), "");
    EXPECT_EQ(judge_together(*engine, *graph, {kLength, 0}, depth_limit_of(toggles), truths), "");
  }
}

TEST_P(FusedBatchHere, RefusesParents) {
  const auto graph = make_graph(2, {{0, 1}});
  const Toggles toggles = batch_toggles(2, Size::large).front();
  EXPECT_TRUE(find_engine("fused")->may_refuse(toggles));
  for (const Answer asked : {Answer::parents, Answer::both}) {
    EXPECT_THROW(loaded("fused", *graph, toggles, asked), Unsupported);
  }
}

}  // namespace
}  // namespace bfslab::tests
