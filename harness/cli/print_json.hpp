// SPDX-License-Identifier: Apache-2.0
// Prints JSON on standard output.
#pragma once

#include <fmt/format.h>

#include <string>

namespace bfslab {

// Prints the value. JSON must be UTF-8, and names of files and texts of a machine need not be:
// other bytes become the replacement character.
template <typename Json>
std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

template <typename Json>
void print_json(const Json& json) {
  fmt::print("{}", json_text(json));
}

}  // namespace bfslab
