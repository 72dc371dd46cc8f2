// SPDX-License-Identifier: Apache-2.0
// Identifies a file by its contents, whatever its name and its modification time.
#pragma once

#include <string>

namespace bfslab {

// "5432 bytes, contents 0123456789abcdef0123456789abcdef" (the tree hash of its bytes, packed as
// they are). The file is read each time: where it is written through a mapping, a file system need
// not change any of its times. Throws InputError when the file cannot be read.
std::string content_stamp(const std::string& path, int threads);

}  // namespace bfslab
