// SPDX-License-Identifier: Apache-2.0
// The state by which kernels that search together, one for each member, meet (meeting.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

namespace bfslab::cuda {

// Words in each member's memory that wake the links to it (wake_links()). Addresses determine the
// link: kLinkReads words, kLinkStep bytes apart, use all links.
inline constexpr unsigned kLinkReads = 2048;
inline constexpr std::size_t kLinkStep = 512;
inline constexpr std::size_t kLinkBytes = kLinkReads * kLinkStep;  // per member of several

// The value of MeetingView::word, and of arrivals, of a member that gave up.
inline constexpr std::uint64_t kGaveUp = ~std::uint64_t{0};

struct MeetingView {
  unsigned me = 0;
  unsigned members = 1;
  // In each member's memory: [members] the last meeting that each other member has reached.
  std::uint64_t* const* arrived = nullptr;
  // The block that synchronises with other members writes here for the member's other blocks: the
  // number of the last complete meeting, or that a member gave up.
  std::uint64_t* word = nullptr;
  std::uint64_t limit_ns = 0;  // maximum wait in a meeting
  // In each member's memory: [kLinkBytes]; null: the members share a GPU.
  const std::byte* const* links = nullptr;
};

}  // namespace bfslab::cuda
