// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/fused/host_meetings.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/traversal/meeting.hpp"

namespace bfslab::distributed::fused {

bool run_in_steps(Communicator& all, cuda::FusedStep* step, const std::uint64_t* word,
                  const cuda::Stream& stream, const std::function<void()>& launch) {
  for (;;) {
    launch();
    cuda::FusedStep state = cuda::read_back(step, stream);
    const bool gave_up = cuda::read_back(word, stream) == cuda::kGaveUp;
    // All members wait at the same meeting. The sum is also their barrier.
    auto sums = std::bit_cast<std::array<Word, sizeof(state.own) / sizeof(Word)>>(state.own);
    std::array<Word, sums.size() + 1> all_sums{};
    std::ranges::copy(sums, all_sums.begin());
    all_sums.back() = gave_up ? 1 : 0;
    all.all_reduce(all_sums, Reduction::sum);
    if (all_sums.back() > 0) return false;
    if (state.meeting == cuda::FusedMeeting::none) return true;
    std::copy_n(all_sums.begin(), sums.size(), sums.begin());
    state.all = std::bit_cast<cuda::FusedSums>(sums);
    cuda::upload(step, &state, sizeof(state), stream);
  }
}

}  // namespace bfslab::distributed::fused
