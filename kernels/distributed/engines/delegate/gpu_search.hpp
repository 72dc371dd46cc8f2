// SPDX-License-Identifier: Apache-2.0
// The search of `delegate-cuda` on one member, in plain C++: what every build declares, and one
// with CUDA has.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cuda_function.hpp"
#include "kernels/distributed/communicator/transport.hpp"
#include "kernels/distributed/engines/delegate/search.hpp"

namespace bfslab::distributed::delegate {

// Collective. Throws Unsupported, on all members alike, where the members do not find GPUs or the
// transport cannot join them.
using MakeGpuSearch = CudaFunction<std::unique_ptr<MemberSearch>(
    Member&, const EdgeShare&, std::uint64_t threshold, DelegateOrder, Transport,
    const WorkSettings&, const SearchSettings&)>;
inline constinit MakeGpuSearch make_gpu_search{"engine \"delegate-cuda\""};

}  // namespace bfslab::distributed::delegate
