// SPDX-License-Identifier: Apache-2.0
// How the vertices of a search are dealt out among its members: ranks, numbers and ids name the
// same vertices, and no two of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/fused/member_deal.hpp"

namespace bfslab::tests {
namespace {

using cuda::FusedDeal;

TEST(FusedDeal, FollowsItsExample) {
  const FusedDeal deal{3};
  EXPECT_EQ(deal.member_of_rank(7), 1U);
  EXPECT_EQ(deal.number_of_rank(7), 2U);
  EXPECT_EQ(deal.id_of_rank(7), 1026U);
  EXPECT_EQ(deal.id(1, 1024), 4096U);
  EXPECT_EQ(deal.place(1, 32), 128U) << "the word that begins with that id";
}

TEST(FusedDeal, OneMemberHasAllVerticesAndTheirIdsAreTheirRanks) {
  const FusedDeal deal{1};
  for (vertex_t rank = 0; rank < 5'000; ++rank) {
    ASSERT_EQ(deal.id_of_rank(rank), rank);
    ASSERT_EQ(deal.number_of(rank), rank);
  }
  EXPECT_EQ(deal.share(5'000, 0), 5'000U);
}

TEST(FusedDeal, IdsNameEachVertexOnceAndLeadBackToIt) {
  for (unsigned members = 1; members <= 8; ++members) {
    const FusedDeal deal{members};
    for (const vertex_t ranks : {1U, 7U, 1'023U, 8'192U, 20'001U}) {
      SCOPED_TRACE(std::to_string(members) + " members, " + std::to_string(ranks) + " ranks");
      std::vector<bool> taken(deal.ids(ranks));
      std::vector<vertex_t> counts(members);
      for (vertex_t rank = 0; rank < ranks; ++rank) {
        const vertex_t id = deal.id_of_rank(rank);
        ASSERT_LT(id, taken.size());
        ASSERT_FALSE(taken[id]);
        taken[id] = true;
        const unsigned member = deal.member_of(id);
        ASSERT_EQ(deal.number_of(id), counts[member]++) << "numbers ascend with ranks";
        ASSERT_EQ(deal.rank_of(id), rank);
        ASSERT_EQ(deal.id(member, deal.number_of(id)), id);
        ASSERT_EQ(deal.place(member, deal.number_of(id) / 32), id / 32);
      }
      for (unsigned m = 0; m < members; ++m) {
        ASSERT_EQ(deal.share(ranks, m), counts[m]);
        ASSERT_LE(counts[m], deal.numbers(ranks));
      }
      EXPECT_LE(*std::ranges::max_element(counts) - *std::ranges::min_element(counts), 1U);
    }
  }
}

TEST(FusedDeal, EachRunOfIdsIsOneMembersAndHasWholeWords) {
  const FusedDeal deal{5};
  for (vertex_t id = 0; id < deal.ids(30'000); ++id) {
    ASSERT_EQ(deal.member_of(id), id / FusedDeal::kRun % 5);
    ASSERT_EQ(deal.number_of(id) % 32, id % 32);
  }
}

TEST(FusedDeal, NoVerticesTakeOneRun) {
  EXPECT_EQ(FusedDeal{4}.ids(0), 4 * FusedDeal::kRun);
  EXPECT_EQ(FusedDeal{4}.share(0, 3), 0U);
  EXPECT_EQ(FusedDeal{4}.share(3, 3), 0U);
}

}  // namespace
}  // namespace bfslab::tests
