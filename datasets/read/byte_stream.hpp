// SPDX-License-Identifier: Apache-2.0
// The plain bytes of a graph file, from beginning to end, whatever its packing: none, gzip, bzip2,
// zstd, or a tar archive of any of these. Packed files are unpacked as they are read and are never
// held as a whole.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  // Fills `out` as far as possible; less than its size only at the end, 0 after it. Throws
  // InputError naming the file and where in it when the packing is truncated or damaged.
  virtual std::size_t read(std::span<char> out) = 0;
  // How the file was unpacked, for the provenance: "gzip", "bzip2, tar member out.x"; empty: plain.
  [[nodiscard]] virtual std::string packing() const { return {}; }
};

// Opens by content, not by ending. `members` are glob patterns that say which file of a tar archive
// is meant ("out.*"; matched against the last part of the member's path); exactly one regular file
// may match, and an archive that holds a single regular file needs no match. Throws InputError.
std::unique_ptr<ByteStream> open_bytes(const std::string& path,
                                       const std::vector<std::string>& members = {});

}  // namespace bfslab
