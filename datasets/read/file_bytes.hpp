// The bytes of a file: mapped when plain, inflated when it starts as gzip does.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace bfslab {

struct FileBytes {
  std::string_view text;
  std::shared_ptr<const void> owner;  // keeps `text` alive
  bool compressed = false;
};

// Throws InputError naming the file when it cannot be read, and, for gzip, when the stream is cut
// short, damaged, or followed by something that is no gzip stream.
FileBytes read_file_bytes(const std::string& path);

}  // namespace bfslab
