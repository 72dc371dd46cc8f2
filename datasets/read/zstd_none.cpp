// SPDX-License-Identifier: Apache-2.0
// A build without libzstd.
#include <fmt/format.h>

#include "datasets/graph/types.hpp"
#include "datasets/read/packings.hpp"

namespace bfslab {

std::unique_ptr<ByteStream> open_zstd(const std::string& path) {
  throw InputError(
      fmt::format("{}: packed by zstd, and this build of bfslab has no libzstd. Install "
                  "libzstd-dev and build again, or unpack the file with `zstd -d`",
                  path));
}

}  // namespace bfslab
