// SPDX-License-Identifier: Apache-2.0
// Division by a number that is known only at run time but does not change: a multiplication and two
// shifts instead of the processor's division, exact for every 64-bit numerator (Granlund and
// Montgomery, PLDI 1994, Figure 4.1).
#pragma once

#include <bit>
#include <cstdint>

namespace bfslab::distributed {

class Divisor {
 public:
  constexpr Divisor() = default;
  // `divisor` >= 1.
  constexpr explicit Divisor(std::uint64_t divisor) : divisor_(divisor) {
    const auto bits = static_cast<unsigned>(std::bit_width(divisor - 1));  // of 2^bits >= divisor
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

}  // namespace bfslab::distributed
