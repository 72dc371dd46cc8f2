// SPDX-License-Identifier: Apache-2.0
// The subgraphs that GPUs make of their shares are those that CPUs make, word for word: on any
// number of members, which share a GPU here, whatever their data travels by, in one round or many.
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

#include <gtest/gtest.h>

#include <string>

#include "datasets/load_graph.hpp"
#include "tests/cuda/device_arrays.hpp"
#include "tests/distributed/gpu.hpp"
#include "tests/distributed/members.hpp"

namespace bfslab::distributed {
namespace {

class SubgraphsOnGpus : public tests::NeedsGpu<> {};
// Few and small enough for compute-sanitizer, under which each making takes seconds.
class SubgraphsSanitizer : public tests::NeedsGpu<testing::TestWithParam<const char*>> {};

template <typename Column>
void expect_equal(const DeviceSubgraph<Column>& found, const Subgraph<Column>& expected) {
  const Offsets& offsets = expected.offsets;
  if (offsets.width() == 4) {
    EXPECT_EQ(found.wide.size(), 0U);
    ASSERT_EQ(found.narrow.bytes(), offsets.bytes());
    const auto got = tests::fetched(found.narrow);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), offsets.narrow()));
  } else {
    EXPECT_EQ(found.narrow.size(), 0U);
    ASSERT_EQ(found.wide.bytes(), offsets.bytes());
    const auto got = tests::fetched(found.wide);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), offsets.wide()));
  }
  EXPECT_TRUE(tests::fetched(found.columns) == expected.columns);
}

void expect_equal(const DeviceSubgraphs& found, const Subgraphs& expected) {
  EXPECT_EQ(found.vertices, expected.vertices);
  EXPECT_EQ(found.symmetric, expected.symmetric);
  EXPECT_EQ(found.threshold, expected.threshold);
  EXPECT_EQ(found.owned, expected.owned);
  EXPECT_TRUE(found.delegates == expected.delegates);
  EXPECT_TRUE(found.by_id == expected.by_id);
  ASSERT_EQ(found.own_delegates.size(), expected.own_delegates.size());
  for (std::size_t i = 0; i < found.own_delegates.size(); ++i) {
    EXPECT_EQ(found.own_delegates[i].vertex, expected.own_delegates[i].vertex);
    EXPECT_EQ(found.own_delegates[i].delegate, expected.own_delegates[i].delegate);
  }
  for (std::size_t c = 0; c < kEdgeClasses; ++c) {
    SCOPED_TRACE(to_text(static_cast<EdgeClass>(c)));
    EXPECT_EQ(found.stored.each[c].edges, expected.stored.each[c].edges);
    EXPECT_EQ(found.stored.each[c].offset_bytes, expected.stored.each[c].offset_bytes);
    EXPECT_EQ(found.stored.each[c].column_bytes, expected.stored.each[c].column_bytes);
    EXPECT_EQ(found.stored.each[c].offset_width, expected.stored.each[c].offset_width);
  }
  EXPECT_EQ(found.bytes(), found.stored_bytes());
  const auto subgraph = [](const char* name, const auto& device, const auto& host) {
    SCOPED_TRACE(name);
    expect_equal(device, host);
  };
  subgraph("nn", found.nn, expected.nn);
  subgraph("nd", found.nd, expected.nd);
  subgraph("dn", found.dn, expected.dn);
  subgraph("dd", found.dd, expected.dd);
}

void examine(unsigned members, Transport transport, const GraphSource& source,
             const std::vector<std::uint64_t>& thresholds, const std::vector<MakingLimits>& all) {
  const testing::ScopedTrace trace(__FILE__, __LINE__,
                                   source.recipe + " on " + std::to_string(members));
  Team team(tests::processes(), members);
  team.run([&](Member& me) {
    const MemberGpu gpu(me);
    const auto data = make_device_communicator(transport, *me.all, gpu);
    const auto share = share_edges(source, me);
    DelegateOrder order = DelegateOrder::id;
    for (const std::uint64_t threshold : thresholds) {
      order = order == DelegateOrder::id ? DelegateOrder::degree : DelegateOrder::id;
      const Subgraphs expected = make_subgraphs(me, *share, threshold, order);
      for (const MakingLimits& limits : all) {
        const testing::ScopedTrace which(
            __FILE__, __LINE__,
            "member " + std::to_string(me.index()) + ", threshold " + std::to_string(threshold) +
                (order == DelegateOrder::id ? " by id" : " by degree") + ", rounds of " +
                std::to_string(limits.round_entries) + ", portions of " +
                std::to_string(limits.portion_tuples));
        expect_equal(make_device_subgraphs(me, *share, threshold, order, gpu, *data, limits),
                     expected);
      }
    }
    me.all->barrier();  // before memory goes that others read
  });
}

Transport transport_of(unsigned members) {
  return tests::processes().size() == 1 && members % 2 == 0 ? Transport::peer : Transport::host;
}

// Numbered by degree and by id in turn.
const std::vector<std::uint64_t> kThresholds = {0, 0, 1, 16, 16, 1000000000};
// As memory allows, and several rounds and portions.
const std::vector<MakingLimits> kLimits = {{0, 0}, {1700, 2500}};

TEST_P(SubgraphsSanitizer, AreTheSame) {
  for (const unsigned members : {1U, 2U}) {
    examine(members, transport_of(members), {nullptr, GetParam(), nullptr}, {3}, {{0, 0}, {20, 6}});
    if (HasFailure()) return;
  }
  const CsrGraph graph = load_graph(GraphName::parse(GetParam()), {});
  const GraphSource rows{tests::processes().rank() == 0 ? &graph : nullptr, GetParam(), nullptr};
  examine(1, Transport::host, rows, {3}, {{20, 6}});
}
INSTANTIATE_TEST_SUITE_P(
    Tiny, SubgraphsSanitizer,
    testing::Values("kronecker:scale=4,edge_factor=3", "star:vertices=9",
                    "rmat:vertices=1,edges=9,self_loops=keep,duplicates=keep"));

TEST_F(SubgraphsOnGpus, AreTheSameForTinyGraphs) {
  for (const unsigned members : {1U, 2U, 3U}) {
    for (const char* recipe :
         {"rmat:vertices=1,edges=0", "rmat:vertices=1,edges=9,self_loops=keep,duplicates=keep",
          "rmat:vertices=1,edges=9", "rmat:vertices=2,edges=3", "uniform:vertices=0",
          "uniform:vertices=1,edge_factor=0", "path:vertices=2", "rmat:vertices=70,edges=0",
          "kronecker:scale=4,edge_factor=3"}) {
      examine(members, transport_of(members), {nullptr, recipe, nullptr}, {0, 1, 3},
              {{0, 0}, {20, 6}});
      if (HasFailure()) return;
    }
    // A row at a time, of two tuples at a time.
    examine(members, transport_of(members), {nullptr, "star:vertices=9", nullptr}, {0, 1, 3},
            {{0, 0}, {2, 1}});
  }
}

TEST_F(SubgraphsOnGpus, AreTheSameOnAnyNumberOfMembers) {
  for (const unsigned members : {1U, 2U, 3U, 4U}) {
    for (const Transport transport : {Transport::host, Transport::peer}) {
      if (transport == Transport::peer && tests::processes().size() > 1) continue;
      for (const char* recipe :
           {"kronecker:scale=10,edge_factor=16", "uniform:vertices=1003,edge_factor=9"}) {
        examine(members, transport, {nullptr, recipe, nullptr}, kThresholds, kLimits);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(SubgraphsOnGpus, AreTheSameForOtherShapesAndRules) {
  for (const unsigned members : {1U, 2U, 3U, 4U}) {
    for (const char* recipe :
         {"path:vertices=700", "star:vertices=1300", "uniform:vertices=50,edge_factor=0",
          "rmat:vertices=900,edges=7000,permute=false", "kronecker:scale=9,symmetrize=false",
          "kronecker:scale=9,self_loops=keep", "kronecker:scale=9,duplicates=keep",
          "kronecker:scale=8,symmetrize=false,self_loops=keep,duplicates=keep",
          "rmat:vertices=40,edges=5000,symmetrize=false,self_loops=keep,duplicates=keep"}) {
      examine(members, transport_of(members), {nullptr, recipe, nullptr}, kThresholds, kLimits);
      if (HasFailure()) return;
    }
  }
}

// Entries of a CSR are read, not made: portions are sent to the GPU, as rows where its process has
// the CSR, of which a portion may hold parts of two, or less than one.
TEST_F(SubgraphsOnGpus, AreTheSameFromACsr) {
  for (const char* recipe :
       {"kronecker:scale=9,edge_factor=8,duplicates=keep",
        "kronecker:scale=9,edge_factor=8,symmetrize=false", "star:vertices=6000"}) {
    const CsrGraph graph = load_graph(GraphName::parse(recipe), {});
    for (const unsigned members : {1U, 2U, 3U}) {
      const GraphSource source{tests::processes().rank() == 0 ? &graph : nullptr, recipe, nullptr};
      examine(members, transport_of(members), source, kThresholds, kLimits);
      if (HasFailure()) return;
    }
  }
}

// Only edges of dd lie elsewhere, each with the member whose turn the delegate with fewer
// neighbours has.
TEST_F(SubgraphsOnGpus, KeepEdgesOfDelegatesByTheirNumber) {
  for (const unsigned members : {1U, 2U, 3U}) {
    Team team(tests::processes(), members);
    team.run([&](Member& me) {
      const MemberGpu gpu(me);
      const auto data = make_device_communicator(Transport::host, *me.all, gpu);
      const auto share = share_edges({nullptr, "kronecker:scale=16", nullptr}, me);
      const Subgraphs expected = make_subgraphs(me, *share, 1, DelegateOrder::degree);
      const DeviceSubgraphs made = make_device_subgraphs(me, *share, 1, DelegateOrder::degree, gpu,
                                                         *data, {}, {}, DdKeepers::stripes);
      expect_equal(made.nn, expected.nn);
      expect_equal(made.nd, expected.nd);
      expect_equal(made.dn, expected.dn);
      const local_vertex_t d = made.delegate_count();
      ASSERT_GT(d, 1024U * me.count());
      std::vector<Word> degrees(d), in_dd(d), expected_in_dd(d);
      const auto offsets = tests::fetched(made.dd.narrow);
      const auto columns = tests::fetched(made.dd.columns);
      ASSERT_EQ(offsets.size(), d + std::size_t{1});
      for (local_vertex_t u = 0; u < d; ++u) {
        in_dd[u] = offsets[u + 1] - offsets[u];
        expected_in_dd[u] = expected.dd.degree(u);
        degrees[u] = expected.dn.degree(u) + expected.dd.degree(u);
      }
      for (std::vector<Word>* each : {&degrees, &in_dd, &expected_in_dd}) {
        me.all->all_reduce(*each, Reduction::sum);
      }
      EXPECT_TRUE(in_dd == expected_in_dd);
      for (local_vertex_t u = 0; u < d; ++u) {
        for (std::size_t e = offsets[u]; e < offsets[u + 1]; ++e) {
          const local_vertex_t v = columns[e];
          if (degrees[u] == degrees[v]) continue;
          const local_vertex_t fewer = degrees[u] < degrees[v] ? u : v;
          ASSERT_EQ(fewer / 1024 % me.count(), me.index()) << u << " to " << v;
        }
      }
      me.all->barrier();
    });
  }
}

// More tuples than one kernel has threads.
TEST_F(SubgraphsOnGpus, AreTheSameForLargerGraphs) {
  for (const unsigned members : {1U, 2U, 3U}) {
    examine(members, transport_of(members), {nullptr, "kronecker:scale=16", nullptr}, {2, 16, 200},
            {{0, 0}, {300000, 400000}});
  }
}

}  // namespace
}  // namespace bfslab::distributed
