// SPDX-License-Identifier: Apache-2.0
#include "datasets/cache/content_stamp.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <span>

#include "datasets/build/tree_hash.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kHashDigits = 32;

class MappedInput {
 public:
  explicit MappedInput(const std::string& path) {
    struct stat status {};
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
      if (file >= 0) close(file);
      throw InputError(fmt::format("{}: cannot be read", path));
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) address_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (address_ == MAP_FAILED) throw InputError(fmt::format("{}: cannot be mapped", path));
    if (size_ > 0) madvise(address_, size_, MADV_SEQUENTIAL);
  }
  MappedInput(const MappedInput&) = delete;
  MappedInput& operator=(const MappedInput&) = delete;
  ~MappedInput() {
    if (size_ > 0) munmap(address_, size_);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(address_), size_};
  }

 private:
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

std::string content_stamp(const std::string& path, int threads) {
  const MappedInput input(path);
  return fmt::format("{} bytes, contents {}", input.bytes().size(),
                     tree_hash(input.bytes(), {}, threads).substr(0, kHashDigits));
}

}  // namespace bfslab
