// SPDX-License-Identifier: Apache-2.0
// How the vertices of a search are dealt out among its members. A vertex has a rank, its place by
// descending degree. Ranks are dealt one by one, so that each member has an equal share of every
// degree, hubs included. Its member knows the vertex by its number; numbers, too, ascend as degrees
// descend. All members know it by its id, which is the place of its bit. Ids give each member runs
// of kRun bits in turn, which are as many as a warp takes in a turn: a member sends its bits in
// whole lines, and the bits of hubs still come first.
//
// Example: of three members, member 1 has the ranks 1, 4, 7, ... with the numbers 0, 1, 2, ... and
// the ids 1024, 1025, 1026, ... Its number 1024 has the id 4096.
#pragma once

#include <cstdint>

#include "datasets/graph/host_device.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab::cuda {

struct FusedDeal {
  static constexpr vertex_t kRun = 1024;

  unsigned members = 1;

  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t rank(unsigned member, vertex_t number) const {
    return number * members + member;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t id(unsigned member, vertex_t number) const {
    return (number / kRun * members + member) * kRun + number % kRun;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE unsigned member_of_rank(vertex_t rank) const {
    return rank % members;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t number_of_rank(vertex_t rank) const {
    return rank / members;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t id_of_rank(vertex_t rank) const {
    return id(member_of_rank(rank), number_of_rank(rank));
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE unsigned member_of(vertex_t id) const {
    return id / kRun % members;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t number_of(vertex_t id) const {
    return id / kRun / members * kRun + id % kRun;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t rank_of(vertex_t id) const {
    return rank(member_of(id), number_of(id));
  }
  // The same for words of 32 bits: a member's own, and all.
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t place(unsigned member, std::uint32_t word) const {
    return id(member, word * 32) / 32;
  }
  // Returns how many of the first `ranks` ranks a member has. Member 0 has the most.
  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t share(vertex_t ranks, unsigned member) const {
    return ranks > member ? (ranks - member - 1) / members + 1 : 0;
  }
  // Returns the numbers, and the ids, that the first `ranks` ranks take, in whole runs, at least
  // one.
  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t numbers(vertex_t ranks) const {
    const vertex_t runs = (share(ranks, 0) + kRun - 1) / kRun;
    return (runs > 0 ? runs : 1) * kRun;
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE vertex_t ids(vertex_t ranks) const {
    return numbers(ranks) * members;
  }
};

}  // namespace bfslab::cuda
