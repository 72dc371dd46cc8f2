// SPDX-License-Identifier: Apache-2.0
// The form of cs406's listings, as cs406-cpu reports it; that its answers and counts are right is
// an exam of every engine.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

class Levels final : public LevelSink {
 public:
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& start) override { starts.push_back(start); }
  void end(const LevelFacts& facts) override { checked.push_back(facts.edges_checked.value()); }

  [[nodiscard]] std::vector<std::string> techniques() const {
    std::vector<std::string> names;
    for (const LevelStart& start : starts) names.emplace_back(start.technique);
    return names;
  }

  std::vector<LevelStart> starts;
  std::vector<std::uint64_t> checked;
};

// A tree of 100 vertices with these numbers of vertices per level, in the order of their ids. All
// vertices of a level are children of the first one of the level before.
constexpr vertex_t kSizes[] = {1, 4, 5, 85, 4, 1};

std::shared_ptr<const CsrGraph> tree() {
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  vertex_t parent = 0;
  vertex_t child = 1;
  for (std::size_t level = 1; level < std::size(kSizes); ++level) {
    const vertex_t first = child;
    for (vertex_t i = 0; i < kSizes[level]; ++i) edges.emplace_back(parent, child++);
    parent = first;
  }
  return make_graph(child, edges);
}

Levels search(const CsrGraph& graph, const ToggleSettings& settings) {
  const EngineInfo& info = *find_engine("cs406-cpu");
  Toggles toggles(info.toggles);
  toggles.set("threads", std::int64_t{2});
  for (const auto& [name, value] : settings) toggles.set(name, value);
  const std::unique_ptr<Engine> engine = info.make({.toggles = toggles});
  GraphSource source;
  source.csr = &graph;
  engine->load(source);
  Levels levels;
  engine->traverse(0, &levels);
  return levels;
}

TEST(Cs406, GoesBottomUpFromFivePercentOfTheVerticesAndBackBelow) {
  const Levels levels = search(*tree(), {});
  ASSERT_EQ(levels.starts.size(), std::size(kSizes));
  for (std::size_t level = 0; level < std::size(kSizes); ++level) {
    EXPECT_EQ(levels.starts[level].frontier_vertices, kSizes[level]);
    EXPECT_EQ(levels.starts[level].direction == Direction::bottom_up, kSizes[level] >= 5) << level;
  }
  // Level 2: the 85 vertices that it finds stop at their first entry, the parent. The 5 below them
  // find no parent and read their whole rows: one of these has a child.
  EXPECT_EQ(levels.checked[2], 85U + 5 + 1);
}

TEST(Cs406, MergesInACriticalSectionTopDownAsListing1Does) {
  using Names = std::vector<std::string>;
  const auto graph = tree();
  EXPECT_EQ(search(*graph, {}).techniques(),
            (Names{"local_queues_critical", "local_queues_critical", "bitset_from_queue",
                   "bitset_from_queue", "local_queues_critical", "local_queues_critical"}));
  EXPECT_EQ(search(*graph,
                   {{"algorithm", std::string("top_down")}, {"merge", std::string("prefix_sums")}})
                .techniques(),
            Names(std::size(kSizes), "local_queues"));
  EXPECT_EQ(search(*graph, {{"algorithm", std::string("bottom_up")}}).techniques(),
            Names(std::size(kSizes), "bitset_from_queue"));
}

}  // namespace
}  // namespace bfslab::tests
