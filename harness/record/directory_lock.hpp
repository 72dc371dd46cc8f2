// SPDX-License-Identifier: Apache-2.0
// DirectoryLock: one process at a time writes to a results directory. The kernel releases it when
// the process dies, so no stale lock ever remains.
#pragma once

#include <string>

namespace bfslab {

class DirectoryLock {
 public:
  // Locks <directory>/.lock. Throws InputError naming the process and host that hold it.
  explicit DirectoryLock(const std::string& directory);
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

  // Throws StorageError where <directory>/.lock is no longer the file that this process has locked:
  // another run may write there by now.
  void require_held() const;

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace bfslab
