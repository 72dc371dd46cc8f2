// SPDX-License-Identifier: Apache-2.0
// What moves data among the GPUs of members (communicator/device_communicator.hpp), and what gives
// their kernels memory in common (communicator/team_heap.hpp), by name.
#pragma once

#include <string_view>

namespace bfslab::distributed {

enum class Transport { host, nccl, peer };

// "host" and "peer"; anything else is nccl.
constexpr Transport transport_named(std::string_view name) {
  if (name == "host") return Transport::host;
  return name == "peer" ? Transport::peer : Transport::nccl;
}

enum class TeamMemory { peer, symmetric };

}  // namespace bfslab::distributed
