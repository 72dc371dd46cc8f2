// SPDX-License-Identifier: Apache-2.0
// Searches of `fused-gpus` whose members meet by their hosts, since some share a GPU: kernels there
// may run one after the other, and so cannot meet. Each launch is a step of the same kernel, up to
// the next meeting (cuda/fused/member_meetings.cuh), and hosts sum what their members have found.
//
// This is for tests, where there are fewer GPUs than members. Each meeting costs two copies, a
// reduction and a launch, and members take turns on their GPU: times say nothing about speed.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/fused/member.hpp"
#include "kernels/distributed/communicator/communicator.hpp"

namespace bfslab::distributed::fused {

// Runs steps until the launch is over: `launch` enqueues one. `step` is the member's, with no
// meeting, as it is in the end again; `word` is MeetingView::word. Returns false, on all members
// alike, if a member gave up. Collective.
[[nodiscard]] bool run_in_steps(Communicator& all, cuda::FusedStep* step, const std::uint64_t* word,
                                const cuda::Stream& stream, const std::function<void()>& launch);

}  // namespace bfslab::distributed::fused
