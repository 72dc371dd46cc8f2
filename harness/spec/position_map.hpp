// SPDX-License-Identifier: Apache-2.0
// PositionMap: the places of keys and values in a JSON text, and the errors of the text.
//
// nlohmann keeps no positions, so this is a separate pass. It accepts exactly RFC 8259 (as UTF-8
// without a byte order mark, nested at most kMaxDepth deep, with at most kMaxKeys keys in an
// object), and reports in plain words where a text violates it. If the intent is clear (a comment,
// a trailing comma, a missing one), it continues, so that one pass reports several mistakes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

// Counted from 1; a column is one UTF-8 code point.
struct Place {
  unsigned line = 1;
  unsigned column = 1;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct TextPosition {
  Place key;    // the opening quote; array elements and the root have that of the value
  Place value;  // the first character of the value
};

struct TextError {
  Place where;
  std::string path;  // json_path.hpp's form; empty at the root
  std::string found;
  std::string expected;
};

class PositionMap {
 public:
  static constexpr unsigned kMaxDepth = 64;
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMaxErrors = 20;
  static constexpr std::size_t kMaxKeys = 10000;  // in one object

  // Never throws for bad text: see errors().
  static PositionMap scan(std::string_view text);

  // Returns the syntax errors in order, including duplicate keys.
  [[nodiscard]] const std::vector<TextError>& errors() const { return errors_; }
  // Returns whether the text is JSON (duplicate keys are an error, yet JSON).
  [[nodiscard]] bool well_formed() const { return well_formed_; }
  // Returns the place of a path; nullptr if the text does not contain it. A duplicate key has the
  // last place, since nlohmann keeps the last value.
  [[nodiscard]] const TextPosition* find(std::string_view path) const;

 private:
  friend class PositionScanner;
  std::map<std::string, TextPosition, std::less<>> positions_;
  std::vector<TextError> errors_;
  bool well_formed_ = true;
};

}  // namespace bfslab
