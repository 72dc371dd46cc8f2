// SPDX-License-Identifier: Apache-2.0
// Validators of options: ranges of real numbers, and sizes. CLI::Range lets nan pass, since every
// comparison with it is false.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

namespace bfslab {

// Accepts numbers from `low` to `high`, both included.
inline CLI::Validator real_range(double low, double high) {
  const std::string name = fmt::format("FLOAT in [{} - {}]", low, high);
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, value);
        if (error == std::errc() && end == last && value >= low && value <= high) {
          return std::string();
        }
        return fmt::format("Value {} not in range [{} - {}]", text, low, high);
      },
      name);
}

// Refuses a size with a sign, since CLI::AsSizeValue takes -1 for the largest one. It is to be the
// last transform of its option: CLI11 runs that one first.
inline CLI::Validator without_sign() {
  return CLI::Validator(
      [](std::string& text) {
        const bool bad = text.starts_with('-') || text.starts_with('+');
        return bad ? fmt::format("Value {} is no size, such as 8GB", text) : std::string();
      },
      "");
}

}  // namespace bfslab
