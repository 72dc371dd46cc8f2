// SPDX-License-Identifier: Apache-2.0
#include "datasets/fetch/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Polls rather than blocks: a caller who takes its signals from a descriptor could not be
// interrupted otherwise.
void wait_for_lock(int descriptor, const std::string& path, const std::function<void()>& poll) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) fail(path);
    if (poll) poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// The process that had the lock before us may have renamed or removed the file meanwhile.
bool still_at(int descriptor, const std::string& path) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(descriptor, &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
         ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

}  // namespace

PartFile::PartFile(const std::string& target, const std::function<void()>& waiting,
                   const std::function<void()>& poll)
    : target_(target), path_(target + ".part") {
  const auto folder = std::filesystem::path(target).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(fmt::format(
        "the folder {} cannot be created: {}; name another data folder with --data DIR, "
        "or another cache with --cache DIR",
        folder.string(), error.message()));
  }
  bool reported = false;
  while (true) {
    // A link could lead anywhere, and a pipe without a reader would block.
    descriptor_ =
        ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    const int error = errno;
    struct stat facts {};
    const bool regular =
        descriptor_ >= 0 && ::fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode);
    if (!regular) {
      if (descriptor_ >= 0) ::close(descriptor_);
      throw InputError(
          fmt::format("{} cannot be written: {}; remove it, name another data folder with --data "
                      "DIR, or another cache with --cache DIR",
                      path_,
                      descriptor_ >= 0 ? "it is not a regular file"
                      : error == ELOOP ? "it is a symbolic link"
                                       : std::generic_category().message(error)));
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (!reported && waiting) waiting();
      reported = true;
      try {
        wait_for_lock(descriptor_, path_, poll);
      } catch (...) {
        ::close(descriptor_);
        throw;
      }
    }
    if (still_at(descriptor_, path_)) return;
    ::close(descriptor_);
  }
}

PartFile::~PartFile() {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) == 0 && facts.st_size == 0 && still_at(descriptor_, path_)) {
    discard();  // nothing to continue
  }
  ::close(descriptor_);
}

std::uint64_t PartFile::size() const {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) fail(path_);
  return static_cast<std::uint64_t>(facts.st_size);
}

PartOrigin PartFile::origin() const {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(origin_path(), ignored)) return {};
  std::ifstream file(origin_path());
  PartOrigin origin;
  std::getline(file, origin.address);
  std::getline(file, origin.etag);
  std::getline(file, origin.modified);
  return file ? origin : PartOrigin{};
}

void PartFile::cut(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 ||
      ::lseek(descriptor_, static_cast<off_t>(size), SEEK_SET) < 0) {
    fail(path_);
  }
}

void PartFile::append(const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(descriptor_, data, size);
    if (count < 0) {
      if (errno == EINTR) continue;
      fail(
          fmt::format("{} cannot be written any further; what has arrived is kept, and the same "
                      "command continues from there once that is corrected",
                      path_));
    }
    data += count;
    size -= static_cast<std::size_t>(count);
  }
}

// Only an aid for the next call: a torn one reads as no origin at all, so no rename is needed.
void PartFile::set_origin(const PartOrigin& origin) {
  const std::string path = origin_path();
  const std::string text =
      fmt::format("{}\n{}\n{}\n", origin.address, origin.etag, origin.modified);
  ::unlink(path.c_str());  // an earlier one, or whatever else: a link is not followed
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) fail(path);
  const ssize_t count = ::write(file, text.data(), text.size());
  const int error = count < 0 ? errno : ENOSPC;
  ::close(file);
  if (count == static_cast<ssize_t>(text.size())) return;
  errno = error;
  fail(path);
}

void PartFile::discard() {
  ::unlink(origin_path().c_str());
  ::unlink(path_.c_str());
}

void PartFile::rename_to(const std::string& new_path) {
  if (::fsync(descriptor_) != 0) fail(path_);
  if (::rename(path_.c_str(), new_path.c_str()) != 0) fail(path_);
  ::unlink(origin_path().c_str());
}

void PartFile::commit() { rename_to(target_); }

void PartFile::set_aside(const std::string& new_path) { rename_to(new_path); }

}  // namespace bfslab
