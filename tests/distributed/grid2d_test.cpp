// SPDX-License-Identifier: Apache-2.0
// The engine grid2d on grids of every shape that 1, 2, 3, 4 and 6 members make, threads of one
// process or ranks of MPI: its answers and counts, its memory, and the reports of its levels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "kernels/check_result.hpp"
#include "kernels/distributed/engines/grid2d/block.hpp"
#include "kernels/distributed/engines/grid2d/grid.hpp"
#include "kernels/unsupported.hpp"
#include "tests/distributed/members.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::distributed {
namespace {

using grid2d::Grid;

const EngineInfo& engine() { return *find_engine("grid2d"); }

// Tuples of a list: every member takes its part of it.
class ListShare final : public EdgeShare {
 public:
  ListShare(std::vector<GlobalEdge> list, std::uint64_t vertices, EdgeRules rules,
            const Member& member)
      : EdgeShare(vertices, list.size(),
                  list.size() * (member.index() + 1) / member.count() -
                      list.size() * member.index() / member.count(),
                  rules),
        list_(std::move(list)),
        begin_(total() * member.index() / member.count()) {}

  void fill(std::uint64_t first, std::span<GlobalEdge> out) const override {
    std::ranges::copy(std::span(list_).subspan(begin_ + first, out.size()), out.begin());
  }

 private:
  std::vector<GlobalEdge> list_;
  std::uint64_t begin_;
};

Toggles with(const std::vector<std::pair<std::string, ToggleValue>>& values) {
  Toggles toggles(engine().toggles);
  for (const auto& [name, value] : values) toggles.set(name, value);
  return toggles;
}

std::unique_ptr<Engine> make(unsigned gpus, const tests::Setting& setting) {
  return engine().make({.toggles = setting.toggles,
                        .answer = setting.answer,
                        .ranks = tests::processes().size(),
                        .gpus_per_rank = gpus,
                        .processes = &tests::processes()});
}

// Rank 0 has the graph, as in a run.
std::unique_ptr<Engine> loaded(unsigned gpus, const tests::Setting& setting,
                               const CsrGraph& graph) {
  auto made = make(gpus, setting);
  const bool mine = tests::processes().rank() == 0;
  made->load({.csr = mine ? &graph : nullptr, .recipe = graph.identity().name, .load = nullptr});
  return made;
}

// Describes an error in the parts that this process sees; empty if there is none.
std::string judge_parts(const CsrGraph& graph, vertex_t source, const AnswerView& view,
                        Answer asked, const std::vector<level_t>& truth) {
  std::uint64_t seen = 0;
  for (const AnswerPart& part : view.parts) {
    for (std::uint64_t i = 0; i < part.ids.count; ++i) {
      const auto v = static_cast<vertex_t>(part.ids[i]);
      ++seen;
      if (wants_levels(asked) && part.levels[i] != truth[v]) {
        return fmt::format("level of {}: {} and not {}", v, part.levels[i], truth[v]);
      }
      if (!wants_parents(asked)) continue;
      const vertex_t parent = part.parents[i];
      const bool right = truth[v] == kUnreached ? parent == kNoVertex
                         : v == source          ? parent == source
                                       : parent < truth.size() && truth[parent] != kUnreached &&
                                             truth[parent] + 1 == truth[v] &&
                                             std::ranges::binary_search(graph.neighbors(parent), v);
      if (!right) return fmt::format("parent of {} at level {}: {}", v, truth[v], parent);
    }
  }
  if (tests::processes().size() == 1 && seen != graph.vertex_count()) return "vertices are missing";
  return {};
}

// Several sources and then the first again, on one engine: each must find a clean state. Among
// processes, which meet slowly where they share cores, fewer.
void expect_right(unsigned gpus, const tests::Setting& setting, const tests::ZooGraph& animal,
                  std::size_t sources = 4) {
  if (tests::processes().size() > 1) sources = 1;
  sources = std::min(sources, animal.sources.size());
  SCOPED_TRACE(fmt::format("{} on {} x {}, {}", animal.name, tests::processes().size(), gpus,
                           setting.text()));
  const auto searcher = loaded(gpus, setting, *animal.graph);
  for (std::size_t round = 0; round <= sources; ++round) {
    // The last is the hub or one near it: begin there.
    const vertex_t source = animal.sources[animal.sources.size() - 1 - round % sources];
    const std::vector<level_t> truth = tests::reference_levels(*animal.graph, source);
    searcher->traverse(source);
    EXPECT_EQ(judge_parts(*animal.graph, source, searcher->answer(), setting.answer, truth), "")
        << "source " << source;
    if (testing::Test::HasFailure()) return;
    std::uint64_t reached = 0;
    std::uint64_t entries = 0;
    level_t deepest = 0;
    for (vertex_t v = 0; v < truth.size(); ++v) {
      if (truth[v] == kUnreached) continue;
      ++reached;
      entries += animal.graph->degree(v);
      deepest = std::max(deepest, truth[v]);
    }
    // The levels of parents alone take a round for each.
    if (round > 0 || deepest > 40) continue;
    const auto verdict = searcher->check_in_place(source, true);
    ASSERT_TRUE(verdict && verdict->ok) << verdict->reason;
    EXPECT_EQ(verdict->reached_vertices, reached);
    EXPECT_EQ(verdict->component_edges, animal.graph->symmetric() ? entries / 2 : entries);
  }
}

std::vector<std::int64_t> rows_for(unsigned members) {
  std::vector<std::int64_t> rows;
  for (unsigned r = 1; r <= members; ++r) {
    if (members % r == 0) rows.push_back(r);
  }
  return rows;
}

// Every grid with every direction and way of writing predecessors, offsets of both widths in turn.
std::vector<tests::Setting> settings_for(unsigned members) {
  std::vector<tests::Setting> settings;
  std::size_t turn = 0;
  for (const std::int64_t rows : rows_for(members)) {
    for (const char* direction : {"hybrid", "top_down", "bottom_up"}) {
      for (const char* predecessors : {"at_end", "each_level"}) {
        const char* offsets = turn++ % 3 == 1 ? "wide" : "automatic";
        const Toggles toggles = with({{"rows", rows},
                                      {"direction", std::string(direction)},
                                      {"predecessors", std::string(predecessors)},
                                      {"offsets", std::string(offsets)}});
        settings.push_back({toggles, Answer::both});
        if (predecessors == std::string("at_end")) settings.push_back({toggles, Answer::levels});
      }
    }
  }
  return settings;
}

TEST(Grid2d, AnswersRightOnEveryGrid) {
  const auto find = [](const char* family, const char* name) {
    const auto& graphs = tests::zoo_family(family);
    return *std::ranges::find(graphs, name, &tests::ZooGraph::name);
  };
  const std::vector<tests::ZooGraph> animals{
      find("random", "uniform_600_degree_4"), find("directed", "digraph_500_degree_2"),
      find("loops_and_multi_edges", "multi_directed"), find("disconnected", "islands")};
  std::size_t turn = 0;
  for (const unsigned gpus : tests::gpus_to_try()) {
    for (const tests::Setting& setting : settings_for(tests::processes().size() * gpus)) {
      expect_right(gpus, setting, animals[turn++ % animals.size()], 2);
      if (HasFailure()) return;
    }
  }
}

TEST(Grid2d, EveryRuleFindsTheSame) {
  const tests::ZooGraph& animal = tests::zoo_family("kronecker").front();
  for (const Toggles& toggles : tests::each_value(engine())) {
    if (toggles.integer("rows") != 0) continue;
    expect_right(tests::processes().size() > 1 ? 1 : 4, {toggles, Answer::both}, animal);
  }
}

// Nobody has the graph: each member makes its part of it.
TEST(Grid2d, MakesAGeneratedGraphInParts) {
  const tests::ZooGraph& animal = tests::zoo_family("kronecker").front();
  for (const unsigned gpus : tests::gpus_to_try()) {
    const auto searcher = make(gpus, {with({}), Answer::both});
    searcher->load({.csr = nullptr, .recipe = animal.name, .load = nullptr});
    for (const vertex_t source : animal.sources) {
      searcher->traverse(source);
      const std::vector<level_t> truth = tests::reference_levels(*animal.graph, source);
      EXPECT_EQ(judge_parts(*animal.graph, source, searcher->answer(), Answer::both, truth), "");
    }
  }
}

TEST(Grid2d, RefusesGridsThatTheMembersDoNotMake) {
  const auto graph = tests::make_graph(10, {{0, 1}});
  for (const unsigned gpus : tests::gpus_to_try()) {
    const unsigned members = tests::processes().size() * gpus;
    const std::string rows = std::to_string(members + 1);
    try {
      loaded(gpus, {with({{"rows", std::int64_t{members + 1}}}), Answer::levels}, *graph);
      FAIL() << "a grid of " << rows << " rows";
    } catch (const Unsupported& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("no grid of " + rows + " rows"), std::string::npos)
          << refusal.what();
    }
  }
}

// Every vertex has one owner, who is in its row; and it is in the range of one column, whose
// numbers are those of its vertices in ascending order.
TEST(Grid2dGrid, PlacesEveryVertexOnce) {
  for (const auto& [rows, columns] :
       {std::pair{1U, 1U}, {2U, 1U}, {1U, 3U}, {2U, 2U}, {3U, 2U}, {2U, 3U}, {3U, 3U}, {4U, 2U}}) {
    for (const std::uint64_t n : {1U, 63U, 64U, 65U, 400U, 2000U}) {
      SCOPED_TRACE(fmt::format("{} x {}, {} vertices", rows, columns, n));
      const Grid grid(n, rows, columns);
      std::set<std::pair<unsigned, std::uint64_t>> in_rows;
      std::map<unsigned, std::int64_t> last;
      for (std::uint64_t v = 0; v < n; ++v) {
        const Grid::Place at = grid.place(v);
        const unsigned owner = grid.ownership().owner(v);
        ASSERT_LT(owner, grid.members());
        EXPECT_EQ(owner / columns, at.row);
        EXPECT_EQ(at.in_row, owner % columns * grid.block + grid.ownership().local(v));
        EXPECT_TRUE(in_rows.emplace(at.row, at.in_row).second);
        ASSERT_LT(at.in_column, grid.column_size());
        EXPECT_EQ(grid.column_vertex(at.column, at.in_column), v);
        const auto [before, first] = last.try_emplace(at.column, -1);
        EXPECT_LT(before->second, std::int64_t{at.in_column});
        before->second = at.in_column;
        EXPECT_EQ(grid.column_piece(at.column, static_cast<unsigned>(at.in_column / grid.block)),
                  owner);
        // The partner of line 24's exchange: the transposed member, or one in the column.
        EXPECT_EQ(grid.square() ? at.row : owner % columns, at.column);
      }
    }
  }
}

TEST(Grid2dGrid, IsNearToASquare) {
  const std::map<unsigned, unsigned> expected{{1, 1}, {2, 2}, {3, 3},  {4, 2},  {6, 3},
                                              {8, 4}, {9, 3}, {12, 4}, {16, 4}, {64, 8}};
  for (const auto& [members, rows] : expected) EXPECT_EQ(Grid::fitting_rows(members), rows);
}

// The blocks together are the graph, by tail and by head; what is symmetric is held once.
TEST(Grid2dBlock, HoldsEveryEdgeOnce) {
  const std::uint64_t n = 300;
  std::vector<GlobalEdge> list;
  for (std::uint64_t i = 0; i < 2000; ++i) list.push_back({i * i % n, i * 7 % n});
  for (const EdgeRules rules : {EdgeRules{}, EdgeRules{false, false, true, false}}) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (const auto [from, to] : list) {
      if (rules.drop_self_loops && from == to) continue;
      expected.emplace(from, to);
      if (rules.symmetrize) expected.emplace(to, from);
    }
    tests::on_teams([&](Member& me) {
      const ListShare share(list, n, rules, me);
      for (const std::int64_t rows : rows_for(me.count())) {
        const Grid grid(n, static_cast<unsigned>(rows), me.count() / static_cast<unsigned>(rows));
        const unsigned row = me.index() / grid.columns;
        const unsigned column = me.index() % grid.columns;
        const grid2d::Block<std::uint32_t> block(
            edges_of_block(me, share, grid),
            {.grid = grid, .row = row, .column = column, .rules = rules});
        std::uint64_t mine = 0;
        for (const auto& [from, to] : expected) {
          const Grid::Place tail = grid.place(from);
          const Grid::Place head = grid.place(to);
          if (head.row != row || tail.column != column) continue;
          ++mine;
          EXPECT_TRUE(std::ranges::binary_search(block.csr()[tail.in_column], head.in_row));
          EXPECT_TRUE(std::ranges::binary_search(block.csc()[head.in_row], tail.in_column));
          EXPECT_EQ(block.first()[head.in_row], block.csc()[head.in_row].front());
        }
        EXPECT_EQ(block.entries(), mine);
        EXPECT_EQ(block.csc().entries.size(), mine);
        EXPECT_EQ(me.all->sum(mine), expected.size());
        const bool once = rules.symmetric && grid.square() && row == column;
        EXPECT_EQ(&block.csr() == &block.csc(), once);
      }
    });
  }
}

TEST(Grid2dBlock, KeepsRepeatedEdgesWhereTheRulesDo) {
  const std::vector<GlobalEdge> list{{0, 1}, {0, 1}, {1, 1}, {1, 0}};
  tests::on_teams([&](Member& me) {
    const EdgeRules rules{false, false, false, false};
    const ListShare share(list, 2, rules, me);
    const Grid grid(2, me.count(), 1);
    const grid2d::Block<std::uint64_t> block(
        edges_of_block(me, share, grid),
        {.grid = grid, .row = me.index(), .column = 0, .rules = rules});
    EXPECT_EQ(me.all->sum(block.entries()), 4U);
    if (me.index() == 0) {
      EXPECT_EQ(block.csr().length(0), 2U);
    }
  });
}

struct Sink : LevelSink {
  [[nodiscard]] bool live() const override { return false; }
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart& /*start*/) override { ADD_FAILURE() << "a level without a rank"; }
  void end(const LevelFacts& /*facts*/) override {}
  void report(const LevelReport& level) override { levels.push_back(level); }
  void measure(const Measure& measure) override { measures.push_back(measure); }

  std::vector<LevelReport> levels;
  std::vector<Measure> measures;
};

// The parts of a level add up to it; and the bytes of the phases to those of the levels.
TEST(Grid2d, TellsItsLevels) {
  const tests::ZooGraph& animal = tests::zoo_family("kronecker").front();
  const vertex_t source = animal.sources.front();
  const std::vector<level_t> truth = tests::reference_levels(*animal.graph, source);
  std::map<level_t, std::pair<std::uint64_t, std::uint64_t>> frontiers;  // vertices, edges
  for (vertex_t v = 0; v < truth.size(); ++v) {
    if (truth[v] == kUnreached) continue;
    frontiers[truth[v]].first += 1;
    frontiers[truth[v]].second += animal.graph->degree(v);
  }
  for (const char* direction : {"top_down", "bottom_up", "hybrid"}) {
    for (const unsigned gpus : tests::gpus_to_try()) {
      const unsigned members = tests::processes().size() * gpus;
      SCOPED_TRACE(fmt::format("{} on {} members", direction, members));
      const auto searcher = loaded(
          gpus, {with({{"direction", std::string(direction)}}), Answer::parents}, *animal.graph);
      Sink sink;
      searcher->traverse(source, &sink);
      if (tests::processes().rank() != 0) continue;
      std::map<level_t, std::pair<std::uint64_t, std::uint64_t>> told;
      std::map<level_t, std::uint64_t> checked, found;
      double sent = 0;
      for (const LevelReport& level : sink.levels) {
        told[level.start.level].first += level.start.frontier_vertices;
        told[level.start.level].second += *level.facts.frontier_edges;
        checked[level.start.level] += *level.facts.edges_checked;
        found[level.start.level] += *level.facts.found_vertices;
        sent += static_cast<double>(level.facts.bytes_sent);
      }
      EXPECT_EQ(told, frontiers);
      EXPECT_EQ(sink.levels.size(), frontiers.size() * members);
      for (const auto& [level, frontier] : frontiers) {
        const auto next = frontiers.find(level + 1);
        EXPECT_EQ(found[level], next == frontiers.end() ? 0 : next->second.first);
        if (direction == std::string("top_down")) {
          EXPECT_EQ(checked[level], frontier.second);
        }
      }
      double phases = 0;
      std::set<std::string> names;
      for (const Measure& measure : sink.measures) {
        if (!measure.part.starts_with("phase")) continue;
        names.insert(measure.metric);
        if (measure.unit == "B" && measure.level) phases += measure.value;
      }
      EXPECT_LE(phases, sent);
      EXPECT_EQ(sent > 0, members > 1);
      EXPECT_TRUE(names.contains("explore") && names.contains("column_exchange"));
      EXPECT_EQ(names.contains("row_scan"), members / Grid::fitting_rows(members) > 1);
    }
  }
}

TEST(Grid2d, HoldsWhatItsEstimateSays) {
  if (tests::processes().size() > 1) GTEST_SKIP() << "a process knows what it holds itself";
  // Large enough that pieces of whole words say little.
  const tests::ZooGraph& animal =
      *std::ranges::max_element(tests::zoo_family("kronecker"), {},
                                [](const auto& each) { return each.graph->vertex_count(); });
  GraphFacts facts = tests::facts_of(*animal.graph);
  for (const unsigned gpus : {1U, 2U, 4U, 6U}) {
    facts.members = gpus;
    for (const std::int64_t rows : rows_for(gpus)) {
      for (const char* direction : {"top_down", "bottom_up", "hybrid"}) {
        const Toggles toggles = with({{"rows", rows}, {"direction", std::string(direction)}});
        const auto searcher = loaded(gpus, {toggles, Answer::both}, *animal.graph);
        const auto held = static_cast<double>(searcher->memory().total());
        EXPECT_NEAR(engine().estimate(facts, toggles, Answer::both).bytes, held, 0.02 * held)
            << gpus << " members, " << toggles.text();
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::distributed
