// SPDX-License-Identifier: Apache-2.0
// Memory of other GPUs of this machine that kernels of this one read and write by plain addresses,
// whether these GPUs belong to members of the same process or of another one.
//
// Within a process an address is good on every GPU that has been given access. Of another process's
// memory a handle is sent, which maps it here (CUDA's inter-process communication). What is mapped
// is given back before its owner frees it: members leave a PeerMemory together, as they made it.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/distributed/communicator/device_communicator.hpp"

namespace bfslab::distributed {

class PeerMemory {
 public:
  // Collective over `all`, which outlives it, as does `gpu`. `needs` begins the message where it
  // cannot be: "transport=peer needs". Throws Unsupported, on all members alike, where members are
  // on several machines, or on GPUs that cannot read each other's memory, and, unless
  // `across_processes`, where they are in several processes.
  PeerMemory(Communicator& all, const MemberGpu& gpu, std::string_view needs,
             bool across_processes);
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  // Collective, unless an exception is on its way: the others' are mapped no longer, and what this
  // member showed may be freed.
  ~PeerMemory();

  // Where each member's `mine` is for this member's GPU, by number. `mine` is the beginning of a
  // DeviceBuffer of the member's GPU, or null, for which there is null. Collective. Throws
  // Unsupported, on all members alike, where memory cannot be mapped.
  template <typename T>
  std::vector<T*> of_all(T* mine) {
    std::vector<T*> all;
    for (void* each : map(mine)) all.push_back(static_cast<T*>(each));
    return all;
  }

 private:
  std::vector<void*> map(const void* mine);

  Communicator& all_;
  std::vector<bool> elsewhere_;  // of each member: in another process
  bool across_ = false;          // some are
  std::vector<void*> mapped_;
  int exceptions_;  // on their way when this was made
};

}  // namespace bfslab::distributed
