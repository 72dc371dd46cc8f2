// SPDX-License-Identifier: Apache-2.0
// A build without libarchive.
#include <fmt/format.h>

#include "datasets/graph/types.hpp"
#include "datasets/read/packings.hpp"

namespace bfslab {

namespace {

[[noreturn]] void refuse(const std::string& path, const char* what, const char* tool) {
  throw InputError(
      fmt::format("{}: {}, and this build of bfslab has no libarchive. Install libarchive-dev and "
                  "build again, or unpack the file with `{}`",
                  path, what, tool));
}

}  // namespace

std::unique_ptr<ByteStream> open_bzip2(const std::string& path) {
  refuse(path, "packed by bzip2", "bzip2 -d");
}

std::unique_ptr<ByteStream> open_tar(const std::function<std::unique_ptr<ByteStream>()>& /*open*/,
                                     const std::string& path,
                                     const std::vector<std::string>& /*members*/) {
  refuse(path, "a tar archive", "tar -xf");
}

}  // namespace bfslab
