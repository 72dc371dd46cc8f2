// SPDX-License-Identifier: Apache-2.0
// A folder for targets that need a real one: in memory if the machine has such a place.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

class ScratchFolder {
 public:
  ScratchFolder() {
    const char* const chosen = std::getenv("TMPDIR");
    std::error_code ignored;
    const std::string parent = chosen != nullptr                              ? chosen
                               : std::filesystem::exists("/dev/shm", ignored) ? "/dev/shm"
                                                                              : "/tmp";
    path_ = parent + "/bfslab-fuzz-XXXXXX";
    require(mkdtemp(path_.data()) != nullptr, "no folder can be made in " + parent);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace bfslab::fuzz
