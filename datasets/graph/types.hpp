// SPDX-License-Identifier: Apache-2.0
// The vocabulary of the lowest layer: ids, levels, and the one exception for bad input.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace bfslab {

using vertex_t = std::uint32_t;  // XBFS, section 2.3
using edge_t = std::uint64_t;
using level_t = std::uint32_t;  // hops from the source

inline constexpr vertex_t kNoVertex = ~vertex_t{0};
inline constexpr level_t kUnreached = ~level_t{0};

// Something that the user provided cannot be used. The message says what, where and how to correct
// it; the program prints it once and exits with code 2. Everything else that is thrown is our own
// fault.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace bfslab
