// SPDX-License-Identifier: Apache-2.0
// xbfs-model against a reference that knows all levels beforehand, and against each way in which
// early finds can go wrong (docs/errata.md#xbfs-async).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "kernels/engine.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using Edges = std::vector<std::pair<vertex_t, vertex_t>>;

class Recorder final : public LevelSink {
 public:
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& start) override { starts.push_back(start); }
  void end(const LevelFacts& fact) override { facts.push_back(fact); }
  void measure(const Measure& measure) override {
    const auto [entry, fresh] = values.try_emplace({measure.part, measure.metric}, measure.value);
    EXPECT_TRUE(fresh) << "told twice: " << measure.part << " " << measure.metric;
    if (measure.level) level = *measure.level;
  }
  [[nodiscard]] double value(const std::string& part, const std::string& metric) const {
    const auto entry = values.find({part, metric});
    return entry == values.end() ? -1 : entry->second;
  }
  [[nodiscard]] std::uint64_t bottom_up_checks() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (starts[i].direction == Direction::bottom_up) sum += facts[i].edges_checked.value();
    }
    return sum;
  }
  [[nodiscard]] std::vector<Direction> directions() const {
    std::vector<Direction> all;
    for (const LevelStart& start : starts) all.push_back(start.direction);
    return all;
  }

  std::vector<LevelStart> starts;
  std::vector<LevelFacts> facts;
  std::map<std::pair<std::string, std::string>, double> values;
  level_t level = kUnreached;
};

Toggles with(const ToggleSettings& settings) {
  Toggles toggles(find_engine("xbfs-model")->toggles);
  for (const auto& [name, value] : settings) toggles.set(name, value);
  return toggles;
}

// Runs with a counting sink and checks the answer.
Recorder run(const CsrGraph& graph, vertex_t source, const Toggles& toggles) {
  const auto engine = find_engine("xbfs-model")->make({.toggles = toggles, .answer = Answer::both});
  engine->load({.csr = &graph, .recipe = ""});
  Recorder seen;
  engine->traverse(source, &seen);
  EXPECT_EQ(
      judge(graph, source, as_whole(engine->answer()).value(), reference_levels(graph, source)),
      "");
  return seen;
}

// Computes the search's counts from the levels alone: the order of the queue decides which vertices
// are early. It uses no queue of finds, no status and no order of events.
class Oracle {
 public:
  Oracle(const CsrGraph& graph, vertex_t source, std::vector<Direction> directions, bool async,
         std::size_t window)
      : in_(*graph.incoming()),
        levels_(reference_levels(graph, source)),
        directions_(std::move(directions)),
        early_(levels_.size(), false) {
    for (level_t level = 0; async && level < directions_.size(); ++level) {
      if (directions_[level] == Direction::bottom_up) find_early(level, window);
    }
  }

  [[nodiscard]] bool in_queue(vertex_t v, level_t level) const {
    return levels_[v] > level && !(early_[v] && levels_[v] == level + 1);
  }
  [[nodiscard]] edge_t checks(vertex_t v, level_t level) const {
    const auto row = in_.neighbors(v);
    const auto hit =
        std::find_if(row.begin(), row.end(), [&](vertex_t u) { return levels_[u] == level; });
    return static_cast<edge_t>(hit - row.begin()) + (hit == row.end() ? 0 : 1);
  }
  [[nodiscard]] edge_t checks(level_t level) const {
    edge_t sum = 0;
    for (vertex_t v = 0; v < levels_.size(); ++v) sum += in_queue(v, level) ? checks(v, level) : 0;
    return sum;
  }
  // Early finds among the vertices of a level.
  [[nodiscard]] std::uint64_t early_at(level_t level) const {
    std::uint64_t count = 0;
    for (vertex_t v = 0; v < levels_.size(); ++v) count += levels_[v] == level && early_[v] ? 1 : 0;
    return count;
  }
  // Lemma 3 by its definition, with a queue that is written out.
  [[nodiscard]] double expected(level_t level) const {
    std::vector<vertex_t> queue;
    for (vertex_t v = 0; v < levels_.size(); ++v) {
      if (in_queue(v, level)) queue.push_back(v);
    }
    double sum = 0;
    for (std::size_t s = 0; s < queue.size(); ++s) {
      if (levels_[queue[s]] != level + 2) continue;
      double none = 1;
      for (const vertex_t u : in_.neighbors(queue[s])) {
        if (levels_[u] == level + 1) none *= 1 - static_cast<double>(s) / queue.size();
      }
      sum += 1 - none;
    }
    return sum;
  }
  [[nodiscard]] const std::vector<level_t>& levels() const { return levels_; }

 private:
  void find_early(level_t level, std::size_t window) {
    std::map<vertex_t, std::size_t> turn;
    for (vertex_t v = 0; v < levels_.size(); ++v) {
      if (!in_queue(v, level)) continue;
      const std::size_t position = turn.size();
      turn[v] = position / window;
    }
    for (const auto& [v, turn_of_v] : turn) {
      if (levels_[v] != level + 2) continue;
      for (const vertex_t u : in_.neighbors(v)) {
        if (levels_[u] == level + 1 && (early_[u] || turn.at(u) < turn_of_v)) early_[v] = true;
      }
    }
  }

  const CsrGraph& in_;
  std::vector<level_t> levels_;
  std::vector<Direction> directions_;
  std::vector<bool> early_;
};

void expect_counts(const CsrGraph& graph, vertex_t source, const Toggles& toggles) {
  const Recorder seen = run(graph, source, toggles);
  const bool async = toggles.flag("async");
  const Oracle oracle(graph, source, seen.directions(), async,
                      static_cast<std::size_t>(toggles.integer("window")));
  level_t first = kUnreached;
  struct Looks {
    double vertices = 0;
    double checks = 0;
    double degrees = 0;
    double most = 0;
  };
  std::map<std::pair<edge_t, edge_t>, Looks> looks;  // by the bins of degree and checks
  for (level_t level = 0; level < seen.starts.size(); ++level) {
    SCOPED_TRACE("level " + std::to_string(level));
    EXPECT_EQ(seen.facts[level].found_early_vertices, oracle.early_at(level + 1));
    if (seen.starts[level].direction == Direction::top_down) continue;
    if (first == kUnreached) first = level;
    EXPECT_EQ(seen.facts[level].edges_checked, oracle.checks(level));
    for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
      const edge_t degree = graph.incoming()->degree(v);
      if (degree == 0 || !oracle.in_queue(v, level)) continue;
      const edge_t checks = oracle.checks(v, level);
      Looks& of = looks[{std::bit_floor(degree), std::bit_floor(checks)}];
      ++of.vertices;
      of.checks += static_cast<double>(checks);
      of.degrees += static_cast<double>(degree);
      of.most = std::max(of.most, static_cast<double>(checks));
    }
  }
  std::map<std::pair<std::string, std::string>, double> wanted;
  for (const auto& [bins, of] : looks) {
    const std::string part = "degree=" + std::to_string(bins.first);
    wanted[{part + ",checks=" + std::to_string(bins.second), "looks"}] = of.vertices;
    wanted[{part, "checks"}] += of.checks;
    wanted[{part, "degrees"}] += of.degrees;
    double& most = wanted[{part, "checks_max"}];
    most = std::max(most, of.most);
  }
  auto told = seen.values;
  std::erase_if(told, [](const auto& entry) { return !entry.first.first.starts_with("degree="); });
  EXPECT_EQ(told, wanted);
  if (first == kUnreached || !async) {
    EXPECT_EQ(seen.value("first_bottom_up", "queue_vertices"), -1);
    return;
  }
  EXPECT_EQ(seen.level, first);
  const auto& levels = oracle.levels();
  EXPECT_EQ(seen.value("first_bottom_up", "next_level_vertices"),
            std::count(levels.begin(), levels.end(), first + 2));
  EXPECT_EQ(seen.value("first_bottom_up", "found_early_vertices"), oracle.early_at(first + 2));
  EXPECT_NEAR(seen.value("first_bottom_up", "found_early_expected"), oracle.expected(first), 1e-6);
  for (const char* metric :
       {"next_level_vertices", "found_early_vertices", "found_early_expected"}) {
    double sum = 0;
    for (int k = 0; k < 16; ++k) sum += seen.value("position=" + std::to_string(k) + "/16", metric);
    EXPECT_NEAR(sum, seen.value("first_bottom_up", metric), 1e-6) << metric;
  }
}

TEST(XbfsModel, CountsWhatTheOracleCounts) {
  const std::vector<ToggleSettings> settings{
      {},
      {{"async", false}},
      {{"alpha", 0.0}},
      {{"alpha", 0.0}, {"async", false}},
      {{"alpha", 0.3}},
      {{"edge_check", "cumulative"}},
      {{"alpha", 0.0}, {"window", std::int64_t{7}}},
      {{"alpha", 0.02}, {"edge_check", "cumulative"}, {"window", std::int64_t{64}}},
  };
  for (const char* family : {"paths", "stars", "grids", "complete", "trees", "disconnected",
                             "degenerate", "loops_and_multi_edges", "random", "directed"}) {
    for (const ZooGraph& animal : zoo_family(family)) {
      if (animal.graph->vertex_count() > 10'000) continue;
      for (const ToggleSettings& toggles : settings) {
        for (const vertex_t source : animal.sources) {
          SCOPED_TRACE(animal.name + " " + with(toggles).text() + " source " +
                       std::to_string(source));
          expect_counts(*animal.graph, source, with(toggles));
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Figure 8 and Examples 5 and 6 of the paper: at its level 3 vertices 3, 4 and 8 find a parent at
// the first, second and first look, and 9 is found a level early.
TEST(XbfsModel, DoesThePapersExample) {
  const auto graph = make_graph(10, {{0, 1},
                                     {0, 5},
                                     {1, 2},
                                     {1, 7},
                                     {5, 6},
                                     {5, 7},
                                     {2, 3},
                                     {3, 4},
                                     {3, 9},
                                     {4, 7},
                                     {6, 8},
                                     {8, 9}});
  const Recorder seen = run(*graph, 0, with({{"alpha", 0.28}}));
  ASSERT_EQ(seen.starts.size(), 5U);
  EXPECT_EQ(seen.starts[1].direction, Direction::top_down);
  EXPECT_EQ(seen.starts[2].direction, Direction::bottom_up);
  EXPECT_EQ(seen.facts[2].found_vertices, 3U);
  EXPECT_EQ(seen.facts[2].edges_checked, 1U + 2 + 1 + 2);  // 9 reads both of its neighbours
  EXPECT_EQ(seen.facts[3].found_early_vertices, 1U);
  EXPECT_EQ(seen.facts[3].edges_checked, 0U);
  EXPECT_EQ(seen.value("first_bottom_up", "queue_vertices"), 4);
  EXPECT_EQ(seen.value("first_bottom_up", "next_level_vertices"), 1);
  // Index 3 of 4, neighbours 3 and 8 at the paper's level 3.
  EXPECT_DOUBLE_EQ(seen.value("first_bottom_up", "found_early_expected"), 15.0 / 16);
}

TEST(XbfsModel, AWindowOverTheWholeQueueIsASynchronousSearch) {
  for (const ZooGraph& animal : zoo_family("random")) {
    const vertex_t source = animal.sources.back();
    const Recorder sync = run(*animal.graph, source, with({{"async", false}}));
    std::uint64_t most = sync.bottom_up_checks();
    for (const std::int64_t window : {1'000'000, 100, 10, 1}) {
      const Recorder seen = run(*animal.graph, source, with({{"window", window}}));
      EXPECT_EQ(seen.directions(), sync.directions());
      if (window == 1'000'000) {
        EXPECT_EQ(seen.bottom_up_checks(), most);
      }
      EXPECT_LE(seen.bottom_up_checks(), most) << "window " << window;
      most = seen.bottom_up_checks();
    }
  }
}

// Lemma 3 supposes that a level's vertices are spread evenly over the queue: if the order is
// random, what it predicts is what is found.
TEST(XbfsModel, FindsWhatLemma3ExpectsOfAShuffledQueue) {
  constexpr vertex_t kVertices = 20'000;
  std::mt19937 random(3);
  Edges edges;
  for (vertex_t i = 0; i < 2 * kVertices; ++i) {
    const vertex_t u = random() % kVertices;
    edges.emplace_back(u, random() % kVertices);
  }
  const auto graph = make_graph(kVertices, edges);
  const Recorder seen = run(*graph, 1, with({{"queue", "shuffled"}}));
  const double found = seen.value("first_bottom_up", "found_early_vertices");
  const double expected = seen.value("first_bottom_up", "found_early_expected");
  ASSERT_GT(expected, 1000);
  EXPECT_NEAR(found / expected, 1, 0.03);
  for (int k = 2; k < 16; ++k) {
    const std::string part = "position=" + std::to_string(k) + "/16";
    EXPECT_NEAR(seen.value(part, "found_early_vertices") / seen.value(part, "found_early_expected"),
                1, 0.15)
        << part;
  }
}

// A search that can make each mistake, to show that the graphs below detect it.
struct Mistakes {
  bool end_without_early = false;  // ends where nothing new was found
  bool unseeded_queue = false;     // top-down's next queue holds only what it claimed
  bool frontier_of_queue = false;  // the first top-down frontier is of the bottom-up queue before
  bool marks_at_first_sight = false;  // does not read on after a neighbour of the same level
  bool new_edges_only = false;        // edgeCheck leaves early finds out
};

struct Outcome {
  std::vector<level_t> levels;
  std::vector<Direction> directions;
};

Outcome mistaken(const CsrGraph& graph, vertex_t source, double alpha, const Mistakes& mistakes) {
  Outcome out{std::vector<level_t>(graph.vertex_count(), kUnreached), {}};
  auto& levels = out.levels;
  levels[source] = 0;
  std::vector<vertex_t> fresh{source};
  std::vector<vertex_t> early;
  for (level_t level = 0;; ++level) {
    std::vector<vertex_t> frontier = fresh;
    frontier.insert(frontier.end(), early.begin(), early.end());
    if (mistakes.unseeded_queue && !out.directions.empty() &&
        out.directions.back() == Direction::top_down) {
      frontier = fresh;
    }
    if (mistakes.end_without_early ? fresh.empty() : frontier.empty()) return out;
    edge_t edges = 0;
    for (const vertex_t v : mistakes.new_edges_only ? fresh : frontier) edges += graph.degree(v);
    const bool up = static_cast<double>(edges) >= alpha * static_cast<double>(graph.edge_count());
    const bool was_up = !out.directions.empty() && out.directions.back() == Direction::bottom_up;
    if (!up && was_up && mistakes.frontier_of_queue) frontier = fresh;
    out.directions.push_back(up ? Direction::bottom_up : Direction::top_down);
    fresh.clear();
    early.clear();
    for (vertex_t v = 0; v < graph.vertex_count(); ++v) {  // found early by the level before
      if (levels[v] == level + 1) early.push_back(v);
    }
    if (!up) {
      for (const vertex_t u : frontier) {
        for (const vertex_t w : graph.neighbors(u)) {
          if (levels[w] != kUnreached) continue;
          levels[w] = level + 1;
          fresh.push_back(w);
        }
      }
      continue;
    }
    for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
      if (levels[v] != kUnreached) continue;
      for (const vertex_t u : graph.incoming()->neighbors(v)) {
        if (levels[u] == level + 1) {
          levels[v] = level + 2;
          if (mistakes.marks_at_first_sight) break;
        }
        if (levels[u] != level) continue;
        levels[v] = level + 1;
        fresh.push_back(v);
        break;
      }
    }
  }
}

Edges clique(vertex_t first, vertex_t size) {
  Edges edges;
  for (vertex_t u = first; u < first + size; ++u) {
    for (vertex_t v = u + 1; v < first + size; ++v) edges.emplace_back(u, v);
  }
  return edges;
}

Edges and_path(Edges edges, vertex_t first, vertex_t last) {
  for (vertex_t v = first; v < last; ++v) edges.emplace_back(v, v + 1);
  return edges;
}

void expect_trap(const CsrGraph& graph, vertex_t source, double alpha, const Mistakes& mistakes) {
  const std::vector<level_t> truth = reference_levels(graph, source);
  ASSERT_EQ(mistaken(graph, source, alpha, {}).levels, truth) << "the search without a mistake";
  EXPECT_NE(mistaken(graph, source, alpha, mistakes).levels, truth) << "the graph is no trap";
  run(graph, source, with({{"alpha", alpha}}));  // checks its answer
}

TEST(XbfsModelTraps, ALevelThatWasFoundEarlyIsNotTheEnd) {
  const auto path = make_graph(10, and_path({}, 0, 9));
  expect_trap(*path, 0, 0, {.end_without_early = true});
  // Vertices of levels 1, 3, 5 ... find nothing when it is their turn, every second level.
  const Recorder seen = run(*path, 0, with({{"alpha", 0.0}}));
  EXPECT_EQ(seen.facts[1].found_vertices, 1U);
  EXPECT_EQ(seen.facts[1].found_early_vertices, 1U);
}

// A clique next to the source goes bottom-up; the path after it goes top-down, and its second
// vertex was found early.
TEST(XbfsModelTraps, TopDownAfterEarlyFindsKeepsThem) {
  Edges edges = clique(1, 10);
  for (vertex_t v = 1; v <= 10; ++v) edges.emplace_back(0, v);
  edges.emplace_back(10, 11);
  const auto graph = make_graph(17, and_path(std::move(edges), 11, 16));
  expect_trap(*graph, 0, 0.1, {.unseeded_queue = true});
  const Recorder seen = run(*graph, 0, with({}));
  EXPECT_EQ(seen.starts[1].direction, Direction::bottom_up);
  EXPECT_EQ(seen.starts[2].direction, Direction::top_down);
  EXPECT_EQ(seen.facts[2].found_early_vertices, 1U);
}

// No trap: "no frontier generation" takes the first top-down frontier from the last bottom-up
// queue, which lacks what the level before that found early; but all their neighbours saw them
// there.
TEST(XbfsModelTraps, TheLastBottomUpQueueIsFrontierEnough) {
  for (const char* family : {"random", "grids", "trees", "stars", "directed"}) {
    for (const ZooGraph& animal : zoo_family(family)) {
      if (animal.graph->vertex_count() > 10'000) continue;
      SCOPED_TRACE(animal.name);
      for (const double alpha : {0.02, 0.1, 0.3}) {
        for (const vertex_t source : animal.sources) {
          EXPECT_EQ(mistaken(*animal.graph, source, alpha, {.frontier_of_queue = true}).levels,
                    reference_levels(*animal.graph, source));
        }
      }
    }
  }
}

TEST(XbfsModelTraps, EarlyNeedsTheWholeRow) {
  const auto triangle = make_graph(3, clique(0, 3));
  expect_trap(*triangle, 2, 0, {.marks_at_first_sight = true});
}

// A clique found early counts in the switch: otherwise async and sync would differ.
TEST(XbfsModelTraps, EarlyFindsCountInTheSwitch) {
  Edges edges = clique(1, 10);
  for (vertex_t v = 1; v <= 10; ++v) edges.emplace_back(0, v);
  edges.emplace_back(10, 11);
  for (const auto& edge : clique(12, 10)) edges.push_back(edge);
  for (vertex_t v = 12; v <= 21; ++v) edges.emplace_back(11, v);
  edges.emplace_back(21, 22);
  const auto graph = make_graph(23, edges);
  const Recorder sync = run(*graph, 0, with({{"async", false}}));
  const Recorder async = run(*graph, 0, with({}));
  EXPECT_EQ(async.facts[2].found_early_vertices, 10U);
  EXPECT_EQ(async.directions(), sync.directions());
  EXPECT_EQ(mistaken(*graph, 0, 0.1, {}).directions, sync.directions());
  EXPECT_NE(mistaken(*graph, 0, 0.1, {.new_edges_only = true}).directions, sync.directions());
}

}  // namespace
}  // namespace bfslab::tests
