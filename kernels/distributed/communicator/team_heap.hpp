// SPDX-License-Identifier: Apache-2.0
// Allocators of memory that the kernels of all members of a team (device_team.hpp) read and write
// by plain addresses.
//
//   peer       each GPU's own memory, mapped by the others (peer_memory.hpp), on one machine.
//   symmetric  NVSHMEM's symmetric heap, on one machine or on several with GPUs joined by NVLink.
//              One GPU per process. Each member gets the maximum size that any member requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/communicator/transport.hpp"
#include "kernels/interface.hpp"

namespace bfslab::distributed {

// The destructor frees all memory and is collective, unless an exception is in flight.
class TeamHeap : public Interface {
 public:
  // Allocates `bytes` on this member's GPU; members may pass different sizes. Returns null for 0
  // bytes. Collective. Throws OutOfDeviceMemory.
  virtual void* allocate(std::size_t bytes) = 0;
  // Returns, by member number, the address of each member's `own` for this GPU. `own` is a result
  // of allocate(), or null; for `peer`, also the begin of any DeviceBuffer. Collective. Throws
  // Unsupported, on all members alike, if there is no such address.
  virtual std::vector<void*> of_all(void* own) = 0;
  // Returns the bytes in use on this member's GPU.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

// Collective over `all`, which outlives the result, as does `gpu`. For the symmetric heap each
// member is a process, and the members are all processes of the launcher. Throw Unsupported, on all
// members alike, if the GPUs or the build do not support it.
std::unique_ptr<TeamHeap> make_peer_heap(Communicator& all, const MemberGpu& gpu);
std::unique_ptr<TeamHeap> make_symmetric_heap(Communicator& all, const MemberGpu& gpu);

}  // namespace bfslab::distributed
