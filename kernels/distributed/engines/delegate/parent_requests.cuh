// SPDX-License-Identifier: Apache-2.0
// Parents that another member knows: the member that lacks one sends requests to those that may
// know it, and they reply in the same order.
//
// Memory after the levels: 12 bytes for each request of this member, and 4 for each that it replies
// to. Where one kernel runs all levels there are no requests for delegates: their owners read the
// parents where they were found (write_answer.cuh).
#pragma once

#include "kernels/cuda/device/growing_buffer.hpp"
#include "kernels/distributed/engines/delegate/gpu_memory.cuh"

namespace bfslab::distributed::delegate {

// Asks another member if it found a vertex that has no parent.
struct Request {
  static constexpr level_t kOfDelegate = kUnreached;

  local_vertex_t neighbor;  // its local id on its owner, or the number of a delegate
  local_vertex_t vertex;    // its local id at the requesting member
  level_t level;            // of the vertex, or kOfDelegate
};

class ParentRequests {
 public:
  explicit ParentRequests(GpuMemory& memory) : memory_(memory) {}

  // Completes the answer: parents of delegates, if there are `delegates` to ask for, and of normal
  // vertices, unless they were sent with them. Collective. `data` moves what is in the GPU's
  // memory.
  void fetch(Communicator& data, std::uint32_t delegates);
  void add_to(MemoryUse& use) const {
    use.queues += requests_.bytes() + replies_.bytes();
    use.scratch += counts_.bytes();
  }

 private:
  // The requests of this member, for each member a stretch.
  struct Lists {
    std::array<std::uint64_t, kMaxMembers> first{}, sizes{};
    Request* requests = nullptr;
  };

  void select(std::uint32_t delegates);
  Lists make(std::uint32_t delegates);
  // Returns the replies to what others have requested, for each member a list.
  std::vector<Bytes> reply(const std::vector<Bytes>& received);

  GpuMemory& memory_;
  DeviceBuffer<unsigned long long> counts_{2 +
                                           kMaxMembers};  // delegates, places; requests by member
  cuda::PinnedBuffer<unsigned long long> seen_{kMaxMembers};
  cuda::GrowingBuffer requests_, replies_;
};

}  // namespace bfslab::distributed::delegate
