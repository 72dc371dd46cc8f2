// SPDX-License-Identifier: Apache-2.0
#include "datasets/write/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace bfslab {

std::string gzip(std::string_view text) {
  constexpr std::size_t kPiece = std::size_t{1} << 30;  // zlib counts in 32 bits
  z_stream stream{};
  // 15: the largest window; 16: a gzip header; 9: the largest memory.
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> owner(&stream, deflateEnd);
  std::string packed;
  std::array<char, 1 << 16> block{};
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    const std::string_view piece = text.substr(0, kPiece);
    // zlib's interface is not const-correct; it does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));  // NOLINT
    stream.avail_in = static_cast<uInt>(piece.size());
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    result = deflate(&stream, piece.size() == text.size() ? Z_FINISH : Z_NO_FLUSH);
    text.remove_prefix(piece.size() - stream.avail_in);
    packed.append(block.data(), block.size() - stream.avail_out);
  }
  return packed;
}

}  // namespace bfslab
