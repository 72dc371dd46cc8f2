// SPDX-License-Identifier: Apache-2.0
// Communities of vertices that are ranked by weight, and the ids of the ranks. Ranks are dealt out
// one after another, so that all communities have about the same weights: rank r is in community
// r mod `count`. Of 10 ranks in 3 communities, community 0 has ranks 0, 3, 6 and 9.
#pragma once

#include <algorithm>
#include <cstdint>

#include "datasets/build/counter_random.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

// How many communities there are, the share of the edges within them, and the order of ids.
struct CommunityShape {
  vertex_t count = 1;
  double local = 0;    // share of the tuples whose ends are in one community
  bool crawl = false;  // ids in the order of a crawl; otherwise at random

  // Throws InputError unless each of `vertices` vertices has a community and none is empty.
  void check(std::uint64_t vertices, const char* what) const;
};

// The parameters `communities`, `local` and `order`, and the shape that a recipe gives them.
std::vector<GraphParameter> community_parameters();
CommunityShape community_shape(const Recipe& graph);

class Communities {
 public:
  // 1 <= shape.count <= vertices.
  Communities(const CommunityShape& shape, vertex_t vertices, std::uint64_t seed,
              std::uint64_t purpose);

  // Returns whether tuple i is within a community.
  [[nodiscard]] bool is_local(std::uint64_t i) const {
    return local_ != 0 && (counter_random(key_, i) >> 32) < local_;
  }
  // Returns the rank of community `community` that has the place that `rank` has in its own.
  [[nodiscard]] vertex_t moved(vertex_t rank, vertex_t community) const {
    const std::uint64_t there = rank - rank % count_ + std::uint64_t{community};
    return static_cast<vertex_t>(there < vertices_ ? there : there - count_);
  }
  [[nodiscard]] vertex_t of(vertex_t rank) const { return rank % count_; }
  // A bijection from ranks to ids. At random, or as a crawl meets the vertices: first the heaviest
  // eighth of all communities, the heaviest first, then the others, one community after another.
  [[nodiscard]] vertex_t id(vertex_t rank) const {
    if (!crawl_) return permutation_(rank);
    if (rank < heads_) return rank;
    const vertex_t community = (rank - heads_) % count_;
    return heads_ + community * members_ + std::min(community, larger_) + (rank - heads_) / count_;
  }

 private:
  vertex_t vertices_;
  vertex_t count_;
  bool crawl_;
  vertex_t heads_;       // how many ranks are met first: whole rows of `count_`
  vertex_t members_;     // the others of a community, rounded down
  vertex_t larger_;      // communities that have one member more
  std::uint64_t local_;  // in units of 2^-32
  std::uint64_t key_;
  RangePermutation permutation_;
};

}  // namespace bfslab
