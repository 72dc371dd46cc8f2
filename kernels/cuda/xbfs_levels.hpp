// xbfs's levels as kernels of their own, queued to a stream: the host launches them one after the
// other, a CUDA graph records what each kind of level consists of.
#pragma once

#include <string>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/xbfs_work.hpp"

namespace bfslab::cuda {

class XbfsLevels {
 public:
  // Throws std::invalid_argument where no balance has this name: `balance` is as the toggle has it.
  XbfsLevels(const std::string& balance, bool async, bool hub_cache);

  // Memory of the scans over `vertices`, and what `work` says of it.
  void allocate(std::size_t vertices, XbfsWork& work);
  [[nodiscard]] std::uint64_t bytes() const {
    return counts_.bytes() + offsets_.bytes() + scratch_.bytes();
  }

  // Once a graph: which vertices some edge enters.
  void find_enterable(const CsrView& incoming, std::uint32_t* enterable, cudaStream_t stream) const;
  // The source, into the first frontier and its slot.
  void place_source(const XbfsWork& work, vertex_t source, cudaStream_t stream) const;

  // A bottom-up level is these two.
  void queue_unvisited(const XbfsWork& work, cudaStream_t stream) const;
  void bottom_up(const XbfsWork& work, LevelNumber level, bool counts, cudaStream_t stream) const;
  // `blocks` of the expansion.
  void top_down(const XbfsWork& work, LevelNumber level, const XbfsLevel& how, unsigned blocks,
                cudaStream_t stream) const;

 private:
  using BottomUpKernel = void (*)(XbfsWork, LevelNumber);

  template <typename Balance>
  void choose(bool async);
  template <int kClasses>
  void queue_unvisited_by(const XbfsWork& work, cudaStream_t stream) const;
  void queue_by_prefix_sum(const XbfsWork& work, LevelNumber level, unsigned later,
                           cudaStream_t stream) const;
  void expand_streamed(const XbfsWork& work, LevelNumber level, cudaStream_t stream) const;
  template <typename Next>
  void expand(const XbfsWork& work, LevelNumber level, const XbfsLevel& how, unsigned blocks,
              cudaStream_t stream) const;
  void scan_exclusive(std::size_t count, cudaStream_t stream) const;

  BottomUpKernel look_[2] = {};  // [counting]
  bool by_degree_;
  std::size_t hub_bytes_;
  unsigned stream_blocks_ = 0;  // as many as run at once
  DeviceBuffer<std::uint32_t> counts_, offsets_;
  DeviceBuffer<char> scratch_;
};

}  // namespace bfslab::cuda
