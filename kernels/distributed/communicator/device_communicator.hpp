// SPDX-License-Identifier: Apache-2.0
// Communicators with buffers in GPU memory. Engines are written once over Communicator; the
// transport is a run-time choice.
//
// The calls are those of Communicator, with pointers into the memory of the member's GPU, and work
// in the order of the member's stream. A call reads the output of kernels enqueued before it, and
// kernels enqueued after it see its result. The result need not be there when the call returns. The
// lists that all_to_all() returns lie in memory that this GPU can read (its own or another GPU's)
// and have the alignment of the senders' lists. Small values that the host needs for decisions
// (counts, the end of a search) use the members' host communicator, which costs a few microseconds.
//
//   host   uses pinned memory and the host communicator: two copies over the bus. It works
//          everywhere, even if several members share a GPU.
//   nccl   uses NCCL. Bit-wise OR, which NCCL lacks, is an all-gather and a local OR.
//   peer   loads directly from other GPUs' memory, for members of one process. Lists are read
//          in place, masks are reduced by stripes. Members may share a GPU.
//
// On request nccl and peer reduce a bit-wise OR in two phases instead (reduction_rounds.hpp). host
// always does, in the memory of the hosts (team.hpp).
#pragma once

#include <memory>
#include <optional>

#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/communicator/reduction_rounds.hpp"
#include "kernels/distributed/communicator/team.hpp"
#include "kernels/distributed/communicator/transport.hpp"

namespace bfslab::distributed {

// Returns a hash of the host name, equal in all processes of a machine.
Word this_machine();

// The GPU of a member. The constructor chooses it among the GPUs of the machine and makes it the
// current device of the member's thread.
//
// The members of a machine take its GPUs in turn, ordered by rank and then by number in the rank.
// If a launcher shows each rank its own GPUs, the rank uses those. Collective. Throws Unsupported
// on all members alike if two would share a GPU, unless BFSLAB_SHARE_GPUS=1 is in the environment.
class MemberGpu {
 public:
  explicit MemberGpu(Member& member);

  [[nodiscard]] int device() const { return device_; }
  // The stream that orders the work of the member.
  [[nodiscard]] const cuda::Stream& stream() const { return *stream_; }
  // Returns true if another member, in any process, has the same GPU.
  [[nodiscard]] bool shared() const { return shared_; }

 private:
  int device_ = 0;
  bool shared_ = false;
  std::unique_ptr<cuda::Stream> stream_;
};

// Returns a communicator over the members of `host`. `host` (unless it is `owned`) and `gpu`
// outlive it. Collective. If `two_phases` has the ranks of the members, their bit-wise ORs are
// reduced in two phases. split() returns the same transport without these phases. Throws
// Unsupported, on all members alike, for nccl without NCCL in the build or with a shared GPU, and
// for peer if members are in several processes or on GPUs that cannot read each other.
std::unique_ptr<Communicator> make_device_communicator(Transport transport, Communicator& host,
                                                       const MemberGpu& gpu,
                                                       std::optional<RankShape> two_phases = {},
                                                       std::unique_ptr<Communicator> owned = {});

}  // namespace bfslab::distributed
