// SPDX-License-Identifier: Apache-2.0
// Words in the memory of each member of a team (device_team.hpp) that wake the links to it. Words
// are spread over links by their addresses: so many, so far from each other, pass over all.
#pragma once

#include <cstddef>

namespace bfslab::distributed {

inline constexpr unsigned kLinkReads = 2048;
inline constexpr std::size_t kLinkStep = 512;
inline constexpr std::size_t kLinkBytes = kLinkReads * kLinkStep;  // of a member that has others

}  // namespace bfslab::distributed
