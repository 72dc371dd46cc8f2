// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/first_line.hpp"

#include <fstream>

namespace bfslab {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace bfslab
