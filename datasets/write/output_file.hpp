// SPDX-License-Identifier: Apache-2.0
// A file that is written completely or not at all.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <cstddef>
#include <span>
#include <string>

namespace bfslab {

// Plain or gzip, into a file beside the final one; removed unless committed. Everything throws
// InputError, which names the final path, if it cannot be written.
class OutputFile {
 public:
  OutputFile(std::string path, bool compressed);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Returns the buffer to append to, which flush() and commit() write.
  fmt::memory_buffer& text() { return text_; }
  // Writes the text if it has that many bytes.
  void flush(std::size_t at_least);
  // At once, after the text.
  void write(std::span<const std::byte> bytes);
  // Puts the file in its place.
  void commit();

 private:
  void put(std::span<const std::byte> bytes);

  std::string path_;
  std::string temporary_;
  gzFile file_ = nullptr;
  fmt::memory_buffer text_;
  bool committed_ = false;
};

}  // namespace bfslab
