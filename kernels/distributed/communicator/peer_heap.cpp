// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/device/memory.hpp"
#include "kernels/distributed/communicator/peer_memory.hpp"
#include "kernels/distributed/communicator/team_heap.hpp"

namespace bfslab::distributed {

namespace {

class PeerHeap final : public TeamHeap {
 public:
  PeerHeap(Communicator& all, const MemberGpu& gpu)
      : memory_(all, gpu, "launch=persistent needs", true) {}

  void* allocate(std::size_t bytes) override { return given_.emplace_back(bytes).data(); }
  std::vector<void*> of_all(void* mine) override { return memory_.of_all(mine); }
  [[nodiscard]] std::uint64_t bytes() const override {
    std::uint64_t sum = 0;
    for (const auto& each : given_) sum += each.bytes();
    return sum;
  }

 private:
  std::vector<cuda::DeviceBuffer<std::byte>> given_;
  PeerMemory memory_;  // goes first
};

}  // namespace

std::unique_ptr<TeamHeap> make_peer_heap(Communicator& all, const MemberGpu& gpu) {
  return std::make_unique<PeerHeap>(all, gpu);
}

}  // namespace bfslab::distributed
