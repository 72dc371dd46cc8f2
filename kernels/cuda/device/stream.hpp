// SPDX-License-Identifier: Apache-2.0
// Streams and events as objects, the time between two events, and the order of two streams; and the
// owner of such objects of CUDA.
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

class Stream {
 public:
  Stream() { BFSLAB_CUDA(cudaStreamCreateWithFlags(handle_.put(), cudaStreamNonBlocking)); }

  [[nodiscard]] cudaStream_t get() const { return handle_.get(); }
  void wait() const { BFSLAB_CUDA(cudaStreamSynchronize(get())); }

 private:
  Handle<cudaStream_t, cudaStreamDestroy> handle_;
};

// Returns the handle that a launch takes.
inline cudaStream_t raw(const Stream& stream) { return stream.get(); }
inline cudaStream_t raw(cudaStream_t stream) { return stream; }

class Event {
 public:
  Event() { BFSLAB_CUDA(cudaEventCreate(handle_.put())); }

  [[nodiscard]] cudaEvent_t get() const { return handle_.get(); }
  void record(const Stream& stream) const { BFSLAB_CUDA(cudaEventRecord(get(), stream.get())); }
  // As OrderEvent::order().
  void order(cudaStream_t before, cudaStream_t after) const {
    BFSLAB_CUDA(cudaEventRecord(get(), before));
    BFSLAB_CUDA(cudaStreamWaitEvent(after, get()));
  }

 private:
  Handle<cudaEvent_t, cudaEventDestroy> handle_;
};

// An event without a time, which is the cheapest to wait for.
class OrderEvent {
 public:
  OrderEvent() { BFSLAB_CUDA(cudaEventCreateWithFlags(handle_.put(), cudaEventDisableTiming)); }

  [[nodiscard]] cudaEvent_t get() const { return handle_.get(); }
  // Makes work that is enqueued on `after` from now on wait for all work enqueued on `before`.
  void order(cudaStream_t before, cudaStream_t after) const {
    BFSLAB_CUDA(cudaEventRecord(get(), before));
    BFSLAB_CUDA(cudaStreamWaitEvent(after, get()));
  }

 private:
  Handle<cudaEvent_t, cudaEventDestroy> handle_;
};

// Both must have happened.
inline double ms_between(const Event& begin, const Event& end) {
  float ms = 0;
  BFSLAB_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
  return ms;
}

}  // namespace bfslab::cuda
