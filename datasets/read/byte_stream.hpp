// The plain bytes of a graph file, front to back, whatever it is packed in: nothing, gzip, bzip2,
// zstd, or a tar archive of any of these. Packed files are unpacked as they are read and are never
// held whole.
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

  // Fills as much of `out` as there is; less than its size only at the end, 0 after it. Throws
  // InputError naming the file and where in it when the packing is cut short or damaged.
  virtual std::size_t read(std::span<char> out) = 0;
  // How the file was unpacked, for the provenance: "gzip", "bzip2, tar member out.x"; empty: plain.
  [[nodiscard]] virtual std::string packing() const { return {}; }
};

// Opens by content, not by ending. `members` are globs that tell which file of a tar archive is
// meant ("out.*"; matched against the last part of the member's path); exactly one regular file may
// match, and an archive that holds a single regular file needs no match. Throws InputError.
std::unique_ptr<ByteStream> open_bytes(const std::string& path,
                                       const std::vector<std::string>& members = {});

}  // namespace bfslab
