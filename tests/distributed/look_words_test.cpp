// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/delegate/look_words.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bfslab::distributed::delegate {
namespace {

// How often the turns of a member come to each of `words` words.
std::vector<unsigned> visits(const LookWords& of, std::size_t words) {
  std::vector<unsigned> times(words, 0);
  for (std::size_t turn = 0; turn < of.turns; ++turn) {
    for (unsigned i = 0; i < LookWords::kWords; ++i) {
      const std::size_t word = of.word(turn, i);
      if (word < words) ++times[word];
    }
  }
  return times;
}

TEST(LookWords, ComeToEveryWordOnce) {
  for (const std::size_t words : {0, 1, 4, 8, 31, 32, 33, 64, 100, 1024, 1028, 40000}) {
    EXPECT_EQ(visits(LookWords(words), words), std::vector<unsigned>(words, 1)) << words;
  }
}

TEST(LookWords, OfAMemberAreTheLinesThatItOwns) {
  for (const std::size_t members : {1, 2, 3, 4, 8}) {
    const DelegateStripes stripes{Divisor(members)};
    for (const std::size_t words : {0, 1, 4, 8, 31, 32, 33, 64, 100, 1024, 1028, 40000}) {
      for (std::size_t member = 0; member < members; ++member) {
        std::vector<unsigned> own(words);
        for (std::size_t word = 0; word < words; ++word) {
          own[word] = stripes.owner_of_word(word) == member ? 1 : 0;
        }
        EXPECT_EQ(visits(LookWords(words, members, member), words), own)
            << words << " words, member " << member << " of " << members;
      }
    }
  }
}

// The lanes that look at first entries read whole stretches in order.
TEST(LookWords, AStretchIsInOrder) {
  const LookWords of(40000, 3, 1);
  for (std::size_t turn = 0; turn < of.turns; ++turn) {
    for (unsigned i = 0; i < LookWords::kWords; ++i) {
      const unsigned first = i / LookWords::kStretch * LookWords::kStretch;
      EXPECT_EQ(of.word(turn, i), of.word(turn, first) + i - first);
    }
  }
}

}  // namespace
}  // namespace bfslab::distributed::delegate
