// SPDX-License-Identifier: Apache-2.0
// The beginning of a graph file's plain text: what a format is recognised by where the file's name
// does not tell.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

struct FileHead {
  std::string text;       // whole lines of a text; any bytes of a binary file
  bool complete = false;  // whether that is the whole file
};

// How a file could be read, for people: the end of "it could be ...". Empty: not in this format.
using Reading = std::string;

}  // namespace bfslab
