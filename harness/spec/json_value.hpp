// SPDX-License-Identifier: Apache-2.0
// JSON values as the spec's readers use them. Keys keep the order of the file: the order of cases
// is the order of a figure's columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bfslab {

using Json = nlohmann::ordered_json;

// Describes a value for messages: "xbsf" in quotes, 3, true, null, an object, an array of 2.
std::string describe(const Json& value);
// Returns whether the value is an integer: 3 and 3.0 are, as in JSON Schema, up to 2^53 in
// magnitude, where doubles are exact.
bool is_integer(const Json& value);
std::int64_t as_integer(const Json& value);
// Returns the shortest digits that read back as the same number: 4096 rather than 4.096e3.
std::string number_text(double value);
// Returns "a", "b" or "c".
std::string alternatives(const std::vector<std::string>& quoted_or_not);
std::string quoted(const std::string& text);
// Returns the index of the first element that equals an earlier one (3 and 3.0 are equal), and the
// number of such elements, which may be 0. Takes time n log n.
struct Repetitions {
  std::size_t first = 0;
  std::size_t count = 0;
};
Repetitions find_repetitions(const Json& list);
// Returns the member of an object, or nullptr.
const Json* member(const Json& object, const std::string& key);

}  // namespace bfslab
