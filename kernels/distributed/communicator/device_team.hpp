// SPDX-License-Identifier: Apache-2.0
// A communicator that kernels use by themselves: the GPUs of one process meet inside their kernels,
// and read each other's memory while these run, so that a search over many levels never returns to
// the host.
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
  // Collective. `all` are members of one process whose GPUs read each other's memory already, as
  // those of Transport::peer do; it outlives the team, as does `gpu`. Throws Unsupported, on all
  // members alike, where two have the same GPU.
  DeviceTeam(Communicator& all, const MemberGpu& gpu);

  [[nodiscard]] DeviceTeamView view() const;
  // Pointers of all members, by number, in this GPU's memory. Collective.
  template <typename T>
  [[nodiscard]] cuda::DeviceBuffer<T*> of_all(T* mine) const {
    std::vector<T*> pointers(all_.size());
    all_.all_gather(std::as_bytes(std::span(&mine, 1)),
                    std::as_writable_bytes(std::span(pointers)));
    cuda::DeviceBuffer<T*> made(pointers.size());
    cuda::upload(made.data(), pointers.data(), made.bytes(), gpu_.stream());
    return made;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return arrived_.bytes() + arrived_of_.bytes() + gave_up_.bytes();
  }

 private:
  Communicator& all_;
  const MemberGpu& gpu_;
  cuda::DeviceBuffer<std::uint64_t> arrived_;      // [members]
  cuda::DeviceBuffer<std::uint64_t*> arrived_of_;  // [members]
  cuda::DeviceBuffer<std::uint32_t> gave_up_;
};

}  // namespace bfslab::distributed
