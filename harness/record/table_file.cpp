// SPDX-License-Identifier: Apache-2.0
#include "harness/record/table_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "datasets/graph/types.hpp"
#include "harness/record/csv.hpp"

namespace bfslab {

namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int error) {
  throw StorageError(fmt::format("cannot {} {}: {}", what, path,
                                 error == EFBIG
                                     ? "the limit on the size of a file (ulimit -f) is reached"
                                     : std::strerror(error)));
}

}  // namespace

int open_regular(const char* what, const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666);
  const int error = errno;
  struct stat facts {};
  if (fd >= 0 && ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) return fd;
  if (fd >= 0) ::close(fd);
  if (fd < 0 && error == ENOENT) return -1;
  if (fd < 0 && error != ELOOP && error != ENXIO && error != EISDIR) fail(what, path, error);
  throw InputError(
      fmt::format("{}: is {}, where a file of results belongs; remove it, or name "
                  "another folder with --results",
                  path, error == ELOOP && fd < 0 ? "a symbolic link" : "not a regular file"));
}

std::string read_file(const std::string& path) {
  const int fd = open_regular("read", path, O_RDONLY);
  if (fd < 0) return {};
  std::string text;
  char block[1 << 16];
  while (true) {
    const ssize_t got = ::read(fd, block, sizeof block);
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR) continue;
      const int error = errno;
      ::close(fd);
      fail("read", path, error);
    }
    text.append(block, static_cast<std::size_t>(got));
  }
  ::close(fd);
  return text;
}

void write_file_atomically(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode)) {
    throw InputError(
        fmt::format("{}: is not a regular file, where a file of results belongs; remove "
                    "it, or name another folder with --results",
                    path));
  }
  ::unlink(temporary.c_str());  // a killed run's, or anything else; it must not be written through
  const int fd =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) fail("write", temporary, errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const int error = wrote == 0 ? ENOSPC : errno;
      ::close(fd);
      ::unlink(temporary.c_str());
      fail("write", path, error);
    }
    done += static_cast<std::size_t>(wrote);
  }
  const bool synced = ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  if (!synced) fail("write", temporary, error);
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail("write", path, errno);
}

void sync_folder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && (::fsync(fd) == 0 || errno == EINVAL);  // not every kind can
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!synced) fail("write", path, error);
}

TableFile::TableFile(std::string path, const std::vector<std::string>& columns,
                     const std::string& begun)
    : path_(std::move(path)) {
  fd_ = open_regular("write", path_, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW);
  if (fd_ < 0) fail("write", path_, ENOENT);
  try {
    open(columns, begun);
  } catch (...) {
    ::close(fd_);  // no destructor runs for a constructor that throws
    throw;
  }
}

void TableFile::open(const std::vector<std::string>& columns, const std::string& begun) {
  struct stat facts {};
  if (::fstat(fd_, &facts) == 0) size_ = facts.st_size;
  Sealer first(path_, begun);
  const std::string header = first.header(columns);
  if (size_ == 0) {
    write(header);
    sealer_ = first;
    return;
  }
  std::string found(header.size(), '\0');
  if (::pread(fd_, found.data(), found.size(), 0) < 0) fail("read", path_, errno);
  if (found != header) {
    throw InputError(fmt::format(
        "{}: has the columns of another version, to which no row is added; let `bfslab run` go on "
        "with the folder first, which brings it into the present format",
        path_));
  }
  if (size_ == static_cast<off_t>(header.size())) {
    sealer_ = first;
    return;
  }
  std::string last(kSealTail - 2, '\0');
  const off_t place = size_ - static_cast<off_t>(last.size()) - 1;
  if (::pread(fd_, last.data(), last.size(), place) < 0) fail("read", path_, errno);
  sealer_ = Sealer(last);
}

TableFile::TableFile(TableFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      sealer_(std::move(other.sealer_)),
      size_(other.size_),
      appended_(other.appended_) {}

TableFile::~TableFile() {
  if (fd_ >= 0) ::close(fd_);
}

void TableFile::append(std::span<const std::string> rows) {
  if (rows.empty()) return;
  Sealer sealer = *sealer_;
  std::string text;
  for (const std::string& row : rows) text += sealer.row(row);
  write(text);
  sealer_ = sealer;
}

void TableFile::write(const std::string& text) {
  require_present();
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  if (before != size_) {
    throw StorageError(
        fmt::format("{} has {} bytes, and this run left it with {}: something else "
                    "writes to it",
                    path_, before, size_));
  }
  ssize_t wrote = 0;
  do {
    wrote = ::write(fd_, text.data(), text.size());
  } while (wrote < 0 && errno == EINTR);
  if (wrote == static_cast<ssize_t>(text.size())) {
    appended_ = true;
    size_ += wrote;
    return;
  }
  int error = errno;
  if (wrote >= 0) {  // there is no space for the rest, or a limit: the next byte says which
    error = ::write(fd_, text.data() + wrote, 1) < 0 ? errno : ENOSPC;
  }
  if (::ftruncate(fd_, before) != 0) {
    // The torn row stays; the next run trims it.
  }
  fail("write", path_, error);
}

void TableFile::require_present() const {
  struct stat ours {};
  struct stat named {};
  if (::fstat(fd_, &ours) != 0 || ::stat(path_.c_str(), &named) != 0 ||
      ours.st_dev != named.st_dev || ours.st_ino != named.st_ino) {
    throw StorageError(fmt::format("{} was removed, moved or replaced during the run", path_));
  }
}

void TableFile::sync() {
  if (!appended_) return;
  if (::fdatasync(fd_) != 0) fail("write", path_, errno);
  appended_ = false;
}

}  // namespace bfslab
