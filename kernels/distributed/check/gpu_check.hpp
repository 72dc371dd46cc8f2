// SPDX-License-Identifier: Apache-2.0
// AnswerChecker (check.hpp) on the members' GPUs: the same verdicts in the same words, and the same
// counts. Every GPU gathers the answer, 4 bytes per vertex of the whole graph for each of levels
// and parents, and judges the tuples of its own share, which it makes itself where it can. Its
// tuples prove facts of vertices, a bit each, which are OR-reduced. Nothing of the graph travels.
//
// Cost: one pass over the tuples with four random accesses each to the gathered answer and two to
// the bits; the answer and the bits once over the links. Parents alone are given the levels of
// their tree by each GPU for itself, by pointer jumping over 8 bytes a vertex, in as many rounds as
// the depth has bits. Input edges are counted once for each set of reached vertices, which all
// sources of a component of an undirected graph share: where nothing is to be judged, a set that
// was met before costs one pass over the own levels. Memory is held during a check only: at scale
// 29, levels and parents, 4.4 GB.
#pragma once

#include <compare>
#include <map>

#include "kernels/distributed/check/check.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"

namespace bfslab::distributed {

// A set of vertices of all members, which the sum of their hashes distinguishes from other sets.
struct ReachedSet {
  Word vertices = 0;
  Word hashes = 0;
  auto operator<=>(const ReachedSet&) const = default;
};

class GpuAnswerChecker final : public Checker {
 public:
  // All outlive the checks. `data`: over all members, by device pointers; a member alone does not
  // call it.
  GpuAnswerChecker(const EdgeShare& share, const Ownership& ownership, const MemberGpu& gpu,
                   Communicator& data)
      : share_(share), ownership_(ownership), gpu_(gpu), data_(data) {}

  // `part` is in host memory or in that of the member's GPU, complete when it is called. Throws
  // OutOfDeviceMemory.
  CheckResult check(Member& member, global_vertex_t source, const AnswerPart& part,
                    bool rules) override;

 private:
  const EdgeShare& share_;
  Ownership ownership_;
  const MemberGpu& gpu_;
  Communicator& data_;
  std::map<ReachedSet, Word> input_edges_;  // of the sets that were met, on all members alike
};

}  // namespace bfslab::distributed
