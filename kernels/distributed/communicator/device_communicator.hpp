// SPDX-License-Identifier: Apache-2.0
// Communicators whose buffers lie in the memory of GPUs: engines are written over Communicator
// once, and a transport is a choice.
//
// The calls are Communicator's, with pointers into the memory of the member's GPU, and work in the
// order of the member's stream: a call reads what kernels queued before it have written, and
// kernels queued after it see its result, which need not be there when the call returns. What
// all_to_all returns lies in the memory of this GPU, or of another that this one can read, and is
// aligned as the lists were that the members gave. Small things that the host decides by (counts,
// whether a search has ended) go through the members' host communicator instead, which costs a few
// microseconds.
//
//   host   through pinned memory and the host communicator: two copies over the bus. Works
//          everywhere, also where several members share a GPU.
//   nccl   NCCL's collectives. A bit-wise OR, which it lacks, is an all-gather and a local OR.
//   peer   plain loads from the other GPUs' memory, for members of one process: lists are read
//          where they are, masks are reduced by stripes. Members may share a GPU.
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

// By its host name: the same for all processes of a machine.
Word this_machine();

// A member's GPU, chosen among those of its machine and made the current one of its thread, where
// everything of the member stays: its memory, its kernels, its calls.
//
// The members of a machine take its GPUs in turn, by rank and then by number in the rank. Where a
// launcher shows each rank GPUs of its own, these are taken. Collective. Throws Unsupported on all
// members alike where members would share a GPU, unless the environment has BFSLAB_SHARE_GPUS=1.
class MemberGpu {
 public:
  explicit MemberGpu(Member& member);

  [[nodiscard]] int device() const { return device_; }
  // In whose order the member works.
  [[nodiscard]] const cuda::Stream& stream() const { return *stream_; }
  // Whether another member has the same GPU, here or in another process.
  [[nodiscard]] bool shared() const { return shared_; }

 private:
  int device_ = 0;
  bool shared_ = false;
  std::unique_ptr<cuda::Stream> stream_;
};

// Over the members of `host`, which lives as long unless it is `owned`, as does `gpu`. Collective.
// `two_phases`: the ranks of these members, whose bit-wise ORs are reduced in two phases. split()
// makes another of the same transport, without these phases. Throws Unsupported, on all members
// alike, for nccl without NCCL in the build or with a shared GPU, and for peer where members are in
// several processes or on GPUs that cannot read each other's memory.
std::unique_ptr<Communicator> make_device_communicator(Transport transport, Communicator& host,
                                                       const MemberGpu& gpu,
                                                       std::optional<RankShape> two_phases = {},
                                                       std::unique_ptr<Communicator> owned = {});

}  // namespace bfslab::distributed
