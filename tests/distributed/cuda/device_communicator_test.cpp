// SPDX-License-Identifier: Apache-2.0
// Communicators over GPUs' memory: every call of every transport, by members that share the GPUs of
// this machine. NCCL wants one each, and is asked where there are as many.
#include "kernels/distributed/communicator/device_communicator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/unsupported.hpp"
#include "tests/distributed/gpu.hpp"
#include "tests/distributed/members.hpp"
#include "tests/distributed/words.hpp"

namespace bfslab::distributed {
namespace {

// Words on the member's GPU.
class OnGpu {
 public:
  OnGpu(const std::vector<Word>& host, const MemberGpu& gpu) : gpu_(gpu), words_(host.size()) {
    cuda::upload(words_.data(), host.data(), words_.bytes(), gpu.stream());
  }
  [[nodiscard]] std::span<Word> span() const { return {words_.data(), words_.size()}; }
  [[nodiscard]] Bytes bytes() const { return std::as_bytes(span()); }
  [[nodiscard]] std::span<std::byte> writable() const { return std::as_writable_bytes(span()); }
  [[nodiscard]] std::vector<Word> host() const {
    std::vector<Word> out(words_.size());
    cuda::download(out.data(), words_.data(), words_.bytes(), gpu_.stream());
    return out;
  }

 private:
  const MemberGpu& gpu_;
  cuda::DeviceBuffer<Word> words_;
};

std::vector<Word> host_copy(Bytes list, const MemberGpu& gpu) {
  std::vector<Word> out(list.size() / sizeof(Word));
  cuda::download(out.data(), list.data(), list.size(), gpu.stream());
  return out;
}

class DeviceCommunicator : public tests::NeedsGpu<testing::TestWithParam<Transport>> {
 protected:
  using Work = std::function<void(Member&, const MemberGpu&, Communicator&)>;
  static void on_teams(const Work& work) {
    unsigned ran = 0;
    for (unsigned turn = 0; turn < tests::gpus_to_try().size(); ++turn) {
      try {
        tests::on_a_team(turn, [&](Member& member) {
          const MemberGpu gpu(member);
          const auto data = make_device_communicator(GetParam(), *member.all, gpu);
          EXPECT_EQ(data->index(), member.index());
          EXPECT_EQ(data->size(), member.count());
          work(member, gpu, *data);
          data->barrier();
        });
        ++ran;
      } catch (const Unsupported& refusal) {
        const std::string why = refusal.what();
        const bool shared = why.find("share one") != std::string::npos;
        const bool apart = why.find("one process") != std::string::npos;
        EXPECT_TRUE((GetParam() == Transport::nccl && shared) ||
                    (GetParam() == Transport::peer && apart && tests::processes().size() > 1) ||
                    why.find("without NCCL") != std::string::npos)
            << why;
      }
    }
    if (ran == 0) GTEST_SKIP() << "no team of this machine can use this transport";
  }
};

TEST_P(DeviceCommunicator, ReducesWordsOfEverySize) {
  on_teams([](Member& me, const MemberGpu& gpu, Communicator& data) {
    for (const std::size_t size : {0, 1, 2, 5, 64, 10'000, 1'000'003}) {
      for (const Reduction reduction : kReductions) {
        const OnGpu mine(values(me.index(), size), gpu);
        data.all_reduce(mine.span(), reduction);
        EXPECT_EQ(mine.host(), combined(reduction, 0, me.count(), size)) << size;
      }
    }
  });
}

// Blocking or beside the lists, with what all members count as sent.
TEST_P(DeviceCommunicator, ReducesMasksInTwoPhases) {
  on_teams([](Member& me, const MemberGpu& gpu, Communicator& /*data*/) {
    const auto data =
        make_device_communicator(GetParam(), *me.all, gpu, RankShape{me.ranks, me.gpus_per_rank});
    for (const std::size_t size : {1, 2, 5, 64, 10'000, 1'000'003}) {
      for (const bool beside : {false, true}) {
        const OnGpu mine(values(me.index(), size), gpu);
        const OnGpu out(values(me.index() + 50, 500), gpu);
        const std::uint64_t before = data->bytes_sent();
        if (beside) {
          data->begin_all_reduce(mine.span(), Reduction::bit_or);
        } else {
          data->all_reduce(mine.span(), Reduction::bit_or);
        }
        const std::uint64_t sent = me.all->sum(data->bytes_sent() - before);
        EXPECT_EQ(sent, masks_sent(me.ranks, me.gpus_per_rank) * size * sizeof(Word));
        const std::vector<Bytes> lists(me.count(), out.bytes());
        const std::vector<Bytes> received = data->all_to_all(lists);
        EXPECT_EQ(host_copy(received[0], gpu), values(50, 500));
        if (beside) data->finish_all_reduce();
        EXPECT_EQ(mine.host(), combined(Reduction::bit_or, 0, me.count(), size)) << size;
        if (beside) {
          EXPECT_GT(data->begun_ms().value_or(1), 0);
        }
        data->barrier();
      }
      const OnGpu mine(values(me.index(), size), gpu);
      data->all_reduce(mine.span(), Reduction::sum);  // in no phases
      EXPECT_EQ(mine.host(), combined(Reduction::sum, 0, me.count(), size)) << size;
    }
  });
}

TEST_P(DeviceCommunicator, ReducesWhileListsTravel) {
  on_teams([](Member& me, const MemberGpu& gpu, Communicator& data) {
    for (std::size_t round = 0; round < 4; ++round) {
      const std::size_t size = 3000 * (round + 1);
      const OnGpu mask(values(me.index(), size), gpu);
      const OnGpu out(values(me.index() + 50, 500), gpu);
      data.begin_all_reduce(mask.span(), Reduction::bit_or);
      const std::vector<Bytes> lists(me.count(), out.bytes());
      const std::vector<Bytes> received = data.all_to_all(lists);
      for (unsigned from = 0; from < me.count(); ++from) {
        EXPECT_EQ(host_copy(received[from], gpu), values(from + 50, 500));
      }
      data.finish_all_reduce();
      EXPECT_EQ(mask.host(), combined(Reduction::bit_or, 0, me.count(), size));
      data.barrier();
    }
  });
}

TEST_P(DeviceCommunicator, ScansOverTheMembersBelow) {
  on_teams([](Member& me, const MemberGpu& gpu, Communicator& data) {
    for (const Reduction reduction : kReductions) {
      const OnGpu mine(values(me.index(), 777), gpu);
      data.exclusive_scan(mine.span(), reduction);
      EXPECT_EQ(mine.host(), combined(reduction, 0, me.index(), 777));
    }
  });
}

TEST_P(DeviceCommunicator, BroadcastsFromEveryRootAndGathers) {
  on_teams([](Member& me, const MemberGpu& gpu, Communicator& data) {
    for (unsigned root = 0; root < me.count(); ++root) {
      const OnGpu words(values(me.index(), 1001), gpu);
      data.broadcast(words.writable(), root);
      EXPECT_EQ(words.host(), values(root, 1001));
    }
    const OnGpu mine(values(me.index(), 17), gpu);
    const OnGpu all(std::vector<Word>(std::size_t{17} * me.count()), gpu);
    data.all_gather(mine.bytes(), all.writable());
    const std::vector<Word> gathered = all.host();
    for (unsigned m = 0; m < me.count(); ++m) {
      EXPECT_TRUE(
          std::ranges::equal(std::span(gathered).subspan(std::size_t{m} * 17, 17), values(m, 17)));
    }
  });
}

TEST_P(DeviceCommunicator, ListsArriveWhole) {
  on_teams([](Member& me, const MemberGpu& gpu, Communicator& data) {
    for (unsigned round = 0; round < 5; ++round) {
      const auto length = [&](unsigned from, unsigned to) {
        return std::size_t{(from + to + round) % 5} * 1001;
      };
      std::vector<OnGpu> kept;
      std::vector<Bytes> lists;
      for (unsigned to = 0; to < me.count(); ++to) {
        kept.emplace_back(values(me.index() * 100 + to, length(me.index(), to)), gpu);
        lists.push_back(kept.back().bytes());
      }
      const std::vector<Bytes> received = data.all_to_all(lists);
      for (unsigned other = 0; other < me.count(); ++other) {
        EXPECT_EQ(host_copy(received[other], gpu),
                  values(other * 100 + me.index(), length(other, me.index())));
      }
      data.barrier();
    }
  });
}

TEST_P(DeviceCommunicator, ExchangesAndSplits) {
  on_teams([](Member& me, const MemberGpu& gpu, Communicator& data) {
    for (unsigned shift = 0; shift < me.count(); ++shift) {
      const unsigned to = (me.index() + shift) % me.count();
      const unsigned from = (me.index() + me.count() - shift) % me.count();
      const OnGpu out(values(me.index(), 500), gpu);
      const OnGpu in(std::vector<Word>(500), gpu);
      data.exchange(to, out.bytes(), from, in.writable());
      EXPECT_EQ(in.host(), values(from, 500));
    }
    const auto half = data.split(me.index() % 2, me.count() - me.index());
    const OnGpu mine(values(me.index(), 100), gpu);
    half->all_reduce(mine.span(), Reduction::sum);
    std::vector<Word> expected(100, 0);
    for (unsigned m = me.index() % 2; m < me.count(); m += 2) {
      for (std::size_t i = 0; i < 100; ++i) expected[i] += value(m, i);
    }
    EXPECT_EQ(mine.host(), expected);
    half->barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, DeviceCommunicator,
                         testing::Values(Transport::host, Transport::peer, Transport::nccl),
                         [](const auto& param) {
                           switch (param.param) {
                             case Transport::host:
                               return "host";
                             case Transport::peer:
                               return "peer";
                             case Transport::nccl:
                               break;
                           }
                           return "nccl";
                         });

}  // namespace
}  // namespace bfslab::distributed
