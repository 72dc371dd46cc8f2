// SPDX-License-Identifier: Apache-2.0
// The words of a mask that a warp of `delegate-cuda` looks through in a turn. Plain arithmetic,
// which a device can do, too.
#pragma once

#include <cstddef>

#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed::delegate {

// The 32 words of a warp's turn: four stretches of a line's quarter, far from each other, since
// neighbouring words hold hubs where delegates are numbered by degree. Of all words, or of those
// lines alone that `member` of `members` owns (DelegateStripes).
struct LookWords {
  static constexpr unsigned kWords = 32;  // of a turn
  static constexpr unsigned kStretch = 8;
  static constexpr unsigned kLine = DelegateStripes::kWords;
  static_assert(kLine % kStretch == 0 && kLine % kWords == 0);

  std::size_t members, member;
  std::size_t apart;  // of the member's words, from a stretch to the next
  std::size_t turns;

  constexpr explicit LookWords(std::size_t words, std::size_t members_ = 1, std::size_t member_ = 0)
      : members(members_), member(member_) {
    const std::size_t lines = (words + kLine - 1) / kLine;
    const std::size_t own = (lines + members - 1 - member) / members * kLine;
    apart = own / kWords * kStretch;
    turns = apart / kStretch;
  }
  // The i-th of the turn's; may be past the last.
  [[nodiscard]] constexpr std::size_t word(std::size_t turn, unsigned i) const {
    const std::size_t own = i / kStretch * apart + turn * kStretch + i % kStretch;
    return (own / kLine * members + member) * kLine + own % kLine;
  }
};

}  // namespace bfslab::distributed::delegate
