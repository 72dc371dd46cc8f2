// SPDX-License-Identifier: Apache-2.0
// The search of `delegate` on one member: levels, directions and exchanges over any LocalWork, and
// how it is made on a GPU, which every build declares and one with CUDA has.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cuda_function.hpp"
#include "kernels/distributed/communicator/transport.hpp"
#include "kernels/distributed/engines/delegate/local_work.hpp"

namespace bfslab::distributed::delegate {

struct SearchSettings {
  DirectionRule direction;
  bool local_all_to_all = false;       // L
  bool uniquify = false;               // U
  bool non_blocking_reduction = true;  // IR, else BR
  bool phases_overlap = false;         // while they are timed (phase_clock.hpp)
};

// `graph` and `work` are of the same member. `data` moves masks and lists; null where there is one
// member, or where they lie in host memory and the member's own communicator does.
std::unique_ptr<MemberSearch> make_search(Member& member, std::shared_ptr<const Separation> graph,
                                          std::unique_ptr<LocalWork> work,
                                          std::unique_ptr<Communicator> data,
                                          const SearchSettings& settings);

// Collective. Throws Unsupported, on all members alike, where the members do not find GPUs or the
// transport cannot join them. `two_phases` reduces masks in two phases (reduction_rounds.hpp).
using MakeGpuSearch = CudaFunction<std::unique_ptr<MemberSearch>(
    Member&, const EdgeShare&, std::uint64_t threshold, DelegateOrder, Transport, bool two_phases,
    const WorkSettings&, const SearchSettings&)>;
inline constinit MakeGpuSearch make_gpu_search{"engine \"delegate-cuda\""};

}  // namespace bfslab::distributed::delegate
