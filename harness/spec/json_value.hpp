// SPDX-License-Identifier: Apache-2.0
// What the spec's readers ask of a JSON value. Keys keep the order of the file: the order of cases
// is the order of a figure's columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bfslab {

using Json = nlohmann::ordered_json;

// For messages: "xbsf" in quotes, 3, true, null, an object, an array of 2.
std::string describe(const Json& value);
// 3 and 3.0 alike, as in JSON Schema; up to 2^53 in magnitude, where doubles are exact.
bool is_integer(const Json& value);
std::int64_t as_integer(const Json& value);
// 4096 rather than 4.096e3; shortest digits that read back as the same number.
std::string number_text(double value);
// "a", "b" or "c"
std::string alternatives(const std::vector<std::string>& quoted_or_not);
std::string quoted(const std::string& text);
// Index of the first element that an earlier one equals (3 and 3.0 do), and how many such elements
// there are; a count of 0: none. In time n log n.
struct Repetitions {
  std::size_t first = 0;
  std::size_t count = 0;
};
Repetitions find_repetitions(const Json& list);
// The member of an object, or nullptr.
const Json* member(const Json& object, const std::string& key);

}  // namespace bfslab
