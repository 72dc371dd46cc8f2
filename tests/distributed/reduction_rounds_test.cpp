// SPDX-License-Identifier: Apache-2.0
// Reductions in two phases: the rounds of every shape of ranks, carried out one message after the
// other, and what a team of threads and processes counts as sent.
#include "kernels/distributed/communicator/reduction_rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "tests/distributed/members.hpp"
#include "tests/distributed/words.hpp"

namespace bfslab::distributed {
namespace {

constexpr std::size_t kWords = 33;

// A member that works through its rounds: it sends when it enters one, and leaves it with all that
// it waits for.
struct Reducing {
  std::vector<ReductionRound> rounds;
  std::vector<Word> words;
  std::size_t at = 0;
  bool has_sent = false;
};

// Messages under way, by sender and receiver, in the order of their sending.
using Mail = std::map<std::pair<unsigned, unsigned>, std::deque<std::vector<Word>>>;

// Returns whether member `me` has moved on.
bool step(unsigned me, Reducing& member, Mail& mail) {
  if (member.at == member.rounds.size()) return false;
  const ReductionRound& round = member.rounds[member.at];
  if (!std::exchange(member.has_sent, true)) {
    for (const unsigned to : round.to) mail[{me, to}].push_back(member.words);
    return true;
  }
  for (const unsigned from : round.from) {
    if (mail[{from, me}].empty()) return false;
  }
  for (const unsigned from : round.from) {
    const std::vector<Word> came = std::move(mail[{from, me}].front());
    mail[{from, me}].pop_front();
    for (std::size_t i = 0; i < kWords; ++i) {
      member.words[i] = round.replaces ? came[i] : member.words[i] | came[i];
    }
  }
  member.has_sent = false;
  ++member.at;
  return true;
}

void reduces(const RankShape& shape) {
  const unsigned members = shape.ranks * shape.gpus_per_rank;
  std::vector<Reducing> all;
  std::size_t sent = 0;
  for (unsigned me = 0; me < members; ++me) {
    all.push_back({two_phase_rounds(me, shape), values(me, kWords)});
    sent += times_sent(all.back().rounds);
  }
  EXPECT_EQ(sent, masks_sent(shape.ranks, shape.gpus_per_rank));
  Mail mail;
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned me = 0; me < members; ++me) moved = step(me, all[me], mail) || moved;
  }
  for (const Reducing& member : all) {
    EXPECT_EQ(member.at, member.rounds.size()) << "it waits for a message that never comes";
    EXPECT_EQ(member.words, combined(Reduction::bit_or, 0, members, kWords));
  }
  for (const auto& [ends, messages] : mail) EXPECT_TRUE(messages.empty()) << ends.first;
}

TEST(ReductionRounds, ReduceOnEveryShape) {
  for (unsigned ranks = 1; ranks <= 9; ++ranks) {
    for (unsigned gpus = 1; gpus <= 9; ++gpus) {
      SCOPED_TRACE(testing::Message() << ranks << " x " << gpus);
      reduces({ranks, gpus});
    }
  }
  reduces({31, 4});
  reduces({2, 33});
}

// Section V-A: of two ranks a leader sends d/8 bytes to the other one and to each of its members.
TEST(ReductionRounds, ALeaderSendsInEachDoublingAndToItsMembers) {
  for (const unsigned log : {0U, 1U, 2U, 3U, 10U}) {
    const RankShape shape{1U << log, 4};
    EXPECT_EQ(times_sent(two_phase_rounds(0, shape)), log + 3);
    EXPECT_EQ(times_sent(two_phase_rounds(shape.ranks, shape)), 1U);
  }
}

// A team reduces by stripes within a process, which sends as much in all.
TEST(ReductionRounds, ATeamCountsWhatItsReductionsSend) {
  tests::on_teams([](Member& me) {
    for (const std::size_t size : {0, 1, 5, 64, 1001}) {
      const auto sent_by = [&](const auto& call) {
        const std::uint64_t before = me.all->bytes_sent();
        call();
        return me.all->sum(me.all->bytes_sent() - before);
      };
      std::vector<Word> words = values(me.index(), size);
      const std::uint64_t reduced = masks_sent(me.ranks, me.gpus_per_rank) * size * sizeof(Word);
      EXPECT_EQ(sent_by([&] { me.all->all_reduce(words, Reduction::bit_or); }), reduced);
      EXPECT_EQ(sent_by([&] {
                  me.all->begin_all_reduce(words, Reduction::bit_or);
                  me.all->finish_all_reduce();
                }),
                reduced);
      const std::uint64_t to_others = (me.count() - 1) * size * sizeof(Word);
      std::vector<Word> all(size * me.count());
      EXPECT_EQ(sent_by([&] {
                  me.all->all_gather(std::as_bytes(std::span(words)),
                                     std::as_writable_bytes(std::span(all)));
                }),
                me.count() * to_others);
      EXPECT_EQ(sent_by([&] {
                  me.all->broadcast(std::as_writable_bytes(std::span(words)), me.count() - 1);
                }),
                to_others);
    }
  });
}

}  // namespace
}  // namespace bfslab::distributed
