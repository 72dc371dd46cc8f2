// Is a file a whole gzip file? Every member is inflated to its end and its CRC compared.
#pragma once

#include <string>

namespace bfslab {

struct GzipVerdict {
  enum class State { whole, cut, damaged };  // cut: fine as far as it goes, but it ends too early
  State state = State::whole;
  std::string reason;  // empty when whole
};

// Reads `path` once; holds no more than a few hundred KiB. Throws std::system_error when the file
// cannot be read.
GzipVerdict check_gzip(const std::string& path);

}  // namespace bfslab
