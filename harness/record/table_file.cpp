#include "harness/record/table_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/record/csv.hpp"

namespace bfslab {

namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int error) {
  throw StorageError(fmt::format("cannot {} {}: {}", what, path, std::strerror(error)));
}

}  // namespace

std::string read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return {};
    fail("read", path, errno);
  }
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
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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

TableFile::TableFile(std::string path, const std::vector<std::string>& columns)
    : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) fail("write", path_, errno);
  struct stat facts {};
  if (::fstat(fd_, &facts) == 0 && facts.st_size == 0) {
    try {
      append(csv_row(columns));
    } catch (...) {
      ::close(fd_);  // no destructor runs for a constructor that throws
      throw;
    }
  }
}

TableFile::TableFile(TableFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

TableFile::~TableFile() {
  if (fd_ >= 0) ::close(fd_);
}

void TableFile::append(const std::string& rows) {
  if (rows.empty()) return;
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  ssize_t wrote = 0;
  do {
    wrote = ::write(fd_, rows.data(), rows.size());
  } while (wrote < 0 && errno == EINTR);
  if (wrote == static_cast<ssize_t>(rows.size())) return;
  const int error = wrote < 0 ? errno : ENOSPC;  // a short write to a file: no space for the rest
  if (::ftruncate(fd_, before) != 0) {
    // The torn row stays; the next run trims it.
  }
  fail("write", path_, error);
}

}  // namespace bfslab
