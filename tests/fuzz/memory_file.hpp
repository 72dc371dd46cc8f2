// SPDX-License-Identifier: Apache-2.0
// A file in memory only, for readers that take paths.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    require(file_ >= 0, "no memfd_create here");
    path_ = "/proc/self/fd/" + std::to_string(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(file_); }

  // Each opening of the path starts at the beginning again.
  void assign(Input bytes) {
    require(ftruncate(file_, 0) == 0, "ftruncate of a memory file");
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t written =
          pwrite(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      require(written > 0, "writing to a memory file");
      done += static_cast<std::size_t>(written);
    }
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

}  // namespace bfslab::fuzz
