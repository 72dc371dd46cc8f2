// SPDX-License-Identifier: Apache-2.0
// A communicator that kernels use by themselves: the GPUs of one process or of several meet inside
// their kernels, and read each other's memory (team_heap.hpp) while these run, so that a search
// over many levels never returns to the host.
//
// A meeting is a number that each GPU writes into the memory of all others, and waits for from
// them: 3.3 us for two whole grids on two H200s, where a collective of NCCL takes 15 us. Whoever
// waits longer than a limit gives up and tells the others, so that no GPU is left hanging when a
// member has failed.
//
// Links between GPUs sleep when nothing has passed for a while, and one that sleeps takes 0.1 ms to
// wake on an H200: some 18 of them, each when the first word passes over it. Kernels that are about
// to meet wake all of them at once (wake_links()), while they do what they can do alone.
//
// Kernels that meet must run at the same time: each on a GPU of its own, cooperatively, and not
// under a profiler or a sanitizer that runs kernels one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/communicator/team_heap.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

inline constexpr unsigned kMaxTeamMembers = 64;

// What kernels are given of a team (device_team.cuh).
struct DeviceTeamView {
  unsigned me = 0;
  unsigned members = 1;
  // Of each member, in its memory: [members] the last meeting that each other has come to.
  std::uint64_t* const* arrived = nullptr;
  // What the block that meets others tells the rest of this member's grid: the last meeting that
  // was held, or that a member gave up.
  std::uint64_t* word = nullptr;
  std::uint64_t limit_ns = 0;  // of waiting in a meeting
  // Of each member, in its memory: kLinkReads words, kLinkStep bytes apart.
  const std::byte* const* links = nullptr;
};

// Memory of this member's GPU that the kernels of all members read and write. It is the team's,
// which gives it back.
template <typename T>
class TeamBuffer {
 public:
  TeamBuffer() = default;
  TeamBuffer(T* data, std::size_t size) : data_(data), size_(size) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

  // Every byte, in the stream's order.
  void fill_bytes(int byte, cudaStream_t stream) const {
    if (size_ > 0) BFSLAB_CUDA(cudaMemsetAsync(data_, byte, bytes(), stream));
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// The same, and where each member's is (DeviceTeam::of_all).
template <typename T>
struct TeamArray {
  TeamBuffer<T> own;
  cuda::DeviceBuffer<T*> of_all;
};

// Throws Unsupported on all members alike.
inline Communicator& with_gpus_of_their_own(Communicator& all, const MemberGpu& gpu) {
  if (all.size() > kMaxTeamMembers) {
    throw Unsupported(
        "launch=persistent and launch=nvshmem have at most 64 members (ranks x gpus_per_rank): "
        "choose launch=host with transport=nccl or host, which have no such limit");
  }
  if (all.maximum(gpu.shared() ? 1 : 0) > 0) {
    throw Unsupported(
        "kernels of members that share a GPU may not run at the same time, so they cannot meet: "
        "choose launch=host, or give each member a GPU of its own");
  }
  return all;
}

class DeviceTeam {
 public:
  static constexpr std::uint64_t kLimitNs = 20'000'000'000;  // of waiting in a meeting

  // Collective; members leave together, too. `all` outlives the team, as does `gpu`. Throws
  // Unsupported, on all members alike, where two have the same GPU, or GPUs have no such memory.
  DeviceTeam(Communicator& all, const MemberGpu& gpu, TeamMemory memory)
      : all_(with_gpus_of_their_own(all, gpu)),
        gpu_(gpu),
        heap_(memory == TeamMemory::symmetric ? make_symmetric_heap(all, gpu)
                                              : make_peer_heap(all, gpu)),
        arrived_(allocate<std::uint64_t>(all.size())),
        word_(1),
        links_(allocate<std::byte>(all.size() > 1 ? kLinkBytes : 0)) {
    arrived_.fill_bytes(0, gpu.stream().get());
    word_.fill_bytes(0, gpu.stream().get());
    arrived_of_ = of_all(arrived_);
    links_.fill_bytes(0, gpu.stream().get());
    links_of_ = of_all(links_);
    gpu.stream().wait();
    all.barrier();  // no member arrives before all counters are zero
  }

  [[nodiscard]] DeviceTeamView view() const {
    return {all_.index(), all_.size(), arrived_of_.data(),
            word_.data(), kLimitNs,    links_of_.data()};
  }
  // `size` values, as members may want them differently many; what they are is anything.
  // Collective. Throws OutOfDeviceMemory.
  template <typename T>
  [[nodiscard]] TeamBuffer<T> allocate(std::size_t size) {
    return {static_cast<T*>(heap_->allocate(size * sizeof(T))), size};
  }
  // Where each member's is, by number, as this GPU sees it: in its memory. Collective.
  template <typename T>
  [[nodiscard]] cuda::DeviceBuffer<T*> of_all(const TeamBuffer<T>& mine) {
    const std::vector<std::uint64_t> nowhere(all_.size(), 0);
    return of_all(mine, nowhere);
  }
  // The same, each so many bytes further on: offsets[i] is of member i's.
  template <typename T>
  [[nodiscard]] cuda::DeviceBuffer<T*> of_all(const TeamBuffer<T>& mine,
                                              std::span<const std::uint64_t> offsets) {
    std::vector<T*> pointers;
    for (void* each : heap_->of_all(mine.data())) {
      pointers.push_back(static_cast<T*>(each) + offsets[pointers.size()] / sizeof(T));
    }
    return cuda::uploaded(std::span<T* const>(pointers), gpu_.stream());
  }
  // Allocates this member's memory, which each member has. Collective.
  template <typename T>
  [[nodiscard]] TeamArray<T> share(std::size_t size) {
    const TeamBuffer<T> own = allocate<T>(size);
    return {own, of_all(own)};
  }
  // Of this member's GPU, what was allocated included.
  [[nodiscard]] std::uint64_t bytes() const {
    return heap_->bytes() + arrived_of_.bytes() + word_.bytes() + links_of_.bytes();
  }

 private:
  Communicator& all_;
  const MemberGpu& gpu_;
  std::unique_ptr<TeamHeap> heap_;
  TeamBuffer<std::uint64_t> arrived_;              // [members]
  cuda::DeviceBuffer<std::uint64_t*> arrived_of_;  // [members]
  cuda::DeviceBuffer<std::uint64_t> word_;
  TeamBuffer<std::byte> links_;  // [kLinkBytes], or none where a member is alone
  cuda::DeviceBuffer<std::byte*> links_of_;
};

}  // namespace bfslab::distributed
