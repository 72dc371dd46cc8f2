// The four rotating level slots, on the device and as the host last read them.
#pragma once

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/frontier/queues.cuh"

namespace bfslab::cuda {

class LevelSlots {
 public:
  LevelSlots() : device_(kSlots), host_(kSlots) {}

  [[nodiscard]] LevelSlot* at(level_t level) const { return device_.data() + level % kSlots; }
  [[nodiscard]] const LevelSlot& seen(level_t level) const { return host_[level % kSlots]; }
  void clear(const Stream& stream) { device_.fill_bytes(0, stream.get()); }
  // Waits for all that the stream was given before.
  void read(const Stream& stream) {
    BFSLAB_CUDA(cudaMemcpyAsync(host_.data(), device_.data(), device_.bytes(),
                                cudaMemcpyDeviceToHost, stream.get()));
    stream.wait();
  }
  [[nodiscard]] std::uint64_t bytes() const { return device_.bytes(); }

 private:
  DeviceBuffer<LevelSlot> device_;
  PinnedBuffer<LevelSlot> host_;
};

}  // namespace bfslab::cuda
