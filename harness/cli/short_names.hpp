// SPDX-License-Identifier: Apache-2.0
// Shortens canonical names of graphs for people.
#pragma once

#include <map>
#include <string>

namespace bfslab {

// Finds the shortest name with the same meaning as a canonical one: the catalogue's, or the name
// without parameters that have their default values.
class ShortNames {
 public:
  ShortNames();
  [[nodiscard]] std::string of(const std::string& canonical) const;

 private:
  std::map<std::string, std::string> names_;  // canonical -> the catalogue's
};

}  // namespace bfslab
