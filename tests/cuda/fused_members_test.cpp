// SPDX-License-Identifier: Apache-2.0
// fused-members: answers of 1 to 8 members where directions change anywhere and many edges are
// swept, and what members exchange in a level.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/load_graph.hpp"
#include "kernels/cuda/fused/member_deal.hpp"
#include "kernels/engine.hpp"
#include "tests/cuda/fused_graphs.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

Toggles toggles_of(unsigned members) {
  Toggles toggles(find_engine("fused-members")->toggles);
  toggles.set("members", std::int64_t{members});
  return toggles;
}

// The levels of a search by the kernel's log, or driven by the host if `live`.
class Exchange final : public LevelSink {
 public:
  struct Level {
    Direction direction;
    std::uint64_t frontier;
    std::uint64_t bytes = 0;
    double meetings = 0;
  };

  explicit Exchange(bool live) : live_(live) {}
  [[nodiscard]] bool live() const override { return live_; }
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& start) override {
    levels.push_back({start.direction, start.frontier_vertices});
  }
  void end(const LevelFacts& facts) override { levels.back().bytes = facts.bytes_sent; }
  void measure(const Measure& measure) override {
    if (measure.metric == "meetings") levels.at(measure.level.value()).meetings = measure.value;
  }

  std::vector<Level> levels;

 private:
  bool live_;
};

std::vector<Exchange::Level> exchange_of(const CsrGraph& graph, const Toggles& toggles,
                                         vertex_t source, bool live) {
  const auto engine =
      find_engine("fused-members")->make({.toggles = toggles, .answer = Answer::levels});
  engine->load({.csr = &graph, .recipe = ""});
  Exchange sink(live);
  engine->traverse(source, &sink);
  return sink.levels;
}

class FusedMembers : public RunsHere<unsigned> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedMembers);

INSTANTIATE_TEST_SUITE_P(Members, FusedMembers, testing::Range(1U, 9U),
                         [](const auto& param) { return std::to_string(param.param); });

TEST_P(FusedMembers, DirectionsChangeAnywhere) {
  const EngineInfo& info = *find_engine("fused-members");
  const auto graph = kronecker_of(15);
  const Exam exam(*graph, kinds_of_sources(*graph));
  for (const double alpha : {0.0, 0.001, 0.01, 0.5, 100.0}) {
    for (const double beta : {1024.0, 8.0, 2.0}) {
      for (const bool others : {true, false}) {
        Toggles toggles = toggles_of(GetParam());
        toggles.set("alpha", alpha);
        toggles.set("beta", beta);
        toggles.set("leaves_apart", others);
        toggles.set("late_labels", others);
        toggles.set("first_row", others == (beta > 8));
        toggles.set("list_few", alpha < 0.1);
        exam.take(info, {toggles, others ? Answer::both : Answer::levels}, *graph);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(FusedMembers, LevelsAreThoseOfTheSearchAndCountWhatIsExchanged) {
  const unsigned members = GetParam();
  const auto graph = kronecker_of(16);
  const vertex_t source = kinds_of_sources(*graph)[2];
  std::vector<std::uint64_t> frontiers;
  for (const level_t level : reference_levels(*graph, source)) {
    if (level == kUnreached) continue;
    frontiers.resize(std::max<std::size_t>(frontiers.size(), level + std::size_t{1}));
    ++frontiers[level];
  }
  // Each level sends each word once to each other member, and a sweep reads it once from each.
  const std::uint64_t all_bits = cuda::FusedDeal{members}.ids(graph->vertex_count()) / 8;
  for (const bool live : {false, true}) {
    SCOPED_TRACE(live ? "driven by the host" : "by itself");
    const auto levels = exchange_of(*graph, toggles_of(members), source, live);
    ASSERT_EQ(levels.size(), frontiers.size());
    std::uint64_t bytes = 0;
    unsigned up = 0;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      SCOPED_TRACE("level " + std::to_string(l));
      const auto& level = levels[l];
      EXPECT_EQ(level.frontier, frontiers[l]);
      const bool is_up = level.direction == Direction::bottom_up;
      up += is_up ? 1 : 0;
      bytes += level.bytes;
      // Leaves have no level of their own unless the host drives it.
      const bool is_of_leaves = !live && l + 1 == levels.size() && level.meetings == 0;
      // The source's row is read before the first meeting, unless the host drives levels.
      const bool is_row = !live && l == 0 && graph->degree(source) <= 1024;
      EXPECT_EQ(level.meetings, is_of_leaves || is_row ? 0 : is_up ? 1 : 2);
      EXPECT_LE(level.bytes, (is_up ? 2 : 3) * (members - 1) * all_bits);
    }
    EXPECT_GT(up, 0U);
    EXPECT_LT(up, levels.size());
    EXPECT_EQ(bytes > 0, members > 1);
  }
}

// Words that do not change are not sent: the levels of a path between two large stars change one
// word each.
TEST_P(FusedMembers, LevelsOfFewVerticesSendFewWords) {
  const unsigned members = GetParam();
  constexpr vertex_t kStar = 20'000;
  constexpr vertex_t kPath = 40;
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t v = 1; v < kStar; ++v) {
    edges.emplace_back(0, v);
    edges.emplace_back(v, v % (kStar - 1) + 1);
  }
  for (vertex_t v = 0; v < kPath; ++v) edges.emplace_back(v == 0 ? 0 : kStar + v - 1, kStar + v);
  const auto graph = make_graph(kStar + kPath, edges);
  Toggles toggles = toggles_of(members);
  toggles.set("alpha", 1e9);
  toggles.set("beta", 1e9);
  const auto levels = exchange_of(*graph, toggles, kStar + kPath - 1, true);
  ASSERT_EQ(levels.size(), kPath + std::size_t{2});
  for (std::size_t l = 0; l + 2 < kPath; ++l) {
    EXPECT_EQ(levels[l].direction, Direction::bottom_up);
    // The word of the vertex that is found, and that of the frontier two levels before.
    EXPECT_LE(levels[l].bytes, std::uint64_t{2} * 4 * (members - 1)) << "level " << l;
  }
}

}  // namespace
}  // namespace bfslab::tests
