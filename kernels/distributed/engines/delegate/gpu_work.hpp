// SPDX-License-Identifier: Apache-2.0
// The work of a member of `delegate-cuda` on its GPU (local_work.hpp).
//
// Files gpu_* serve both kinds of launch; host_* are for levels that the host launches, a kernel
// per step; one_kernel* are for levels that run in one kernel.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/engines/delegate/local_work.hpp"
#include "kernels/distributed/engines/delegate/places.hpp"
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

namespace bfslab::distributed::delegate {

// Delegates where visits look backward: a word of 32 bits has a delegate's number and another bit.
inline constexpr std::uint64_t kMaxLookedAt = std::uint64_t{1} << 31;

// Returns the work on `graph`, which lies on `gpu` and has `places`; all outlive the result. There
// are at most 64 members, and kMaxLookedAt delegates where `settings` say backward.
std::unique_ptr<LocalWork> make_gpu_work(const DeviceSubgraphs& graph, const Places& places,
                                         const MemberGpu& gpu, const Member& member,
                                         const WorkSettings& settings);

}  // namespace bfslab::distributed::delegate
