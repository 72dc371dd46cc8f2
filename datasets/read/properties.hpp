// SPDX-License-Identifier: Apache-2.0
// Java's .properties files (java.util.Properties.load): KEY=VALUE, KEY:VALUE or KEY VALUE, comments
// behind # and !, lines that end with \ and go on, and escapes such as \: and \u0041.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

struct Property {
  std::string key;
  std::string value;       // without blanks at its end
  std::uint64_t line = 0;  // where it begins, from 1
};

// All of `text`, in its order. A wrong \u escape stays as it is.
std::vector<Property> parse_properties(std::string_view text);

}  // namespace bfslab
