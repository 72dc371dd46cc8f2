// SPDX-License-Identifier: Apache-2.0
#include "datasets/graph/buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace bfslab {

namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}

void* map_pages(std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  // Best effort: without transparent huge pages the memory works too, only more slowly.
  if (bytes >= kHugePage) static_cast<void>(madvise(address, bytes, MADV_HUGEPAGE));
  return address;
}

void unmap_pages(void* address, std::size_t bytes) noexcept { munmap(address, bytes); }

void discard_pages(void* address, std::size_t bytes) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t skipped = (page - reinterpret_cast<std::uintptr_t>(address) % page) % page;
  if (bytes <= skipped) return;
  const std::size_t whole = (bytes - skipped) / page * page;
  if (whole > 0) madvise(static_cast<char*>(address) + skipped, whole, MADV_DONTNEED);
}

void shrink_pages(void* address, std::size_t bytes, std::size_t kept) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t stays = (kept + page - 1) / page * page;
  if (stays < bytes) munmap(static_cast<char*>(address) + stays, bytes - stays);
}

}  // namespace bfslab
