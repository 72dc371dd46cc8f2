// SPDX-License-Identifier: Apache-2.0
// Maps vertices to the members of a distributed engine that own them. An owner holds the answer of
// a vertex, and initially its edges. Every member computes every owner without communication and
// without a division.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/answer.hpp"
#include "kernels/distributed/partition/edge_distributor.hpp"

namespace bfslab::distributed {

// Division by a run-time constant: a multiplication and two shifts instead of a division
// instruction, exact for every 64-bit numerator (Granlund and Montgomery, PLDI 1994, Figure 4.1).
class Divisor {
 public:
  constexpr Divisor() = default;
  // REQUIRES: `divisor` >= 1.
  constexpr explicit Divisor(std::uint64_t divisor) : divisor_(divisor) {
    const auto bits = static_cast<unsigned>(std::bit_width(divisor - 1));  // 2^bits >= divisor
    const auto above = (static_cast<unsigned __int128>(1) << bits) - divisor;
    multiplier_ = static_cast<std::uint64_t>((above << 64) / divisor) + 1;
    first_shift_ = bits < 1 ? 0 : 1;
    second_shift_ = bits < 1 ? 0 : bits - 1;
  }

  [[nodiscard]] constexpr std::uint64_t value() const { return divisor_; }
  [[nodiscard]] constexpr std::uint64_t quotient(std::uint64_t n) const {
    const auto high =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(multiplier_) * n) >> 64);
    return (high + ((n - high) >> first_shift_)) >> second_shift_;
  }
  [[nodiscard]] constexpr std::uint64_t remainder(std::uint64_t n) const {
    return n - quotient(n) * divisor_;
  }

 private:
  std::uint64_t divisor_ = 1;
  std::uint64_t multiplier_ = 1;
  unsigned first_shift_ = 0;
  unsigned second_shift_ = 0;
};

struct Ownership {
  enum class By { round_robin, blocks };  // v % members, or v / block
  By by = By::round_robin;
  std::uint64_t vertices = 0;
  std::uint64_t members = 1;
  // blocks: the number of vertices per member, except the last. round_robin: `members`.
  Divisor divisor;

  static Ownership round_robin(std::uint64_t vertices, std::uint64_t members) {
    return {By::round_robin, vertices, members, Divisor(members)};
  }
  // REQUIRES: `block` * `members` >= `vertices` and `block` >= 1.
  static Ownership blocks(std::uint64_t vertices, std::uint64_t members, std::uint64_t block) {
    return {By::blocks, vertices, members, Divisor(block)};
  }

  [[nodiscard]] constexpr unsigned owner(global_vertex_t v) const {
    return static_cast<unsigned>(by == By::round_robin ? divisor.remainder(v)
                                                       : divisor.quotient(v));
  }
  // Returns the number of v among the vertices of its owner, in ascending order of ids.
  [[nodiscard]] constexpr std::uint64_t local(global_vertex_t v) const {
    return by == By::round_robin ? divisor.quotient(v) : divisor.remainder(v);
  }
  [[nodiscard]] constexpr global_vertex_t global(unsigned member, std::uint64_t local) const {
    return by == By::round_robin ? local * members + member : member * divisor.value() + local;
  }
  [[nodiscard]] std::uint64_t count(unsigned member) const { return ids(member).count; }
  [[nodiscard]] PartIds ids(unsigned member) const {
    if (by == By::round_robin) return PartIds::round_robin(member, members, vertices);
    const std::uint64_t block = divisor.value();
    const std::uint64_t first = member * block;
    if (first >= vertices) return PartIds::range(0, 0);
    return PartIds::range(first, vertices - first < block ? vertices - first : block);
  }
};

// The member that stores an edge of dd: the owner of the vertex with fewer neighbours, as in the
// paper (vertices), or the member that owns the number of that vertex (stripes, DelegateStripes).
enum class DdKeepers : std::uint8_t { vertices, stripes };

// Assigns delegates to members by number, round robin in stripes of 1024. The owner of a stripe
// owns a whole cache line of each mask, which other members read at once.
struct DelegateStripes {
  static constexpr unsigned kDelegates = 1024;
  static constexpr unsigned kWords = kDelegates / 32;
  Divisor members;

  [[nodiscard]] constexpr unsigned owner_of_word(std::uint64_t word) const {
    return static_cast<unsigned>(members.remainder(word / kWords));
  }
  [[nodiscard]] constexpr unsigned owner(local_vertex_t number) const {
    return owner_of_word(number / 32);
  }
};

}  // namespace bfslab::distributed
