// SPDX-License-Identifier: Apache-2.0
// Names that may become part of a path and of an address.
#pragma once

#include <string_view>

namespace bfslab {

// Letters, digits and - _ . + @, no '.' first and one character at least: nothing that could lead
// out of a folder, or that a shell or an address would take for something else.
constexpr bool is_plain_name(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+@";
  return !text.empty() && text.front() != '.' &&
         text.find_first_not_of(kPlain) == std::string_view::npos;
}

}  // namespace bfslab
