// SPDX-License-Identifier: Apache-2.0
// Searches of `fused-gpus` in a row: the memory of one member that keeps their answers, and what
// the kernel notes of each (cuda/fused/members.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/fused/members.hpp"
#include "kernels/distributed/communicator/communicator.hpp"

namespace bfslab::distributed::fused {

class InARow {
 public:
  InARow() = default;
  // `most`: the maximum of searches in one launch; 0: none. Throws OutOfDeviceMemory.
  InARow(std::size_t most, std::uint64_t owned, bool parents)
      : owned_(owned),
        sources_(most),
        times_ns_(2 * most),
        reached_(most),
        levels_(most * owned),
        parents_(parents ? most * owned : 0) {}

  [[nodiscard]] std::size_t most() const { return sources_.size(); }
  [[nodiscard]] std::uint64_t status_bytes() const { return cuda::bytes_of(levels_, parents_); }
  [[nodiscard]] std::uint64_t scratch_bytes() const {
    return cuda::bytes_of(sources_, times_ns_, reached_);
  }

  // Returns the kernel's argument for these sources, which it uploads.
  [[nodiscard]] cuda::FusedMemberSearches begin(std::span<const vertex_t> sources,
                                                const cuda::FusedMemberAnswers& map,
                                                bool maps_in_time, const cuda::Stream& stream) {
    if (sources.size() > most()) throw std::invalid_argument("too many searches at once");
    cuda::upload(sources_.data(), sources.data(), sources.size_bytes(), stream);
    reached_.fill_bytes(0, stream.get());
    return {.sources = sources_.data(),
            .count = static_cast<std::uint32_t>(sources.size()),
            .maps_in_time = maps_in_time,
            .map = map,
            .levels = levels_.data(),
            .parents = parents_.data(),
            .times_ns = times_ns_.data(),
            .reached = reached_.data()};
  }
  // Returns the nanoseconds of each of `count` searches.
  [[nodiscard]] std::vector<Word> times(std::size_t count, const cuda::Stream& stream) const {
    std::vector<unsigned long long> ns(2 * count);
    cuda::download(ns.data(), times_ns_.data(), ns.size() * sizeof(ns[0]), stream);
    std::vector<Word> times;
    for (std::size_t i = 0; i < count; ++i) times.push_back(ns[2 * i + 1] - ns[2 * i]);
    return times;
  }
  [[nodiscard]] std::uint64_t reached_entries(std::size_t search,
                                              const cuda::Stream& stream) const {
    return cuda::read_back(reached_.data() + search, stream);
  }
  [[nodiscard]] const level_t* levels(std::size_t search) const {
    return levels_.data() + search * owned_;
  }
  [[nodiscard]] const vertex_t* parents(std::size_t search) const {
    return parents_.data() + search * owned_;
  }

 private:
  std::uint64_t owned_ = 0;
  cuda::DeviceBuffer<vertex_t> sources_;
  cuda::DeviceBuffer<unsigned long long> times_ns_, reached_;
  cuda::DeviceBuffer<level_t> levels_;  // [most][owned] by the ids of the graph as given
  cuda::DeviceBuffer<vertex_t> parents_;
};

}  // namespace bfslab::distributed::fused
