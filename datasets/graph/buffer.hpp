// SPDX-License-Identifier: Apache-2.0
// Buffer<T>: a fixed array of trivially copyable T that is not initialised, page aligned, and
// backed by huge pages when the kernel grants them. Large graph arrays are kept here: std::vector
// would touch every page once more just to write zeros, and 4 KiB pages cost BFS a TLB miss per
// vertex.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace bfslab {

// Maps `bytes` of anonymous memory (zero on first touch). Throws std::bad_alloc.
void* map_pages(std::size_t bytes);
void unmap_pages(void* address, std::size_t bytes) noexcept;
// Releases the memory of the whole pages inside; reading it again gives zeros.
void discard_pages(void* address, std::size_t bytes) noexcept;
// Unmaps the whole pages after the first `kept` of `bytes`.
void shrink_pages(void* address, std::size_t bytes, std::size_t kept) noexcept;

template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t count)
      : data_(count == 0 ? nullptr : static_cast<T*>(map_pages(count * sizeof(T)))), size_(count) {}
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) unmap_pages(data_, size_ * sizeof(T));
  }

  // Releases the memory after the first `count` elements; count <= size().
  void shrink(std::size_t count) noexcept {
    if (data_ == nullptr || count == size_) return;
    shrink_pages(data_, size_ * sizeof(T), count * sizeof(T));
    size_ = count;
    if (count == 0) data_ = nullptr;
  }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace bfslab
