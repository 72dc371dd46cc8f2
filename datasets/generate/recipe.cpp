// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/recipe.hpp"

#include <charconv>
#include <stdexcept>

namespace bfslab {

namespace {

template <typename Number>
Number number(const std::string& text) {
  Number value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

const std::string& Recipe::value(std::string_view parameter) const {
  for (const auto& [name, value] : values) {
    if (name == parameter) return value;
  }
  throw std::out_of_range("graph kind " + kind + " has no parameter " + std::string(parameter));
}

std::uint64_t Recipe::integer(std::string_view parameter) const {
  return number<std::uint64_t>(value(parameter));
}

double Recipe::real(std::string_view parameter) const { return number<double>(value(parameter)); }

}  // namespace bfslab
