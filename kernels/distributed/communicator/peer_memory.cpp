// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/communicator/peer_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <random>
#include <set>
#include <utility>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/distributed/communicator/team_heap.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

// Runs once per pair in a process: a repeated call is an error, which a sanitizer reports.
void enable_access(int from, int to) {
  static std::mutex guard;
  static std::set<std::pair<int, int>> enabled;
  const std::lock_guard hold(guard);
  if (enabled.contains({from, to})) return;
  const cudaError_t outcome = cudaDeviceEnablePeerAccess(to, 0);
  if (outcome == cudaErrorPeerAccessAlreadyEnabled) {  // by NCCL
    static_cast<void>(cudaGetLastError());
  } else {
    BFSLAB_CUDA(outcome);
  }
  enabled.emplace(from, to);
}

// Differs in every process, even if containers have equal process ids.
Word this_process() {
  static const Word drawn = [] {
    std::random_device random;
    return Word{random()} << 32 | random();
  }();
  return drawn;
}

struct Shown {
  void* address = nullptr;
  cudaIpcMemHandle_t handle{};
  bool can_map = true;  // by another process
};

}  // namespace

PeerMemory::PeerMemory(Communicator& all, const MemberGpu& gpu, std::string_view needs,
                       bool across_processes)
    : all_(all), exceptions_(std::uncaught_exceptions()) {
  struct Place {
    Word machine = 0;
    Word process = 0;
    Word device = 0;
  };
  const Place own{this_machine(), this_process(), static_cast<Word>(gpu.device())};
  std::vector<Place> places(all.size());
  all.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(places)));
  for (const Place& each : places) {
    elsewhere_.push_back(each.machine != own.machine || each.process != own.process);
    across_ = across_ || elsewhere_.back();
  }
  if (!across_processes && across_) {
    throw Unsupported(fmt::format(
        "{} all members in one process: run as one rank with several GPUs (gpus_per_rank), or "
        "choose transport=nccl or host",
        needs));
  }
  if (std::ranges::any_of(places, [&](const Place& each) { return each.machine != own.machine; })) {
    throw Unsupported(fmt::format("{} all members on one machine", needs));
  }
  Word reachable = 1;
  for (unsigned other = 0; other < places.size(); ++other) {
    const auto device = static_cast<int>(places[other].device);
    if (elsewhere_[other] || device == gpu.device()) continue;
    int can = 0;
    BFSLAB_CUDA(cudaDeviceCanAccessPeer(&can, gpu.device(), device));
    if (can == 0) {
      reachable = 0;
      continue;
    }
    enable_access(gpu.device(), device);
  }
  if (all.minimum(reachable) == 0) {
    throw Unsupported(fmt::format(
        "{} GPUs that can read each other's memory, and these cannot: choose transport=nccl or "
        "host",
        needs));
  }
}

PeerMemory::~PeerMemory() {
  static_cast<void>(cudaDeviceSynchronize());  // waits for kernels that read mapped memory
  for (void* each : mapped_) static_cast<void>(cudaIpcCloseMemHandle(each));
  // After a failure of a member the others do not wait for it.
  if (std::uncaught_exceptions() > exceptions_) return;
  try {
    all_.barrier();
  } catch (const Aborted&) {
  }
}

std::vector<void*> PeerMemory::map(const void* own) {
  Shown shown;
  shown.address = const_cast<void*>(own);
  if (across_ && own != nullptr) {
    shown.can_map = cudaIpcGetMemHandle(&shown.handle, shown.address) == cudaSuccess;
    if (!shown.can_map) static_cast<void>(cudaGetLastError());
  }
  std::vector<Shown> all_shown(all_.size());
  all_.all_gather(std::as_bytes(std::span(&shown, 1)),
                  std::as_writable_bytes(std::span(all_shown)));
  std::vector<void*> addresses;
  constexpr Word kMapped = ~Word{0};
  Word outcome_here = kMapped;
  for (unsigned other = 0; other < all_shown.size(); ++other) {
    void* address = all_shown[other].address;
    if (elsewhere_[other] && address != nullptr) {
      const cudaError_t outcome = all_shown[other].can_map
                                      ? cudaIpcOpenMemHandle(&address, all_shown[other].handle,
                                                             cudaIpcMemLazyEnablePeerAccess)
                                      : cudaErrorNotSupported;
      if (outcome == cudaSuccess) {
        mapped_.push_back(address);
      } else {
        static_cast<void>(cudaGetLastError());
        outcome_here = std::min(outcome_here, static_cast<Word>(outcome));
      }
    }
    addresses.push_back(address);
  }
  if (const Word error = all_.minimum(outcome_here); error != kMapped) {
    throw Unsupported(fmt::format(
        "the memory of another process's GPU cannot be mapped here (CUDA's inter-process "
        "communication: {}): run as one rank with several GPUs (gpus_per_rank), or choose "
        "launch=host",
        cudaGetErrorString(static_cast<cudaError_t>(error))));
  }
  return addresses;
}

namespace {

class PeerHeap final : public TeamHeap {
 public:
  PeerHeap(Communicator& all, const MemberGpu& gpu)
      : memory_(all, gpu, "launch=persistent needs", true) {}

  void* allocate(std::size_t bytes) override { return given_.emplace_back(bytes).data(); }
  std::vector<void*> of_all(void* own) override { return memory_.of_all(own); }
  [[nodiscard]] std::uint64_t bytes() const override {
    std::uint64_t sum = 0;
    for (const auto& each : given_) sum += each.bytes();
    return sum;
  }

 private:
  std::vector<cuda::DeviceBuffer<std::byte>> given_;
  PeerMemory memory_;  // destroyed first
};

}  // namespace

std::unique_ptr<TeamHeap> make_peer_heap(Communicator& all, const MemberGpu& gpu) {
  return std::make_unique<PeerHeap>(all, gpu);
}

}  // namespace bfslab::distributed
