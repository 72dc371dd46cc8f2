// SPDX-License-Identifier: Apache-2.0
// Words that identify their sender, for tests of communicators.
#pragma once

#include <bit>
#include <vector>

#include "kernels/distributed/communicator/communicator.hpp"

namespace bfslab::distributed {

// A different value for every member and position.
inline Word value(unsigned member, std::size_t position) {
  return (Word{member} + 1) * 1'000'003U + position * 7919U;
}

inline std::vector<Word> values(unsigned member, std::size_t size) {
  std::vector<Word> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = value(member, i);
  return out;
}

// `combined[i]` of members first .. last - 1.
inline std::vector<Word> combined(Reduction reduction, unsigned first, unsigned last,
                                  std::size_t size) {
  std::vector<Word> out(size, identity(reduction));
  for (std::size_t i = 0; i < size; ++i) {
    for (unsigned m = first; m < last; ++m) out[i] = combine(reduction, out[i], value(m, i));
  }
  return out;
}

// How many times a reduction in two phases sends the words, over all members: from each member that
// does not lead a rank and back to it, and among the ranks in rounds of doubling; ranks beyond a
// power of two send theirs once more each way.
inline std::size_t masks_sent(unsigned ranks, unsigned gpus_per_rank) {
  const unsigned power = std::bit_floor(ranks);
  const auto rounds = static_cast<unsigned>(std::countr_zero(power));
  return std::size_t{2} * ranks * (gpus_per_rank - 1) + power * rounds +
         std::size_t{2} * (ranks - power);
}

inline constexpr Reduction kReductions[] = {Reduction::sum, Reduction::minimum, Reduction::maximum,
                                            Reduction::bit_or};

}  // namespace bfslab::distributed
