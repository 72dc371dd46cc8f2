// SPDX-License-Identifier: Apache-2.0
// One core of a server copies 8 to 12 GB/s from memory to memory, and the bus takes 55 GB/s (PCIe
// 5, 16 lanes). A few threads therefore fill the staging buffers, piece by piece. The source may
// also be a page of a mapped file that has not been touched yet.
#include "kernels/cuda/device/upload.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "datasets/build/team.hpp"

namespace bfslab::cuda {

namespace {

constexpr std::size_t kStaging = std::size_t{16} << 20;  // bytes per buffer: 0.3 ms on the bus
constexpr std::size_t kPiece = std::size_t{512} << 10;   // bytes that a thread copies at once
constexpr std::size_t kSmall = std::size_t{64} << 10;    // CUDA stages so little on its own as well
constexpr int kMaxThreads = 8;  // enough for the bus; the memory channels serve no more

void copy_by_threads(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t pieces = (bytes + kPiece - 1) / kPiece;
  const int threads = static_cast<int>(
      std::min({static_cast<std::size_t>(team(0)), pieces, std::size_t{kMaxThreads}}));
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t begin = piece * kPiece;
    std::memcpy(to + begin, from + begin, std::min(kPiece, bytes - begin));
  }
}

// Copies up to kSmall bytes. Returns false if there are more.
bool copied_at_once(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                    const Stream& stream) {
  if (bytes > kSmall) return false;
  if (bytes == 0) return true;
  BFSLAB_CUDA(cudaMemcpyAsync(to, from, bytes, kind, stream.get()));
  stream.wait();
  return true;
}

// Two buffers that take turns, each with the event after which it may be reused.
struct Staging {
  explicit Staging(std::size_t bytes)
      : size(std::min(kStaging, bytes)),
        buffers{PinnedBuffer<std::byte>(size), PinnedBuffer<std::byte>(bytes > size ? size : 0)} {}
  void wait(std::size_t turn) const { BFSLAB_CUDA(cudaEventSynchronize(done[turn].get())); }

  std::size_t size;
  std::array<PinnedBuffer<std::byte>, 2> buffers;
  std::array<Event, 2> done;  // an event never recorded counts as happened
};

}  // namespace

void upload(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  if (copied_at_once(to, from, bytes, cudaMemcpyHostToDevice, stream)) return;
  const Staging staging(bytes);
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  for (std::size_t begin = 0, turn = 0; begin < bytes; begin += staging.size, turn ^= 1) {
    const std::size_t now = std::min(staging.size, bytes - begin);
    std::byte* const buffer = staging.buffers[turn].data();
    staging.wait(turn);
    copy_by_threads(buffer, source + begin, now);
    BFSLAB_CUDA(cudaMemcpyAsync(target + begin, buffer, now, cudaMemcpyHostToDevice, stream.get()));
    staging.done[turn].record(stream);
  }
  stream.wait();
}

void download(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  if (copied_at_once(to, from, bytes, cudaMemcpyDeviceToHost, stream)) return;
  const Staging staging(bytes);
  auto* const target = static_cast<std::byte*>(to);
  const auto* const source = static_cast<const std::byte*>(from);
  const auto fetch = [&](std::size_t begin, std::size_t turn) {
    if (begin >= bytes) return;
    BFSLAB_CUDA(cudaMemcpyAsync(staging.buffers[turn].data(), source + begin,
                                std::min(staging.size, bytes - begin), cudaMemcpyDeviceToHost,
                                stream.get()));
    staging.done[turn].record(stream);
  };
  fetch(0, 0);
  for (std::size_t begin = 0, turn = 0; begin < bytes; begin += staging.size, turn ^= 1) {
    fetch(begin + staging.size, turn ^ 1);  // the GPU fills one while the host empties the other
    staging.wait(turn);
    copy_by_threads(target + begin, staging.buffers[turn].data(),
                    std::min(staging.size, bytes - begin));
  }
}

}  // namespace bfslab::cuda
