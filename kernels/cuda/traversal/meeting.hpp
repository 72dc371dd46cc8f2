// SPDX-License-Identifier: Apache-2.0
// The state by which kernels that search together, one for each member, meet (meeting.cuh).
#pragma once

#include <cstdint>

namespace bfslab::cuda {

struct MeetingView {
  unsigned me = 0;
  unsigned members = 1;
  // In each member's memory: [members] the last meeting that each other member has reached.
  std::uint64_t* const* arrived = nullptr;
  // The block that synchronises with other members writes here for the member's other blocks: the
  // number of the last complete meeting, or that a member gave up.
  std::uint64_t* word = nullptr;
  std::uint64_t limit_ns = 0;  // maximum wait in a meeting
};

}  // namespace bfslab::cuda
