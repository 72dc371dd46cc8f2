// SPDX-License-Identifier: Apache-2.0
// Owners of CUDA's objects (streams, events, graphs).
#pragma once

#include <utility>

#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

// Owns what `Object` points to, and ends it by `destroy`.
template <typename Object, cudaError_t (*destroy)(Object)>
class Handle {
 public:
  Handle() = default;
  ~Handle() {
    if (object_ != nullptr) static_cast<void>(destroy(object_));
  }
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] Object get() const { return object_; }
  // Returns where CUDA writes a new object. Owns none before.
  [[nodiscard]] Object* put() { return &object_; }

 private:
  Object object_ = nullptr;
};

}  // namespace bfslab::cuda
