// SPDX-License-Identifier: Apache-2.0
// Memory of each kind that members of a team allocate for their kernels and that the others read.
#include "kernels/distributed/communicator/team_heap.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/unsupported.hpp"
#include "tests/distributed/cuda/sharing.hpp"
#include "tests/distributed/gpu.hpp"
#include "tests/distributed/members.hpp"

namespace bfslab::distributed {
namespace {

class TeamHeapOnGpus : public tests::NeedsGpu<> {};

// Members want differently much, one of them nothing, and each writes all that it asked for.
void read_each_other(Member& me, const MemberGpu& gpu, TeamHeap& heap) {
  std::uint64_t sum = 0;
  for (const std::size_t size : {1U, 3U, 1'000'000U, 2U}) {
    const auto of = [&](unsigned member) { return size * (member + 1); };
    const std::vector<Word> values(of(me.index()), 1000 * me.index() + size);
    auto* const mine = static_cast<Word*>(heap.allocate(values.size() * sizeof(Word)));
    sum += values.size() * sizeof(Word);
    cuda::upload(mine, values.data(), values.size() * sizeof(Word), gpu.stream());
    gpu.stream().wait();
    me.all->barrier();
    const std::vector<void*> all = heap.of_all(mine);
    ASSERT_EQ(all.size(), me.count());
    EXPECT_EQ(all[me.index()], mine);
    for (unsigned from = 0; from < me.count(); ++from) {
      std::vector<Word> theirs(of(from));
      cuda::download(theirs.data(), static_cast<const Word*>(all[from]),
                     theirs.size() * sizeof(Word), gpu.stream());
      EXPECT_EQ(theirs, std::vector<Word>(of(from), 1000 * from + size));
    }
  }
  EXPECT_GE(heap.bytes(), sum);
  EXPECT_EQ(heap.allocate(0), nullptr);  // all want nothing
  for (void* each : heap.of_all(nullptr)) EXPECT_EQ(each, nullptr);
}

TEST_F(TeamHeapOnGpus, EveryMemberReadsEveryOther) {
  for (unsigned turn = 0; turn < tests::gpus_to_try().size(); ++turn) {
    const std::string refused =
        tests::refusal_of_sharing(turn, [](Member& me, const MemberGpu& gpu) {
          const std::unique_ptr<TeamHeap> heap = make_peer_heap(*me.all, gpu);
          read_each_other(me, gpu, *heap);
        });
    if (!refused.empty()) GTEST_SKIP() << refused;
  }
}

// Needs a GPU per process and NVSHMEM in the build. Runs twice, since NVSHMEM is joined only once.
TEST_F(TeamHeapOnGpus, EveryMemberReadsEveryOtherByNvshmem) {
  ASSERT_EQ(tests::gpus_to_try().front(), 1U);
  std::string refused;
  for (int again = 0; again < 2 && refused.empty(); ++again) {
    tests::on_a_team(0, [&](Member& me) {
      const MemberGpu gpu(me);
      if (me.all->maximum(gpu.shared() ? 1 : 0) > 0) {
        refused = "processes share a GPU here";
        return;
      }
      try {
        const std::unique_ptr<TeamHeap> heap = make_symmetric_heap(*me.all, gpu);
        read_each_other(me, gpu, *heap);
      } catch (const Unsupported& refusal) {
        refused = refusal.what();
      }
    });
  }
  if (!refused.empty()) GTEST_SKIP() << refused;
}

}  // namespace
}  // namespace bfslab::distributed
