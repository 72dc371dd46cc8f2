// SPDX-License-Identifier: Apache-2.0
// What a member of `delegate-cuda` computes between two exchanges, on its GPU.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/engines/delegate/local_work.hpp"
#include "kernels/distributed/engines/delegate/places.hpp"
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

namespace bfslab::distributed::delegate {

// Where visits look backward; a word of 32 bits has a delegate's number and a bit beside it.
inline constexpr std::uint64_t kMostLookedAt = std::uint64_t{1} << 31;

// `graph` lies on `gpu` and has `places`; all outlive the result. At most 64 members, and
// kMostLookedAt delegates where `settings` say backward.
std::unique_ptr<LocalWork> make_gpu_work(const DeviceSubgraphs& graph, const Places& places,
                                         const MemberGpu& gpu, const Member& member,
                                         const WorkSettings& settings);

}  // namespace bfslab::distributed::delegate
