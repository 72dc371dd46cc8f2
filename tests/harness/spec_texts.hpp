// SPDX-License-Identifier: Apache-2.0
// Specs of the tests: from files, and from what is special about them.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/spec/spec.hpp"

namespace bfslab {

// A file's bytes; none if it cannot be read.
inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The spec of a graph and of the keys in `rest`, which are separated by commas.
inline Spec parse(const std::string& rest, const std::string& graph = "path:vertices=9") {
  return parse_spec(R"({"name": "s", "graphs": [")" + graph + R"("], )" + rest + "}", "F");
}

}  // namespace bfslab
