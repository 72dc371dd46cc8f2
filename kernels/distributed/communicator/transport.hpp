// SPDX-License-Identifier: Apache-2.0
// What moves data among the GPUs of members (communicator/device_communicator.hpp), and what gives
// their kernels memory in common (communicator/team_heap.hpp), by name.
#pragma once

#include <cstddef>
#include <string_view>

namespace bfslab::distributed {

enum class Transport { host, nccl, peer };

// "host" and "peer"; anything else is nccl.
constexpr Transport transport_named(std::string_view name) {
  if (name == "host") return Transport::host;
  return name == "peer" ? Transport::peer : Transport::nccl;
}

enum class TeamMemory { peer, symmetric };

// Words in the memory of each member of a team that wake the links to it (device_team.hpp). They
// are spread over links by their addresses: so many, so far from each other, pass over all.
inline constexpr unsigned kLinkReads = 2048;
inline constexpr std::size_t kLinkStep = 512;
inline constexpr std::size_t kLinkBytes = kLinkReads * kLinkStep;  // of a member that has others

}  // namespace bfslab::distributed
