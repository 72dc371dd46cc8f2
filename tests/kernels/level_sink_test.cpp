// SPDX-License-Identifier: Apache-2.0
// The reports of engines to a LevelSink must agree with the levels of their answers.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "harness/check/host_answer.hpp"
#include "kernels/engine.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

struct Wants {
  bool live = false;
  bool counts = false;
  bool times = false;
};

class Recorder final : public LevelSink {
 public:
  explicit Recorder(Wants wants) : wants_(wants) {}
  [[nodiscard]] bool live() const override { return wants_.live; }
  [[nodiscard]] bool counts() const override { return wants_.counts; }
  [[nodiscard]] bool times() const override { return wants_.times; }
  void begin(const LevelStart& start) override {
    ASSERT_EQ(starts.size(), facts.size()) << "a level began inside another";
    starts.push_back(start);
  }
  void end(const LevelFacts& fact) override {
    ASSERT_EQ(starts.size(), facts.size() + 1) << "a level ended that had not begun";
    facts.push_back(fact);
    if (parts_ == 0) return;
    facts.back() = sum_;
    EXPECT_EQ(starts.back().frontier_vertices, frontier_) << "the parts' frontiers add up";
    starts.back().direction = direction_;
    parts_ = 0;
  }

  // A level, or a part of it: parts add up, and a level that is searched bottom-up in any part may
  // read any number of edges.
  void report(const LevelReport& level) override {
    const bool open = starts.size() > facts.size();
    ASSERT_TRUE(open || !wants_.live) << "told afterwards although it was to be live";
    if (wants_.times) {
      ASSERT_TRUE(level.facts.time_ms.has_value()) << "no time of level " << level.start.level;
      ASSERT_GE(*level.facts.time_ms, 0);
    }
    // Parts are named by where their edges begin and end: nd, dd.
    if (level.part != "all") {
      Ends& ends = ends_[level.start.level][level.part.back()];
      ends.unvisited += level.facts.unvisited_vertices.value_or(0);
      if (level.facts.edges_checked == 0) ends.unread += level.facts.frontier_edges.value_or(0);
    }
    const bool first =
        open ? parts_ == 0 : starts.empty() || starts.back().level != level.start.level;
    if (first) {
      sum_ = level.facts;
      frontier_ = level.start.frontier_vertices;
      direction_ = level.start.direction;
    } else {
      add(sum_.frontier_edges, level.facts.frontier_edges);
      add(sum_.edges_checked, level.facts.edges_checked);
      add(sum_.found_vertices, level.facts.found_vertices);
      add(sum_.unvisited_vertices, level.facts.unvisited_vertices);
      frontier_ += level.start.frontier_vertices;
      if (level.start.direction == Direction::bottom_up) direction_ = Direction::bottom_up;
    }
    ++parts_;
    if (open) return;
    parts_ = 0;
    afterwards = true;
    if (first) {
      starts.push_back(level.start);
      facts.emplace_back();
    }
    starts.back().frontier_vertices = frontier_;
    starts.back().direction = direction_;
    facts.back() = sum_;
  }

  std::vector<LevelStart> starts;
  std::vector<LevelFacts> facts;
  bool afterwards = false;

  // Edges of a pushed level's frontier in parts that were not read, since all vertices in which
  // these edges end are visited.
  [[nodiscard]] std::uint64_t left_out(level_t level) const {
    std::uint64_t edges = 0;
    const auto found = ends_.find(level);
    if (found == ends_.end()) return 0;
    for (const auto& [end, ends] : found->second) edges += ends.unvisited == 0 ? ends.unread : 0;
    return edges;
  }

 private:
  struct Ends {
    std::uint64_t unvisited = 0;
    std::uint64_t unread = 0;  // edges of the frontier in parts of which nothing was read
  };
  static void add(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& more) {
    if (sum && more) *sum += *more;
  }

  Wants wants_;
  std::map<level_t, std::map<char, Ends>> ends_;
  // Sum over the level whose parts are being reported.
  LevelFacts sum_;
  std::uint64_t frontier_ = 0;
  Direction direction_ = Direction::top_down;
  unsigned parts_ = 0;
};

struct LevelTruth {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  // their out-degrees
};

std::vector<LevelTruth> count_levels(const CsrGraph& graph, const std::vector<level_t>& levels) {
  std::vector<LevelTruth> truth;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    if (levels[v] == kUnreached) continue;
    if (levels[v] >= truth.size()) truth.resize(levels[v] + std::size_t{1});
    ++truth[levels[v]].vertices;
    truth[levels[v]].edges += graph.degree(v);
  }
  return truth;
}

// Every reported fact must be true; with `all_facts`, every fact must be reported.
void expect_truth(const CsrGraph& graph, const Recorder& seen, const std::vector<LevelTruth>& truth,
                  bool all_facts) {
  // Every level expands, the last one too, though it finds nothing.
  ASSERT_EQ(seen.starts.size(), truth.size());
  ASSERT_EQ(seen.facts.size(), truth.size());
  std::uint64_t reached = 0;
  for (std::size_t level = 0; level < truth.size(); ++level) {
    SCOPED_TRACE("level " + std::to_string(level));
    const LevelStart& start = seen.starts[level];
    const LevelFacts& facts = seen.facts[level];
    EXPECT_EQ(start.level, level);
    EXPECT_EQ(start.frontier_vertices, truth[level].vertices);
    ASSERT_NE(start.technique, nullptr);
    EXPECT_STRNE(start.technique, "");
    reached += truth[level].vertices;
    const bool last = level + 1 == truth.size();
    const auto told = [&](const std::optional<std::uint64_t>& fact) {
      EXPECT_TRUE(fact.has_value() || !all_facts);
      return fact.has_value();
    };
    if (told(facts.found_vertices)) {
      EXPECT_EQ(facts.found_vertices, last ? 0 : truth[level + 1].vertices);
      EXPECT_LE(facts.found_early_vertices, facts.found_vertices);
    }
    if (told(facts.frontier_edges)) {
      EXPECT_EQ(facts.frontier_edges, truth[level].edges);
    }
    if (told(facts.unvisited_vertices)) {
      EXPECT_EQ(facts.unvisited_vertices, graph.vertex_count() - reached);
    }
    if (!told(facts.edges_checked)) continue;
    if (start.direction == Direction::top_down) {
      // A push reads every edge of its frontier that may lead anywhere.
      EXPECT_EQ(facts.edges_checked.value() + seen.left_out(start.level), truth[level].edges);
    } else {
      // Each found vertex read at least one entry, in this level or, if found early, in the
      // previous one.
      EXPECT_GE(facts.edges_checked.value() + facts.found_early_vertices.value(),
                facts.found_vertices.value());
      // Each entry once, and once more if an engine keeps a digest of rows (hybrid's hints: up to 4
      // per vertex, the last repeated in short rows).
      EXPECT_LE(facts.edges_checked, graph.edge_count() + 4 * std::uint64_t{graph.vertex_count()});
    }
  }
}

class EveryEnginesLevels : public RunsHere<const EngineInfo*> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryEnginesLevels);

INSTANTIATE_TEST_SUITE_P(Registry, EveryEnginesLevels, testing::ValuesIn(engines_under_test()),
                         [](const auto& param) { return test_name_of(*param.param); });

void run_sinks(const EngineInfo& info, const CsrGraph& graph, const std::vector<vertex_t>& sources,
               const Toggles& toggles, Answer answer, Refusals& refusals) {
  const auto engine = info.make({.toggles = toggles, .answer = answer});
  if (!refusals.accepts(toggles, [&] { engine->load({.csr = &graph, .recipe = ""}); })) return;
  HostAnswer host;
  for (const vertex_t source : sources) {
    SCOPED_TRACE(toggles.text() + " source " + std::to_string(source));
    const std::vector<level_t> levels = reference_levels(graph, source);
    const std::vector<LevelTruth> truth = count_levels(graph, levels);
    for (const Wants wants :
         {Wants{.live = true, .counts = true, .times = true}, Wants{.counts = true, .times = true},
          Wants{.times = true}, Wants{.live = true}}) {
      SCOPED_TRACE(std::string(wants.live ? "live" : "not live") +
                   (wants.counts ? ", counts" : "") + (wants.times ? ", times" : ""));
      Recorder seen(wants);
      if (!refusals.runs(toggles, [&] { engine->traverse(source, &seen); })) continue;
      expect_truth(graph, seen, truth, wants.counts && !seen.afterwards);
      for (const LevelFacts& facts : seen.facts) {
        EXPECT_TRUE(wants.counts || !wants.live || !facts.edges_checked.has_value())
            << "counted although nobody asked";
      }
      EXPECT_EQ(judge(graph, source, host.take(engine->answer()), levels), "");
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(EveryEnginesLevels, AgreeWithItsAnswer) {
  const EngineInfo& info = *GetParam();
  Refusals refusals(info);
  for (const char* family : {"paths", "stars", "complete", "trees", "disconnected", "degenerate",
                             "loops_and_multi_edges", "word_edges", "directed", "kronecker"}) {
    for (const ZooGraph& animal : zoo_family(family)) {
      if (!animal.graph->symmetric() && !info.can.directed) continue;
      SCOPED_TRACE(animal.name);
      // A level with a sink costs a GPU engine a launch and a wait: one source there, in turn.
      const auto sources_of = [&](std::size_t turn) {
        const std::vector<vertex_t>& sources = animal.sources;
        return info.can.gpu ? std::vector<vertex_t>{sources[turn % sources.size()]} : sources;
      };
      const std::vector<Toggles> all = each_value(info);
      for (std::size_t i = 0; i < all.size(); ++i) {
        Toggles toggles = all[i];
        if (counts_threads(toggles)) toggles.set("threads", std::int64_t{i % 2 == 0 ? 2 : 5});
        run_sinks(info, *animal.graph, sources_of(i), toggles,
                  info.can.parents ? Answer::both : Answer::levels, refusals);
        if (HasFailure()) return;
      }
      if (!info.can.parents) continue;
      run_sinks(info, *animal.graph, sources_of(0), Toggles(info.toggles), Answer::parents,
                refusals);
      if (HasFailure()) return;
    }
  }
}

// A sink that throws ends the traversal, and the engine is usable afterwards.
class Thrower final : public LevelSink {
 public:
  explicit Thrower(level_t at) : at_(at) {}
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart&) override {}
  void end(const LevelFacts&) override {
    if (at_-- == 0) throw std::runtime_error("enough");
  }

 private:
  level_t at_;
};

TEST_P(EveryEnginesLevels, SurviveASinkThatThrows) {
  const auto graph = zoo_family("grids").front().graph;
  const EngineInfo& info = *GetParam();
  const auto engine = info.make({.toggles = Toggles(info.toggles), .answer = Answer::levels});
  engine->load({.csr = graph.get(), .recipe = ""});
  HostAnswer host;
  for (const level_t level : {0U, 3U}) {
    Thrower thrower(level);
    EXPECT_THROW(engine->traverse(0, &thrower), std::runtime_error);
    engine->traverse(1);
    EXPECT_EQ(judge(*graph, 1, host.take(engine->answer()), reference_levels(*graph, 1)), "");
  }
}

}  // namespace
}  // namespace bfslab::tests
