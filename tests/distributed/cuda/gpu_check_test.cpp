// SPDX-License-Identifier: Apache-2.0
// The check on GPUs says of every answer, right or wrong, what the check on CPUs says: the same
// verdict in the same words, and the same counts.
#include "kernels/distributed/check/gpu_check.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "datasets/load_graph.hpp"
#include "kernels/distributed/check/check.hpp"
#include "tests/cuda/device_arrays.hpp"
#include "tests/distributed/gpu.hpp"
#include "tests/distributed/members.hpp"
#include "tests/kernels/answered.hpp"

namespace bfslab::distributed {
namespace {

class CheckOnGpus : public tests::NeedsGpu<> {};

// A few wrong entries.
tests::Answered spoilt(const tests::Answered& right, std::mt19937& random) {
  tests::Answered tree = right;
  const auto n = static_cast<unsigned>(tree.levels.size());
  const unsigned faults = 1 + random() % 3;
  for (unsigned i = 0; i < faults; ++i) {
    const unsigned v = random() % n;
    const unsigned w = random() % n;
    switch (random() % 8) {
      case 0:
        tree.levels[v] = random() % 6;
        break;
      case 1:
        tree.levels[v] += tree.levels[v] == kUnreached ? 0 : 1;
        break;
      case 2:
        tree.levels[v] = kUnreached;
        break;
      case 3:
        tree.levels[v] = n + random() % 3;
        break;
      case 4:
        tree.parents[v] = w;
        break;
      case 5:
        tree.parents[v] = kNoVertex;
        break;
      case 6:
        tree.parents[v] = n + random() % 3;
        break;
      default:  // a circle
        tree.parents[v] = w;
        tree.parents[w] = v;
        break;
    }
  }
  return tree;
}

void expect_same(const CheckResult& found, const CheckResult& expected) {
  EXPECT_EQ(found.ok, expected.ok);
  EXPECT_EQ(found.reason, expected.reason);
  EXPECT_EQ(found.levels, expected.levels);
  EXPECT_EQ(found.reached_vertices, expected.reached_vertices);
  EXPECT_EQ(found.component_input_edges, expected.component_input_edges);
  EXPECT_EQ(found.level_sum, expected.level_sum);
}

void examine(unsigned members, const std::string& recipe, bool from_csr, vertex_t source) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, recipe + " on " + std::to_string(members));
  const CsrGraph graph = load_graph(GraphName::parse(recipe), {});
  const std::uint64_t n = graph.vertex_count();
  const tests::Answered right = tests::right_answer(graph, source);
  const bool parts = tests::processes().size() > 1;
  Team team(tests::processes(), members);
  team.run([&](Member& me) {
    const MemberGpu gpu(me);
    const auto data = make_device_communicator(
        members % 2 == 0 && !parts ? Transport::peer : Transport::host, *me.all, gpu);
    const auto share =
        share_edges({from_csr && me.rank == 0 ? &graph : nullptr, recipe, nullptr}, me);
    const Ownership ownerships[] = {
        Ownership::round_robin(n, me.count()),
        Ownership::blocks(n, me.count(), (n + me.count() - 1) / me.count() + 1)};
    for (const Ownership& own : ownerships) {
      AnswerChecker on_cpus(me, *share, own);
      GpuAnswerChecker on_gpus(*share, own, gpu, *data);
      std::mt19937 random(7);  // the same faults on all members
      unsigned wrong = 0;
      for (int turn = 0; turn < 12; ++turn) {
        const tests::Answered tree = turn == 0 ? right : spoilt(right, random);
        const PartIds ids = own.ids(me.index());
        std::vector<level_t> levels;
        std::vector<vertex_t> parents;
        for (std::uint64_t i = 0; i < ids.count; ++i) {
          levels.push_back(tree.levels[ids[i]]);
          parents.push_back(tree.parents[ids[i]]);
        }
        const auto device_levels = tests::sent(levels);
        const auto device_parents = tests::sent(parents);
        for (const Answer answer : {Answer::levels, Answer::parents, Answer::both}) {
          AnswerPart host{.ids = ids};
          AnswerPart device{.ids = ids, .space = MemorySpace::device, .device = gpu.device()};
          if (wants_levels(answer)) {
            host.levels = levels.data();
            device.levels = device_levels.data();
          }
          if (wants_parents(answer)) {
            host.parents = parents.data();
            device.parents = device_parents.data();
          }
          for (const bool rules : {true, false}) {
            const testing::ScopedTrace which(__FILE__, __LINE__,
                                             "turn " + std::to_string(turn) + ", answer " +
                                                 std::to_string(static_cast<int>(answer)) +
                                                 (rules ? ", rules" : ", counts"));
            const CheckResult expected = on_cpus.check(me, source, host, rules);
            wrong += expected.ok ? 0 : 1;
            expect_same(on_gpus.check(me, source, device, rules), expected);
            if (turn < 2) expect_same(on_gpus.check(me, source, host, rules), expected);
            if (turn == 0) {
              EXPECT_TRUE(expected.ok) << expected.reason;
            }
          }
        }
      }
      if (n > 4) {
        EXPECT_GT(wrong, 5U) << "most planted faults break a rule";
      }
    }
    me.all->barrier();  // before memory goes that others read
  });
}

TEST_F(CheckOnGpus, SaysWhatTheCheckOnCpusSays) {
  for (const unsigned members : {1U, 2U, 3U, 4U}) {
    for (const char* recipe :
         {"kronecker:scale=8,edge_factor=4", "kronecker:scale=7,symmetrize=false",
          "kronecker:scale=7,self_loops=keep,duplicates=keep", "uniform:vertices=90,edge_factor=2",
          "path:vertices=130", "star:vertices=70", "rmat:vertices=1,edges=3"}) {
      for (const bool from_csr : {false, true}) {
        examine(members, recipe, from_csr, 0);
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::distributed
