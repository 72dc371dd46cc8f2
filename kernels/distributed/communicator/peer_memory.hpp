// SPDX-License-Identifier: Apache-2.0
// Memory of other GPUs of this machine that kernels access by plain addresses. The owners of these
// GPUs may be in the same process or in another one.
//
// Within a process an address is valid on every GPU with peer access. Between processes the owner
// sends a handle, which the receiver maps (CUDA inter-process communication). Mappings are closed
// before the owner frees the memory: the destructor is collective, like the constructor.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/distributed/communicator/device_communicator.hpp"

namespace bfslab::distributed {

class PeerMemory {
 public:
  // Collective over `all`, which outlives it, as does `gpu`. `needs` begins the error message:
  // "transport=peer needs". Throws Unsupported, on all members alike, if members are on several
  // machines, on GPUs that cannot read each other's memory or, unless `across_processes`, in
  // several processes.
  PeerMemory(Communicator& all, const MemberGpu& gpu, std::string_view needs,
             bool across_processes);
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  // Closes the mappings. After it, memory that this member passed to of_all() may be freed.
  // Collective, unless an exception is in flight.
  ~PeerMemory();

  // Returns, by member number, the address of each member's `own` for this GPU. `own` is the begin
  // of a DeviceBuffer of the member's GPU, or null, which yields null. Collective. Throws
  // Unsupported, on all members alike, if memory cannot be mapped.
  template <typename T>
  std::vector<T*> of_all(T* own) {
    std::vector<T*> all;
    for (void* each : map(own)) all.push_back(static_cast<T*>(each));
    return all;
  }

 private:
  std::vector<void*> map(const void* own);

  Communicator& all_;
  std::vector<bool> elsewhere_;  // [members] in another process
  bool across_ = false;          // some members are
  std::vector<void*> mapped_;
  int exceptions_;  // in flight at construction
};

}  // namespace bfslab::distributed
