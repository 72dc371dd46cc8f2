// SPDX-License-Identifier: Apache-2.0
#include "harness/record/directory_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "datasets/graph/types.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/rows.hpp"
#include "harness/record/table_file.hpp"

namespace bfslab {

DirectoryLock::DirectoryLock(const std::string& directory) : path_(directory + "/.lock") {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat facts {};
  if ((fd_ < 0 && errno == ELOOP) ||
      (fd_ >= 0 && (::fstat(fd_, &facts) != 0 || !S_ISREG(facts.st_mode)))) {
    if (fd_ >= 0) ::close(fd_);
    throw InputError(fmt::format(
        "{}: is not a regular file; remove it, or name another folder with --results", path_));
  }
  if (fd_ < 0) {
    if (errno == ENOSPC)
      throw StorageError(fmt::format("cannot write {}: the disk is full", path_));
    throw InputError(fmt::format("cannot write to {}: {}; name another folder with --results",
                                 directory, std::strerror(errno)));
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    std::string holder = read_file(path_);
    while (!holder.empty() && holder.back() == '\n') holder.pop_back();
    ::close(fd_);
    if (error != EWOULDBLOCK) {
      throw InputError(fmt::format("cannot lock {}: {}", path_, std::strerror(error)));
    }
    throw InputError(
        fmt::format("{} is being written by another bfslab run ({}); wait for it, or name another "
                    "folder with --results",
                    directory, holder.empty() ? "just starting" : holder));
  }
  const std::string holder =
      fmt::format("process {} on host {} since {}\n", ::getpid(), host_name(), utc_now());
  // Only people read it: a full disk may leave it empty.
  if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, holder.data(), holder.size(), 0) < 0) return;
}

void DirectoryLock::require_held() const {
  struct stat own {};
  struct stat there {};
  if (::fstat(fd_, &own) == 0 && ::lstat(path_.c_str(), &there) == 0 &&
      own.st_dev == there.st_dev && own.st_ino == there.st_ino) {
    return;
  }
  throw StorageError(
      fmt::format("{} was removed or replaced while this run held it, so that another run may "
                  "write there",
                  path_));
}

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace bfslab
