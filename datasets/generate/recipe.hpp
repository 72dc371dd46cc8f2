// SPDX-License-Identifier: Apache-2.0
// Kinds of graphs and their parameters as data. A recipe is a parsed graph name, and all that a
// generator is given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bfslab {

// One parameter of a generator or of the build, as data: parser, schema and `list graphs` read it.
struct GraphParameter {
  enum class Kind { integer, real, choice };
  std::string name;
  Kind kind = Kind::integer;
  std::vector<std::string> choices;  // for choice
  double minimum = 0;
  double maximum = 0;
  std::string default_value;  // empty: required
  std::string doc;
  // Whether a canonical name leaves it out at its default: graphs of before it keep their names.
  bool silent = false;
};

struct GraphKind {
  std::string name;  // "kronecker", "snap", "file", ...
  std::string doc;
  bool takes_path = false;  // the first item is a name or a path, not key=value
  std::vector<GraphParameter> parameters;
  std::string form = "...";  // how what follows the colon is spelled: "NAME", "PATH"
};

struct Recipe {
  std::string kind;
  std::string path;                                         // for kinds that take one
  std::vector<std::pair<std::string, std::string>> values;  // every parameter, defaults filled in
  std::vector<Recipe> parts;                                // of a union, in order
  std::uint64_t copies = 1;                                 // of this graph, where it is a part

  // Throws std::out_of_range for what is no parameter of its kind.
  [[nodiscard]] const std::string& value(std::string_view parameter) const;
  // Return the value of a parameter of that kind, which the parser of names has checked.
  [[nodiscard]] std::uint64_t integer(std::string_view parameter) const;
  [[nodiscard]] double real(std::string_view parameter) const;
};

}  // namespace bfslab
