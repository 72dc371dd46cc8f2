// SPDX-License-Identifier: Apache-2.0
// A communicator for kernels: the GPUs of one or several processes synchronise inside their kernels
// and read each other's memory (team_heap.hpp) while these run, so that a search over many levels
// never returns to the host.
//
// A meeting is a barrier: each GPU writes a number into the memory of all others and waits for
// theirs. It takes 3.3 us for two whole grids on two H200s; a collective of NCCL takes 15 us. A GPU
// that waits longer than a limit gives up and notifies the others, so that no GPU hangs when a
// member has failed.
//
// Idle links between GPUs power down. On an H200 each of some 18 links takes 0.1 ms to wake, when
// the first word passes over it. Before a meeting, kernels wake all links at once (wake_links())
// and overlap this with local work.
//
// Kernels that meet must run at the same time: each on its own GPU, cooperatively, and not under a
// profiler or sanitizer that serialises kernels. Members that share a GPU can use the memory, if
// their hosts meet (TeamMeetings).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/traversal/meeting.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/communicator/team_heap.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

inline constexpr unsigned kMaxTeamMembers = 64;

// Memory of this member's GPU that the kernels of all members read and write. The team owns and
// frees it.
template <typename T>
class TeamBuffer {
 public:
  TeamBuffer() = default;
  TeamBuffer(T* data, std::size_t size) : data_(data), size_(size) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

  // Sets every byte, in the order of the stream.
  void fill_bytes(int byte, cudaStream_t stream) const {
    if (size_ > 0) BFSLAB_CUDA(cudaMemsetAsync(data_, byte, bytes(), stream));
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// A TeamBuffer with the addresses of all members' buffers (DeviceTeam::of_all).
template <typename T>
struct TeamArray {
  TeamBuffer<T> own;
  cuda::DeviceBuffer<T*> of_all;
};

enum class TeamMeetings {
  of_kernels,  // the members' kernels meet: each member has a GPU of its own
  of_hosts     // their hosts do, after kernels: members may share GPUs, and the view counts nothing
};

// Returns whether any two members have the same GPU. Collective.
inline bool share_gpus(Communicator& all, const MemberGpu& gpu) {
  return all.maximum(gpu.shared() ? 1 : 0) > 0;
}

// Throws Unsupported on all members alike.
inline Communicator& require_distinct_gpus(Communicator& all, const MemberGpu& gpu) {
  if (all.size() > kMaxTeamMembers) {
    throw Unsupported(
        "launch=persistent and launch=nvshmem have at most 64 members (ranks x gpus_per_rank): "
        "choose launch=host with transport=nccl or host, which have no such limit");
  }
  if (share_gpus(all, gpu)) {
    throw Unsupported(
        "kernels of members that share a GPU may not run at the same time, so they cannot meet: "
        "choose launch=host, or give each member a GPU of its own");
  }
  return all;
}

class DeviceTeam {
 public:
  static constexpr std::uint64_t kLimitNs = 20'000'000'000;  // maximum wait in a meeting

  // Collective, as is the destructor. `all` and `gpu` outlive the team. Throws Unsupported, on all
  // members alike, if kernels cannot meet, as where two members have the same GPU, or if the GPUs
  // have no such memory.
  DeviceTeam(Communicator& all, const MemberGpu& gpu, TeamMemory memory,
             TeamMeetings meetings = TeamMeetings::of_kernels)
      : all_(meetings == TeamMeetings::of_kernels ? require_distinct_gpus(all, gpu) : all),
        gpu_(gpu),
        heap_(memory == TeamMemory::symmetric ? make_symmetric_heap(all, gpu)
                                              : make_peer_heap(all, gpu)),
        arrived_(allocate<std::uint64_t>(all.size())),
        word_(1),
        links_(allocate<std::byte>(all.size() > 1 ? cuda::kLinkBytes : 0)) {
    arrived_.fill_bytes(0, gpu.stream().get());
    word_.fill_bytes(0, gpu.stream().get());
    arrived_of_ = of_all(arrived_);
    links_.fill_bytes(0, gpu.stream().get());
    links_of_ = of_all(links_);
    gpu.stream().wait();
    all.barrier();  // no member arrives before all counters are zero
  }

  [[nodiscard]] cuda::MeetingView view() const {
    return {all_.index(), all_.size(), arrived_of_.data(),
            word_.data(), kLimitNs,    links_of_.data()};
  }
  // Allocates `size` uninitialised values; members may ask for different sizes. Collective. Throws
  // OutOfDeviceMemory.
  template <typename T>
  [[nodiscard]] TeamBuffer<T> allocate(std::size_t size) {
    return {static_cast<T*>(heap_->allocate(size * sizeof(T))), size};
  }
  // Returns each member's buffer as this GPU addresses it. Collective.
  template <typename T>
  [[nodiscard]] std::vector<T*> addresses_of(const TeamBuffer<T>& own) {
    std::vector<T*> pointers;
    for (void* each : heap_->of_all(own.data())) pointers.push_back(static_cast<T*>(each));
    return pointers;
  }
  // The same for memory that the team has not allocated and that outlives it. TeamMemory::peer
  // only.
  template <typename T>
  [[nodiscard]] std::vector<T*> addresses_of(const cuda::DeviceBuffer<T>& own) {
    return addresses_of(TeamBuffer<T>(own.data(), own.size()));
  }
  // The same, in this GPU's memory. Collective.
  template <typename T>
  [[nodiscard]] cuda::DeviceBuffer<T*> of_all(const TeamBuffer<T>& own) {
    const std::vector<std::uint64_t> nowhere(all_.size(), 0);
    return of_all(own, nowhere);
  }
  // The same, with offsets[i] bytes added to the address of member i's buffer.
  template <typename T>
  [[nodiscard]] cuda::DeviceBuffer<T*> of_all(const TeamBuffer<T>& own,
                                              std::span<const std::uint64_t> offsets) {
    std::vector<T*> pointers = addresses_of(own);
    for (std::size_t i = 0; i < pointers.size(); ++i) pointers[i] += offsets[i] / sizeof(T);
    return cuda::uploaded(std::span<T* const>(pointers), gpu_.stream());
  }
  // Allocates a buffer on each member and returns all addresses. Collective.
  template <typename T>
  [[nodiscard]] TeamArray<T> share(std::size_t size) {
    const TeamBuffer<T> own = allocate<T>(size);
    return {own, of_all(own)};
  }
  // Returns the bytes in use on this member's GPU, including those of allocate().
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
  TeamBuffer<std::byte> links_;  // [cuda::kLinkBytes], or empty for a single member
  cuda::DeviceBuffer<std::byte*> links_of_;
};

}  // namespace bfslab::distributed
