// SPDX-License-Identifier: Apache-2.0
// Base class and helpers of the transports of device_communicator.hpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"

namespace bfslab::distributed {

using cuda::GrowingBuffer;

// Returns the begin of each list when lists of these sizes are concatenated, each aligned to 16
// bytes. The last entry is the total size.
inline std::vector<std::size_t> places_of(std::span<const Word> sizes) {
  std::vector<std::size_t> places(sizes.size() + 1, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    places[i + 1] = places[i] + (sizes[i] + 15) / 16 * 16;
  }
  return places;
}

class DeviceTransport : public Communicator {
 public:
  // `host` is the communicator of the same members for host memory.
  DeviceTransport(Transport kind, std::unique_ptr<Communicator> owned, Communicator& host,
                  const MemberGpu& gpu)
      : kind_(kind), owned_(std::move(owned)), host_(owned_ ? *owned_ : host), gpu_(gpu) {}

  [[nodiscard]] unsigned index() const override { return host_.index(); }
  [[nodiscard]] unsigned size() const override { return host_.size(); }

  // Returns when all work that the members have enqueued is done.
  void barrier() override {
    gpu_.stream().wait();
    host_.barrier();
  }

  std::unique_ptr<Communicator> split(unsigned color, unsigned key) override;

 protected:
  // A second stream, with the events that order it after and before the member's, and time it.
  struct Beside {
    cuda::Stream stream;
    cuda::Event begun, done;
    GrowingBuffer scratch;
  };

  [[nodiscard]] cudaStream_t stream() const { return gpu_.stream().get(); }
  void count_lists(std::span<const Bytes> lists) {
    for (unsigned to = 0; to < size(); ++to) {
      if (to != index()) count_sent(lists[to].size());
    }
  }
  // Copies within this GPU's memory, or to and from the host.
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) const {
    if (bytes > 0 && to != from) {
      BFSLAB_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream()));
    }
  }

  Transport kind_;
  std::unique_ptr<Communicator> owned_;
  Communicator& host_;
  const MemberGpu& gpu_;
};

// Sets into[i] to the reduction of from[0][i], from[1][i], ... for i < count, in the order of the
// stream; without sources, to the identity. `into` may be from[0]. A source may lie in another
// GPU's memory that this GPU can read.
void combine_words(Word* into, std::span<const Word* const> from, std::size_t count,
                   Reduction reduction, cudaStream_t stream);

// `owned` is null if `host` outlives the result. Throw Unsupported on all members alike.
std::unique_ptr<Communicator> make_nccl_transport(std::unique_ptr<Communicator> owned,
                                                  Communicator& host, const MemberGpu& gpu,
                                                  std::optional<RankShape> two_phases);
std::unique_ptr<Communicator> make_peer_transport(std::unique_ptr<Communicator> owned,
                                                  Communicator& host, const MemberGpu& gpu,
                                                  std::optional<RankShape> two_phases);

}  // namespace bfslab::distributed
