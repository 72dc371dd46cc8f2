// SPDX-License-Identifier: Apache-2.0
// The answer of a search of `delegate-cuda` on one GPU: levels and parents by id (write_answer.cu),
// and parents that another member knows (parent_requests.cu). For these the member that lacks one
// sends requests to those that may know it, and they reply in the same order. Where one kernel runs
// all levels there are no requests for delegates: their owners read the parents where they were
// found.
//
// Memory after the levels: 12 bytes for each request of this member, and 4 for each that it replies
// to.
#pragma once

#include "kernels/distributed/engines/delegate/gpu_memory.cuh"
#include "kernels/distributed/engines/delegate/one_kernel.cuh"

namespace bfslab::distributed::delegate {

// Queues the writing of levels and parents, as far as this member has them. `source` is the
// source's local id where it is a normal vertex of this member, or LocalWork::kNone.
void write_answer(const GpuMemory& memory, local_vertex_t source);
// Queues the reading of parents that other members have found for own delegates. `parents` is
// [members], of delegates in the memory of each; `done` belongs to the kernel that ran the levels.
void read_parents_of_delegates(const GpuMemory& memory, vertex_t* const* parents,
                               const OneKernelArgs::Done* done);

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
  void select(std::uint32_t delegates);
  // Returns the requests of this member, for each member a list.
  std::vector<std::span<const Request>> make(std::uint32_t delegates);
  // Returns the replies to what others have requested, for each member a list.
  std::vector<Bytes> reply(const std::vector<Bytes>& received);

  GpuMemory& memory_;
  // Delegates and places that lack a parent; requests by member.
  DeviceBuffer<unsigned long long> counts_{2 + std::size_t{memory_.members}};
  cuda::PinnedBuffer<unsigned long long> seen_{memory_.members};
  cuda::GrowingBuffer requests_, replies_;
};

}  // namespace bfslab::distributed::delegate
