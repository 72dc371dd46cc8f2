// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/communicator/device_team.hpp"

#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

constexpr std::uint64_t kLimitNs = 20'000'000'000;

// Throws Unsupported on all members alike.
Communicator& with_gpus_of_their_own(Communicator& all, const MemberGpu& gpu) {
  if (all.size() > kMaxTeamMembers) throw Unsupported("kernels that meet: at most 64 members");
  if (all.maximum(gpu.shared() ? 1 : 0) > 0) {
    throw Unsupported(
        "kernels of members that share a GPU may not run at the same time, so they cannot meet: "
        "choose launch=host, or give each member a GPU of its own");
  }
  return all;
}

}  // namespace

DeviceTeam::DeviceTeam(Communicator& all, const MemberGpu& gpu, TeamMemory memory)
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

DeviceTeamView DeviceTeam::view() const {
  return {all_.index(), all_.size(), arrived_of_.data(), word_.data(), kLimitNs, links_of_.data()};
}

}  // namespace bfslab::distributed
