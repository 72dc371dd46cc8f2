// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/communicator/communicator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "tests/distributed/members.hpp"
#include "tests/distributed/words.hpp"

namespace bfslab::distributed {
namespace {

using tests::on_teams;

TEST(Communicator, MembersAreNumberedGpuByGpu) {
  on_teams([](Member& me) {
    EXPECT_EQ(me.all->index(), me.index());
    EXPECT_EQ(me.all->size(), me.ranks * me.gpus_per_rank);
    EXPECT_EQ(me.index(), me.gpu * me.ranks + me.rank);
    EXPECT_EQ(me.rank, tests::processes().rank());
  });
}

TEST(Communicator, ReducesWordsOfEverySize) {
  on_teams([](Member& me) {
    for (const std::size_t size : {0, 1, 2, 5, 64, 10'000}) {
      for (const Reduction reduction : kReductions) {
        std::vector<Word> mine = values(me.index(), size);
        me.all->all_reduce(mine, reduction);
        EXPECT_EQ(mine, combined(reduction, 0, me.count(), size));
      }
    }
  });
}

TEST(Communicator, ReducesWhileOtherCallsAreMade) {
  on_teams([](Member& me) {
    for (int round = 0; round < 3; ++round) {
      std::vector<Word> mask = values(me.index(), 3000);
      me.all->begin_all_reduce(mask, Reduction::bit_or);
      EXPECT_EQ(me.all->sum(me.index()), me.count() * (me.count() - 1) / 2);
      const std::vector<Bytes> lists(me.count());
      me.all->all_to_all(lists);
      me.all->finish_all_reduce();
      EXPECT_EQ(mask, combined(Reduction::bit_or, 0, me.count(), 3000));
    }
  });
}

TEST(Communicator, ScansOverTheMembersBelow) {
  on_teams([](Member& me) {
    for (const Reduction reduction : kReductions) {
      std::vector<Word> mine = values(me.index(), 100);
      me.all->exclusive_scan(mine, reduction);
      EXPECT_EQ(mine, combined(reduction, 0, me.index(), 100));
    }
  });
}

TEST(Communicator, BroadcastsFromEveryRoot) {
  on_teams([](Member& me) {
    for (unsigned root = 0; root < me.count(); ++root) {
      std::vector<Word> words = values(me.index(), 1000);
      me.all->broadcast(std::as_writable_bytes(std::span(words)), root);
      EXPECT_EQ(words, values(root, 1000));
    }
  });
}

TEST(Communicator, GathersInTheOrderOfTheMembers) {
  on_teams([](Member& me) {
    const std::vector<Word> mine = values(me.index(), 17);
    std::vector<Word> all(17 * me.count());
    me.all->all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    for (unsigned m = 0; m < me.count(); ++m) {
      EXPECT_TRUE(std::ranges::equal(std::span(all).subspan(m * 17, 17), values(m, 17)));
    }
  });
}

TEST(Communicator, ListsArriveWhole) {
  on_teams([](Member& me) {
    for (unsigned round = 0; round < 4; ++round) {
      // Member m sends (m + to + round) % 5 times 100 words, so some lists are empty.
      const auto length = [&](unsigned from, unsigned to) {
        return std::size_t{(from + to + round) % 5} * 100;
      };
      std::vector<std::vector<Word>> lists(me.count());
      for (unsigned to = 0; to < me.count(); ++to) {
        lists[to] = values(me.index() * 100 + to, length(me.index(), to));
      }
      const std::uint64_t before = me.all->bytes_sent();
      const std::vector<Bytes> received = me.all->all_to_all(as_lists(lists));
      std::uint64_t sent = 0;
      for (unsigned other = 0; other < me.count(); ++other) {
        EXPECT_TRUE(
            std::ranges::equal(values_of<Word>(received[other]),
                               values(other * 100 + me.index(), length(other, me.index()))));
        if (other != me.index()) sent += length(me.index(), other) * sizeof(Word);
      }
      EXPECT_EQ(me.all->bytes_sent() - before, sent);
      me.all->barrier();
    }
  });
}

TEST(Communicator, ExchangesAlongAPermutation) {
  on_teams([](Member& me) {
    for (unsigned shift = 0; shift < me.count(); ++shift) {
      const unsigned to = (me.index() + shift) % me.count();
      const unsigned from = (me.index() + me.count() - shift) % me.count();
      const std::vector<Word> out = values(me.index(), 500);
      std::vector<Word> in(500);
      me.all->exchange(to, std::as_bytes(std::span(out)), from,
                       std::as_writable_bytes(std::span(in)));
      EXPECT_EQ(in, values(from, 500));
    }
  });
}

TEST(Communicator, SplitsIntoRowsAndColumns) {
  on_teams([](Member& me) {
    for (unsigned columns = 1; columns <= me.count(); ++columns) {
      const unsigned row = me.index() / columns;
      const unsigned column = me.index() % columns;
      const auto along = me.all->split(row, column);
      const auto down = me.all->split(column, row);
      EXPECT_EQ(along->index(), column);
      EXPECT_EQ(down->index(), row);
      EXPECT_EQ(along->sum(1), std::min(columns, me.count() - row * columns));
      Word rows = 0;
      Word expected = 0;
      for (unsigned m = column; m < me.count(); m += columns) {
        ++rows;
        expected += m;
      }
      EXPECT_EQ(down->size(), rows);
      EXPECT_EQ(down->sum(me.index()), expected);
      // Keys decide the numbers: the last one comes first.
      const auto turned = me.all->split(row, columns - column);
      EXPECT_EQ(turned->index(), along->size() - 1 - column);
      Word right = column;  // of those to the right, who are below in this order
      turned->exclusive_scan({&right, 1}, Reduction::sum);
      Word expected_right = 0;
      for (unsigned c = column + 1; c < along->size(); ++c) expected_right += c;
      EXPECT_EQ(right, expected_right);
      // A part of a part.
      const auto half = along->split(column % 2, column);
      EXPECT_EQ(half->index(), column / 2);
      std::vector<std::vector<Word>> lists(half->size(), {me.index()});
      const std::vector<Bytes> received = half->all_to_all(as_lists(lists));
      for (unsigned other = 0; other < half->size(); ++other) {
        EXPECT_EQ(values_of<Word>(received[other])[0], row * columns + column % 2 + 2 * other);
      }
      half->barrier();
    }
  });
}

TEST(Team, RunsAgainAndKeepsItsMembers) {
  for (const unsigned gpus : tests::gpus_to_try()) {
    Team team(tests::processes(), gpus);
    std::atomic<unsigned> runs = 0;
    for (int round = 0; round < 100; ++round) {
      team.run([&](Member& me) {
        ++runs;
        me.all->barrier();
      });
    }
    EXPECT_EQ(runs, 100 * gpus);
  }
}

TEST(Team, AFailureIsThrownAndNobodyWaitsForIt) {
  if (tests::processes().size() > 1) {
    GTEST_SKIP() << "other processes are ended by their launcher, not by this";
  }
  for (const unsigned gpus : {2U, 3U, 6U}) {
    for (unsigned failing = 0; failing < gpus; ++failing) {
      Team team(tests::processes(), gpus);
      EXPECT_THROW(team.run([&](Member& me) {
        const auto part = me.all->split(me.index() % 2, me.index());
        if (me.index() == failing) throw std::domain_error("planted");
        part->sum(1);
        me.all->sum(1);
        me.all->barrier();
      }),
                   std::domain_error);
    }
  }
}

}  // namespace
}  // namespace bfslab::distributed
