// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/guarded_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <unordered_map>

#include "datasets/graph/buffer.hpp"
#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> largest_mapping{kNoLimit};
std::atomic<std::size_t> buffers_made{0};

void check_size(std::size_t bytes) {
  require(bytes <= largest_mapping.load(),
          fmt::format("{} bytes are mapped at once, at most {} are reasonable for this input",
                      bytes, largest_mapping.load()));
}

// The copies that stand for mapped files, by address.
struct Copies {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, std::size_t> sizes;

  // The copy that holds the address, if any does.
  bool hold(const void* address) {
    const std::scoped_lock lock(mutex);
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    return std::any_of(sizes.begin(), sizes.end(), [&](const auto& copy) {
      return copy.first <= wanted && wanted < copy.first + copy.second;
    });
  }
};

Copies& copies() {
  static Copies all;
  return all;
}

}  // namespace

MappingLimit::MappingLimit(std::size_t bytes) { largest_mapping = bytes; }
MappingLimit::~MappingLimit() { largest_mapping = kNoLimit; }

void check_that_memory_is_guarded() {
  const std::size_t before = buffers_made;
  const Buffer<char> buffer(1);
  require(buffers_made == before + 1, "the linker's --wrap options are not in effect");
}

}  // namespace bfslab::fuzz

// NOLINTBEGIN(clang-diagnostic-reserved-identifier): the linker chooses these names.
extern "C" {

void* __real_mmap(void*, std::size_t, int, int, int, off_t);
int __real_munmap(void*, std::size_t);
int __real_madvise(void*, std::size_t, int);
// AddressSanitizer's, where it is linked in.
[[gnu::weak]] void __asan_poison_memory_region(const volatile void*, std::size_t);

// bfslab::map_pages: zeros, as fresh pages are.
void* __wrap__ZN6bfslab9map_pagesEm(std::size_t bytes) {
  bfslab::fuzz::check_size(bytes);
  ++bfslab::fuzz::buffers_made;
  void* const address = std::calloc(bytes, 1);
  if (address == nullptr) throw std::bad_alloc();
  return address;
}

// bfslab::unmap_pages
void __wrap__ZN6bfslab11unmap_pagesEPvm(void* address, std::size_t) { std::free(address); }

// bfslab::shrink_pages: an empty remainder is released.
void __wrap__ZN6bfslab12shrink_pagesEPvmm(void* address, std::size_t bytes, std::size_t kept) {
  if (kept == 0) {
    std::free(address);
  } else if (__asan_poison_memory_region != nullptr) {
    __asan_poison_memory_region(static_cast<char*>(address) + kept, bytes - kept);
  }
}

void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                  off_t offset) {
  if (address != nullptr || file < 0 || protection != PROT_READ || bytes == 0) {
    return __real_mmap(address, bytes, protection, flags, file, offset);
  }
  bfslab::fuzz::check_size(bytes);
  auto* const copy = static_cast<char*>(std::calloc(bytes, 1));
  if (copy == nullptr) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = pread(file, copy + done, bytes - done, offset + static_cast<off_t>(done));
    if (got <= 0) break;  // as a mapping beyond the file's end, but for the signal
    done += static_cast<std::size_t>(got);
  }
  auto& all = bfslab::fuzz::copies();
  const std::scoped_lock lock(all.mutex);
  all.sizes[reinterpret_cast<std::uintptr_t>(copy)] = bytes;
  return copy;
}

int __wrap_munmap(void* address, std::size_t bytes) {
  {
    auto& all = bfslab::fuzz::copies();
    const std::scoped_lock lock(all.mutex);
    if (all.sizes.erase(reinterpret_cast<std::uintptr_t>(address)) > 0) {
      std::free(address);
      return 0;
    }
  }
  return __real_munmap(address, bytes);
}

int __wrap_madvise(void* address, std::size_t bytes, int advice) {
  if (bfslab::fuzz::copies().hold(address)) return 0;  // MADV_DONTNEED would clear the copy
  return __real_madvise(address, bytes, advice);
}

}  // extern "C"
// NOLINTEND(clang-diagnostic-reserved-identifier)
