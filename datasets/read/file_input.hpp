// SPDX-License-Identifier: Apache-2.0
// The bytes of a file as they are on disk, in pieces that are dropped once consumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

// An open regular file. Every member throws InputError naming the file if it cannot be read.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[noreturn]] void refuse() const;  // by errno

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// From beginning to end through a window of 256 KiB, so that a packed file needs no memory of its
// size.
class FileInput {
 public:
  explicit FileInput(const std::string& path);

  // Returns the bytes that were read and are not consumed yet, and reads more if there are none.
  // Empty at the end.
  std::string_view ahead();
  void consume(std::size_t bytes) { begin_ += bytes; }
  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] std::uint64_t size() const { return file_.size(); }
  // Bytes consumed so far.
  [[nodiscard]] std::uint64_t offset() const { return read_ - (end_ - begin_); }

 private:
  OpenFile file_;
  std::vector<char> window_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace bfslab
