// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/edges/edge_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/unsupported.hpp"
#include "tests/distributed/members.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::distributed {
namespace {

// Every tuple of the graph, from member 0's point of view.
std::vector<GlobalEdge> gathered(const EdgeShare& share, Member& me) {
  std::vector<GlobalEdge> out;
  route_edges<GlobalEdge>(
      share, *me.all, [](const GlobalEdge& edge, auto& send) { send(0U, edge); },
      [&](std::span<const GlobalEdge> some, unsigned) {
        out.insert(out.end(), some.begin(), some.end());
      });
  return out;
}

void sort(std::vector<GlobalEdge>& edges) {
  std::ranges::sort(edges, [](const GlobalEdge& a, const GlobalEdge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
}

TEST(EdgeShare, OfARecipeIsTheGeneratorsStream) {
  const GraphName name = GraphName::parse("kronecker:scale=9,edge_factor=8");
  const auto source = find_generator("kronecker")->make(name);
  std::vector<Edge> tuples(source->size());
  source->fill(0, tuples);
  std::vector<GlobalEdge> expected;
  for (const Edge edge : tuples) expected.push_back({edge.from, edge.to});
  sort(expected);
  tests::on_teams([&](Member& me) {
    const auto share = share_edges({nullptr, name.canonical, nullptr}, me);
    EXPECT_EQ(share->vertices(), 512U);
    EXPECT_EQ(share->total(), expected.size());
    EXPECT_EQ(me.all->sum(share->size()), expected.size());
    EXPECT_EQ(share->bytes(), 0U);
    EXPECT_TRUE(share->rules().symmetrize);
    std::vector<GlobalEdge> all = gathered(*share, me);
    sort(all);
    if (me.index() == 0) {
      EXPECT_EQ(all, expected);
    }
  });
}

// Only the process of the lowest rank has the CSR.
TEST(EdgeShare, OfACsrIsItsEntriesAndItsInputEdges) {
  const CsrGraph graph = load_graph(GraphName::parse("kronecker:scale=8,edge_factor=6"), {});
  std::vector<GlobalEdge> expected;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    for (const vertex_t w : graph.neighbors(v)) expected.push_back({v, w});
  }
  tests::on_teams([&](Member& me) {
    const auto share = share_edges({me.rank == 0 ? &graph : nullptr, "", nullptr}, me);
    EXPECT_EQ(share->vertices(), graph.vertex_count());
    EXPECT_FALSE(share->rules().symmetrize);
    EXPECT_TRUE(share->rules().symmetric);
    std::vector<GlobalEdge> all = gathered(*share, me);
    sort(all);
    if (me.index() == 0) {
      EXPECT_EQ(all, expected);
    }
    const InputEdges input = share->input_edges().value();
    for (std::size_t i = 0; i < input.counts.size(); ++i) {
      EXPECT_EQ(input.counts[i], graph.input_edges()[input.first + i]);
    }
    EXPECT_EQ(me.all->sum(input.counts.size()), graph.vertex_count());
  });
}

TEST(EdgeShare, OfNoGeneratorIsRefusedByAllMembersAlike) {
  tests::on_teams([](Member& me) {
    for (const char* recipe : {"file:there/is/none.txt", "kronecker:scale=8,relabel=degree"}) {
      EXPECT_THROW(share_edges({nullptr, recipe, nullptr}, me), Unsupported);
    }
    EXPECT_EQ(me.all->sum(1), me.count());  // and they still hear each other
  });
}

TEST(Divisor, DividesAsTheProcessorDoes) {
  const std::uint64_t most = ~std::uint64_t{0};
  for (const std::uint64_t d :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{64},
        std::uint64_t{641}, most / 2, most - 1, most}) {
    const Divisor divisor(d);
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, d - 1, d, d + 1, 3 * d - 1,
                                  most / 3, most - d, most - 1, most}) {
      EXPECT_EQ(divisor.quotient(n), n / d) << n << " / " << d;
      EXPECT_EQ(divisor.remainder(n), n % d) << n << " % " << d;
    }
  }
}

TEST(Ownership, FindsEveryVertexOnce) {
  for (const std::uint64_t vertices : {0U, 1U, 5U, 64U, 1000U}) {
    for (const unsigned members : {1U, 2U, 3U, 6U, 7U}) {
      for (const Ownership& own :
           {Ownership::round_robin(vertices, members),
            Ownership::blocks(vertices, members, (vertices + members - 1) / members + 2)}) {
        std::uint64_t owned = 0;
        for (unsigned m = 0; m < members; ++m) {
          const PartIds ids = own.ids(m);
          owned += own.count(m);
          for (std::uint64_t i = 0; i < ids.count; ++i) {
            EXPECT_EQ(own.owner(ids[i]), m);
            EXPECT_EQ(own.local(ids[i]), i);
            EXPECT_EQ(own.global(m, i), ids[i]);
          }
        }
        EXPECT_EQ(owned, vertices);
      }
    }
  }
}

// Ids beyond 32 bits: an owner's own are still small.
TEST(Ownership, HoldsMoreThanFourBillionVertices) {
  const std::uint64_t vertices = (std::uint64_t{1} << 35) + 5;
  const Ownership own = Ownership::round_robin(vertices, 24);
  std::uint64_t owned = 0;
  for (unsigned m = 0; m < 24; ++m) owned += own.count(m);
  EXPECT_EQ(owned, vertices);
  for (const std::uint64_t v :
       {vertices - 1, std::uint64_t{1} << 32, (std::uint64_t{1} << 34) + 7}) {
    EXPECT_EQ(own.global(own.owner(v), own.local(v)), v);
    EXPECT_LT(own.local(v), std::uint64_t{1} << 32);
  }
}

}  // namespace
}  // namespace bfslab::distributed
