// SPDX-License-Identifier: Apache-2.0
// The rounds in which members reduce a mask in two phases (scalable-bfs, section V-A): the members
// of a rank send theirs to its leader, the leaders combine them in recursive doubling, and each
// leader sends the result to its members.
//
// Cost, with masks of d bits on r ranks of g members: a leader sends d/8 bytes in each of log2(r)
// rounds and to each of its g - 1 members, and receives as many; another member sends and receives
// d/8 bytes. An all-gather sends (r g - 1) d/8 bytes from each member. It wins with many ranks.
//
//   2 ranks of 2 members, whose numbers are gpu * ranks + rank:
//     round 0   2 -> 0, 3 -> 1     into the leaders 0 and 1
//     round 1   0 <-> 1            among the leaders
//     round 2   0 -> 2, 1 -> 3     the result
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bfslab::distributed {

// The ranks of a communicator, each of which has as many members.
struct RankShape {
  unsigned ranks = 1;
  unsigned gpus_per_rank = 1;
};

// The share of one member in a round. All that it names is under way at once.
struct ReductionRound {
  std::vector<unsigned> to{};    // the members that get this one's words
  std::vector<unsigned> from{};  // the members whose words this one gets
  bool replaces = false;  // what comes is the result; otherwise it is combined with the words
};

// Returns the rounds of `me` among `count` that reduce by recursive doubling. The numbers beyond
// the largest power of two give their words to another first, and get the result at the end.
inline std::vector<ReductionRound> doubling_rounds(unsigned me, unsigned count) {
  const unsigned power = std::bit_floor(count);
  if (me >= power) return {{.to = {me - power}}, {.from = {me - power}, .replaces = true}};
  std::vector<ReductionRound> rounds;
  const bool helps = me + power < count;
  if (helps) rounds.push_back({.from = {me + power}});
  for (unsigned distance = 1; distance < power; distance *= 2) {
    rounds.push_back({.to = {me ^ distance}, .from = {me ^ distance}});
  }
  if (helps) rounds.push_back({.to = {me + power}});
  return rounds;
}

// Returns the rounds of member `me`, whose number is gpu * ranks + rank.
inline std::vector<ReductionRound> two_phase_rounds(unsigned me, const RankShape& shape) {
  const unsigned leader = me % shape.ranks;
  if (me != leader) return {{.to = {leader}}, {.from = {leader}, .replaces = true}};
  std::vector<unsigned> others;
  for (unsigned gpu = 1; gpu < shape.gpus_per_rank; ++gpu) {
    others.push_back(gpu * shape.ranks + leader);
  }
  std::vector<ReductionRound> rounds = doubling_rounds(leader, shape.ranks);
  if (others.empty()) return rounds;
  rounds.insert(rounds.begin(), {.from = others});
  rounds.push_back({.to = others});
  return rounds;
}

// Returns how many times a member of these rounds sends its words.
inline std::size_t times_sent(const std::vector<ReductionRound>& rounds) {
  std::size_t times = 0;
  for (const ReductionRound& round : rounds) times += round.to.size();
  return times;
}

}  // namespace bfslab::distributed
