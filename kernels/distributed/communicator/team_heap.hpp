// SPDX-License-Identifier: Apache-2.0
// Where the memory comes from that the kernels of all members of a team (device_team.hpp) read and
// write by plain addresses.
//
//   peer       each GPU's own, mapped by the others (peer_memory.hpp): members of one machine.
//   symmetric  NVSHMEM's symmetric heap: members of one machine, or of several whose GPUs NVLink
//              joins. One GPU a process, and all members have as much as the one that asks for
//              most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/communicator/transport.hpp"
#include "kernels/interface.hpp"

namespace bfslab::distributed {

// Its end gives back what was allocated, by all members together unless an exception is on its way.
class TeamHeap : public Interface {
 public:
  // `bytes` of this member's GPU, of which others may want more or fewer; null for 0. Collective.
  // Throws OutOfDeviceMemory.
  virtual void* allocate(std::size_t bytes) = 0;
  // Where each member's `mine` is for this member's GPU, by number. `mine` is what allocate()
  // returned, or null. Collective. Throws Unsupported, on all members alike, where there is no such
  // address.
  virtual std::vector<void*> of_all(void* mine) = 0;
  // Of this member's GPU, in all.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

// Collective over `all`, which outlives the result, as does `gpu`; for the symmetric heap each
// member is a process, and all processes that a launcher started are members. Throw Unsupported, on
// all members alike, where the members' GPUs have no such memory, or the build does not.
std::unique_ptr<TeamHeap> make_peer_heap(Communicator& all, const MemberGpu& gpu);
std::unique_ptr<TeamHeap> make_symmetric_heap(Communicator& all, const MemberGpu& gpu);

}  // namespace bfslab::distributed
