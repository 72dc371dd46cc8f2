// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/file_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kWindow = std::size_t{1} << 18;

}  // namespace

OpenFile::OpenFile(const std::string& path) : path_(path) {
  // A pipe without a writer would block here forever; it is refused below.
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) refuse();
  struct stat status {};
  const bool known = fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    const int reason = !known ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
    close(descriptor_);
    if (reason == 0) {
      throw InputError(fmt::format("{}: cannot be read: it is not a regular file", path));
    }
    errno = reason;
    refuse();
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

OpenFile::~OpenFile() { close(descriptor_); }

void OpenFile::refuse() const {
  throw InputError(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
}

FileInput::FileInput(const std::string& path) : file_(path), window_(kWindow) {
  static_cast<void>(posix_fadvise(file_.descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL));
}

std::string_view FileInput::ahead() {
  if (begin_ == end_) {
    ssize_t count = 0;
    do {
      count = ::read(file_.descriptor(), window_.data(), window_.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) file_.refuse();
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
    read_ += end_;
  }
  return {window_.data() + begin_, end_ - begin_};
}

}  // namespace bfslab
