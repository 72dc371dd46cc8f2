// SPDX-License-Identifier: Apache-2.0
// Names of transports among the members' GPUs (communicator/device_communicator.hpp) and of
// allocators of their common memory (communicator/team_heap.hpp).
#pragma once

#include <string_view>

namespace bfslab::distributed {

enum class Transport { host, nccl, peer };

// Returns the transport of this name; any name but "host" and "peer" is nccl.
constexpr Transport transport_named(std::string_view name) {
  if (name == "host") return Transport::host;
  return name == "peer" ? Transport::peer : Transport::nccl;
}

enum class TeamMemory { peer, symmetric };

}  // namespace bfslab::distributed
