// SPDX-License-Identifier: Apache-2.0
// Detects a file's format by its name, by the beginning of its first line, and by the shape of its
// lines.
#pragma once

#include <string>

#include "datasets/read/reader.hpp"

namespace bfslab {

struct Detected {
  const GraphFormat* format = nullptr;
  // Why it is read so although its name says something else, or nothing; empty: its name says so.
  std::string why;
};

// `claimed` is what the file's name or its distributor says; nullptr: nothing. A first line that
// only one format has decides. Else the claimed format is taken if the file can be in it, and else
// the only one that the file can be in. If there is none, the claimed one is: its reader says what
// is wrong, and where. `member` as in GraphFormat::read. Reads the beginning of the file. Throws
// InputError with the readings that the file could have, where these are two, or where nothing
// shows what it is.
Detected detect_format(const std::string& path, const std::string& member,
                       const GraphFormat* claimed);

}  // namespace bfslab
