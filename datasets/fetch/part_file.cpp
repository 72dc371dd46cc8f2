#include "datasets/fetch/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void lock(int descriptor, int operation, const std::string& path) {
  while (::flock(descriptor, operation) != 0) {
    if (errno != EINTR) fail(path);
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

PartFile::PartFile(const std::string& target, const std::function<void()>& waiting)
    : target_(target), path_(target + ".part") {
  const auto folder = std::filesystem::path(target).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(
        fmt::format("graph fetch: the folder {} cannot be made: {}; name another with "
                    "--data DIR",
                    folder.string(), error.message()));
  }
  bool told = false;
  while (true) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) {
      throw InputError(
          fmt::format("graph fetch: {} cannot be written: {}; name another folder with "
                      "--data DIR",
                      path_, std::generic_category().message(errno)));
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (!told && waiting) waiting();
      told = true;
      lock(descriptor_, LOCK_EX, path_);
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

void PartFile::clear() {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) < 0) fail(path_);
}

void PartFile::discard() { ::unlink(path_.c_str()); }

void PartFile::commit() {
  if (::fsync(descriptor_) != 0) fail(path_);
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail(path_);
}

}  // namespace bfslab
