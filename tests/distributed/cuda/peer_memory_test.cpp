// SPDX-License-Identifier: Apache-2.0
// Memory of other members' GPUs, of this process and of others, read by plain addresses.
#include "kernels/distributed/communicator/peer_memory.hpp"

#include <gtest/gtest.h>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/unsupported.hpp"
#include "tests/distributed/cuda/sharing.hpp"
#include "tests/distributed/gpu.hpp"
#include "tests/distributed/members.hpp"

namespace bfslab::distributed {
namespace {

class PeerMemoryOnGpus : public tests::NeedsGpu<> {};

void read_every_other(Member& me, const MemberGpu& gpu) {
  constexpr std::size_t kSizes[] = {1, 3, 1'000'000, 2};
  std::vector<cuda::DeviceBuffer<Word>> mine;
  for (const std::size_t size : kSizes) {
    mine.emplace_back(size);
    const std::vector<Word> values(size, 1000 * me.index() + size);
    cuda::upload(mine.back().data(), values.data(), mine.back().bytes(), gpu.stream());
  }
  gpu.stream().wait();
  PeerMemory memory(*me.all, gpu, "this test needs", true);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::vector<Word*> all = memory.of_all(mine[i].data());
    ASSERT_EQ(all.size(), me.count());
    EXPECT_EQ(all[me.index()], mine[i].data());
    for (unsigned from = 0; from < me.count(); ++from) {
      std::vector<Word> theirs(kSizes[i]);
      cuda::download(theirs.data(), all[from], theirs.size() * sizeof(Word), gpu.stream());
      EXPECT_EQ(theirs, std::vector<Word>(kSizes[i], 1000 * from + kSizes[i]));
    }
  }
  // Again, and where one has nothing.
  const Word* const some = me.index() == 0 ? nullptr : mine[0].data();
  const std::vector<const Word*> all = memory.of_all(some);
  EXPECT_EQ(all[0], nullptr);
  for (unsigned from = 1; from < me.count(); ++from) {
    Word theirs = 0;
    cuda::download(&theirs, all[from], sizeof theirs, gpu.stream());
    EXPECT_EQ(theirs, 1000 * from + 1);
  }
}

// Small allocations share a block of the driver's, which is what is mapped: each has its own place.
TEST_F(PeerMemoryOnGpus, EveryMemberReadsEveryOther) {
  for (unsigned turn = 0; turn < tests::gpus_to_try().size(); ++turn) {
    const std::string refused = tests::refusal_of_sharing(turn, read_every_other);
    if (!refused.empty()) GTEST_SKIP() << refused;
  }
}

TEST_F(PeerMemoryOnGpus, RefusesSeveralProcessesWhereToldTo) {
  tests::on_a_team(0, [](Member& me) {
    const MemberGpu gpu(me);
    if (tests::processes().size() == 1) {
      EXPECT_NO_THROW(PeerMemory(*me.all, gpu, "this test needs", false));
      return;
    }
    try {
      const PeerMemory memory(*me.all, gpu, "this test needs", false);
      FAIL() << "not refused";
    } catch (const Unsupported& refusal) {
      EXPECT_NE(std::string(refusal.what()).find("this test needs all members in one process"),
                std::string::npos)
          << refusal.what();
    }
  });
}

}  // namespace
}  // namespace bfslab::distributed
