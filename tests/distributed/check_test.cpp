// SPDX-License-Identifier: Apache-2.0
// The check that gathers nothing: right answers pass with the right counts, and one wrong entry on
// any member is found and named.
#include "kernels/distributed/check/check.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/check/check.hpp"
#include "tests/distributed/members.hpp"
#include "tests/kernels/answered.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::distributed {
namespace {

// The parts of `tree` that `answer` asks for, where the ownership puts them.
CheckResult check_spread(Member& me, const CsrGraph& graph, const Ownership& own, vertex_t source,
                         const tests::Answered& tree, Answer answer, bool rules = true) {
  const auto share = share_edges({me.rank == 0 ? &graph : nullptr, "", nullptr}, me);
  AnswerChecker checker(me, *share, own);
  std::vector<level_t> levels;
  std::vector<vertex_t> parents;
  const PartIds ids = own.ids(me.index());
  for (std::uint64_t i = 0; i < ids.count; ++i) {
    levels.push_back(tree.levels[ids[i]]);
    parents.push_back(tree.parents[ids[i]]);
  }
  AnswerPart part{.ids = ids};
  if (wants_levels(answer)) part.levels = levels.data();
  if (wants_parents(answer)) part.parents = parents.data();
  return checker.check(me, source, part, rules);
}

constexpr Answer kAnswers[] = {Answer::levels, Answer::parents, Answer::both};

std::vector<Ownership> ownerships(const CsrGraph& graph, const Member& me) {
  const std::uint64_t n = graph.vertex_count();
  return {Ownership::round_robin(n, me.count()),
          Ownership::blocks(n, me.count(), (n + me.count() - 1) / me.count() + 1)};
}

TEST(DistributedCheck, PassesWhatTheCheckOfOneMemoryPasses) {
  unsigned turn = 0;
  for (const std::string& family : tests::zoo_families()) {
    for (const tests::ZooGraph& item : tests::zoo_family(family)) {
      if (item.graph->vertex_count() == 0 || item.graph->edge_count() > 600) continue;
      const CsrGraph& graph = *item.graph;
      const vertex_t source = item.sources.front();
      const tests::Answered tree = tests::right_answer(graph, source);
      const CheckResult expected = bfslab::check_answer(graph, source, tree.view(Answer::both));
      ASSERT_TRUE(expected.ok) << item.name << ": " << expected.reason;
      tests::on_a_team(turn++, [&](Member& me) {
        for (const Ownership& own : ownerships(graph, me)) {
          for (const Answer answer : kAnswers) {
            for (const bool rules : {true, false}) {
              const CheckResult found = check_spread(me, graph, own, source, tree, answer, rules);
              EXPECT_TRUE(found.ok) << item.name << ": " << found.reason;
              EXPECT_EQ(found.levels, expected.levels) << item.name;
              EXPECT_EQ(found.reached_vertices, expected.reached_vertices) << item.name;
              EXPECT_EQ(found.level_sum, expected.level_sum) << item.name;
              EXPECT_EQ(found.component_input_edges, expected.component_input_edges) << item.name;
            }
          }
        }
      });
    }
  }
}

struct Fault {
  const char* what;
  void (*plant)(tests::Answered&);
  Answer answer;
  const char* reason;
};

// 0 - 1 - 2 - 3 - 4, 1 - 5 - 6, and 7 - 8 apart.
const std::vector<std::pair<vertex_t, vertex_t>> kEdges = {{0, 1}, {1, 2}, {2, 3}, {3, 4},
                                                           {1, 5}, {5, 6}, {7, 8}};

TEST(DistributedCheck, FindsAWrongEntryOnAnyMember) {
  const auto graph = tests::make_graph(9, kEdges);
  const Fault faults[] = {
      {"source", [](tests::Answered& t) { t.levels[0] = 1; }, Answer::levels,
       "the source 0 has level 1, not level 0"},
      {"second source", [](tests::Answered& t) { t.levels[4] = 0; }, Answer::levels,
       "vertex 4 has level 0, but the source is 0"},
      {"large level", [](tests::Answered& t) { t.levels[4] = 77; }, Answer::levels,
       "vertex 4 has level 77, and there are only 9 vertices"},
      {"no such parent", [](tests::Answered& t) { t.parents[6] = 9; }, Answer::both,
       "vertex 6 has parent 9, and there are only 9 vertices"},
      {"orphan", [](tests::Answered& t) { t.parents[3] = kNoVertex; }, Answer::both,
       "vertex 3 has level 3, but no parent"},
      {"cycle",
       [](tests::Answered& t) {
         t.parents[7] = 8;
         t.parents[8] = 7;
       },
       Answer::parents, "following parents from vertex 7 does not lead to the source 0"},
      {"no neighbour", [](tests::Answered& t) { t.parents[3] = 5; }, Answer::both,
       "vertex 3 has parent 5, but the graph has no edge 5 -> 3"},
      {"no neighbour, tree alone", [](tests::Answered& t) { t.parents[6] = 3; }, Answer::parents,
       "vertex 6 has parent 3, but the graph has no edge 3 -> 6"},
      {"parent on the same side", [](tests::Answered& t) { t.parents[2] = 3; }, Answer::both,
       "vertex 2 has level 2, but its parent 3 has level 3"},
      {"long edge", [](tests::Answered& t) { t.levels[6] = 5; }, Answer::levels,
       "edge 5 -> 6 leads from level 2 to level 5"},
      {"not reached", [](tests::Answered& t) { t.levels[4] = kUnreached; }, Answer::levels,
       "edge 3 -> 4 leads from level 3 to no level"},
      {"reached from nowhere",
       [](tests::Answered& t) {
         t.levels[7] = 2;
         t.levels[8] = 3;
       },
       Answer::levels, "vertex 7 has level 2, but no edge enters it from level 1"},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.what);
    tests::Answered tree = tests::right_answer(*graph, 0);
    fault.plant(tree);
    tests::on_teams([&](Member& me) {
      for (const Ownership& own : ownerships(*graph, me)) {
        const CheckResult found = check_spread(me, *graph, own, 0, tree, fault.answer);
        EXPECT_FALSE(found.ok) << fault.what;
        EXPECT_EQ(found.reason, fault.reason) << fault.what;
      }
    });
  }
}

}  // namespace
}  // namespace bfslab::distributed
