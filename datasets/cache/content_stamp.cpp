#include "datasets/cache/content_stamp.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "datasets/build/tree_hash.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 32;
// A file may be rewritten within one tick of the file system's clock: what is younger than this is
// not remembered.
constexpr std::time_t kSettledSeconds = 2;

std::string hash_of(const std::string& text, int threads) {
  return tree_hash(std::as_bytes(std::span(text)), {}, threads).substr(0, kHashDigits);
}

class MappedInput {
 public:
  explicit MappedInput(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status_) != 0 || !S_ISREG(status_.st_mode)) {
      if (file >= 0) close(file);
      throw InputError(fmt::format("{}: cannot be read", path));
    }
    size_ = static_cast<std::size_t>(status_.st_size);
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
  [[nodiscard]] const struct stat& status() const { return status_; }

 private:
  void* address_ = nullptr;
  std::size_t size_ = 0;
  struct stat status_ {};
};

// The first line of a remembered hash: everything that would change if the file did.
std::string identity_line(const fs::path& path, const struct stat& status) {
  return fmt::format("{} size {} device {} inode {} modified {}.{:09} changed {}.{:09}",
                     path.string(), status.st_size, status.st_dev, status.st_ino,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                     status.st_ctim.tv_nsec);
}

// A hash that cannot be stored costs time at the next load, and nothing else.
void remember(const fs::path& file, const std::string& identity, const std::string& hash) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  std::string temporary = file.string() + ".tmp-XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return;
  const std::string text = identity + '\n' + hash + '\n';
  const bool whole =
      write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(descriptor);
  if (whole) fs::rename(temporary, file, ignored);
  if (!whole || ignored) unlink(temporary.c_str());
}

}  // namespace

std::string content_stamp(const std::string& path, const std::string& cache_folder, int threads) {
  const MappedInput input(path);
  const struct stat& status = input.status();
  const fs::path real = fs::weakly_canonical(path);
  const std::string identity = identity_line(real, status);
  const fs::path memory = fs::path(cache_folder) / "stamps" / hash_of(real.string(), 1);

  std::string known;
  std::string hash;
  std::ifstream remembered(memory);
  const bool valid = std::getline(remembered, known) && known == identity &&
                     std::getline(remembered, hash) && hash.size() == kHashDigits;
  if (!valid) {
    hash = tree_hash(input.bytes(), {}, threads).substr(0, kHashDigits);
    const std::time_t settled = std::time(nullptr) - kSettledSeconds;
    if (status.st_mtim.tv_sec < settled && status.st_ctim.tv_sec < settled) {
      remember(memory, identity, hash);
    }
  }
  return fmt::format("{} bytes, contents {}", status.st_size, hash);
}

}  // namespace bfslab
