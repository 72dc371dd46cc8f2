// SPDX-License-Identifier: Apache-2.0
// Streams and events as objects, the time between two events, and the order of two streams.
#pragma once

#include <utility>

#include "kernels/cuda/device/error.hpp"

namespace bfslab::cuda {

class Stream {
 public:
  Stream() { BFSLAB_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() {
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const { BFSLAB_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { BFSLAB_CUDA(cudaEventCreate(&event_)); }
  ~Event() {
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  [[nodiscard]] cudaEvent_t get() const { return event_; }
  void record(const Stream& stream) const { BFSLAB_CUDA(cudaEventRecord(event_, stream.get())); }

 private:
  cudaEvent_t event_ = nullptr;
};

// An event without a time, which is the cheapest to wait for.
class OrderEvent {
 public:
  OrderEvent() { BFSLAB_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~OrderEvent() { static_cast<void>(cudaEventDestroy(event_)); }
  OrderEvent(const OrderEvent&) = delete;
  OrderEvent& operator=(const OrderEvent&) = delete;

  [[nodiscard]] cudaEvent_t get() const { return event_; }
  // Makes work that is enqueued on `after` from now on wait for all work enqueued on `before`.
  void order(cudaStream_t before, cudaStream_t after) const {
    BFSLAB_CUDA(cudaEventRecord(event_, before));
    BFSLAB_CUDA(cudaStreamWaitEvent(after, event_));
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Both must have happened.
inline double ms_between(const Event& begin, const Event& end) {
  float ms = 0;
  BFSLAB_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
  return ms;
}

}  // namespace bfslab::cuda
