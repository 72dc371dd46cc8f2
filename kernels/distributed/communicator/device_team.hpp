// SPDX-License-Identifier: Apache-2.0
// A communicator that kernels use by themselves: the GPUs of one machine, of one process or of
// several, meet inside their kernels, and read each other's memory (peer_memory.hpp) while these
// run, so that a search over many levels never returns to the host.
//
// A meeting is a number that each GPU writes into the memory of all others, and waits for from
// them: 3.3 us for two whole grids on two H200s, where a collective of NCCL takes 15 us. Whoever
// waits longer than a limit gives up and tells the others, so that no GPU is left hanging when a
// member has failed.
//
// Kernels that meet must run at the same time: each on a GPU of its own, cooperatively, and not
// under a profiler or a sanitizer that runs kernels one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/communicator/peer_memory.hpp"

namespace bfslab::distributed {

inline constexpr unsigned kMostTeamMembers = 64;

// What kernels are given of a team (device_team.cuh).
struct DeviceTeamView {
  unsigned me = 0;
  unsigned members = 1;
  // Of each member, in its memory: [members] the last meeting that each other has come to.
  std::uint64_t* const* arrived = nullptr;
  std::uint32_t* gave_up = nullptr;  // this member's; not 0: it has
  std::uint64_t limit_ns = 0;        // of waiting in a meeting
};

class DeviceTeam {
 public:
  // Collective; members leave together, too, before they free what they showed in of_all(). `all`
  // outlives the team, as does `gpu`. Throws Unsupported, on all members alike, where two have the
  // same GPU, or GPUs cannot read each other's memory.
  DeviceTeam(Communicator& all, const MemberGpu& gpu);

  [[nodiscard]] DeviceTeamView view() const;
  // The beginnings of a DeviceBuffer of each member, by number, as this GPU sees them, in its
  // memory. Collective.
  template <typename T>
  [[nodiscard]] cuda::DeviceBuffer<T*> of_all(T* mine) {
    return on_gpu(memory_.of_all(mine));
  }
  // The same, each so many bytes further on: offsets[i] is of member i's.
  template <typename T>
  [[nodiscard]] cuda::DeviceBuffer<T*> of_all(T* mine, std::span<const std::uint64_t> offsets) {
    std::vector<T*> pointers = memory_.of_all(mine);
    for (std::size_t i = 0; i < pointers.size(); ++i) pointers[i] += offsets[i] / sizeof(T);
    return on_gpu(pointers);
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return arrived_.bytes() + arrived_of_.bytes() + gave_up_.bytes();
  }

 private:
  template <typename T>
  [[nodiscard]] cuda::DeviceBuffer<T*> on_gpu(const std::vector<T*>& pointers) const {
    cuda::DeviceBuffer<T*> made(pointers.size());
    cuda::upload(made.data(), pointers.data(), made.bytes(), gpu_.stream());
    return made;
  }

  Communicator& all_;
  const MemberGpu& gpu_;
  cuda::DeviceBuffer<std::uint64_t> arrived_;      // [members]
  cuda::DeviceBuffer<std::uint64_t*> arrived_of_;  // [members]
  cuda::DeviceBuffer<std::uint32_t> gave_up_;
  PeerMemory memory_;  // goes first
};

}  // namespace bfslab::distributed
