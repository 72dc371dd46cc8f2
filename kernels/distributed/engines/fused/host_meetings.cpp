// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/fused/host_meetings.hpp"

#include <array>

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
    std::array<Word, 4> sums = {state.own.vertices, state.own.edges, state.own.checked,
                                gave_up ? Word{1} : Word{0}};
    all.all_reduce(sums, Reduction::sum);
    if (sums[3] > 0) return false;
    if (state.meeting == cuda::FusedMeeting::none) return true;
    state.all = {sums[0], sums[1], sums[2]};
    cuda::upload(step, &state, sizeof(state), stream);
  }
}

}  // namespace bfslab::distributed::fused
