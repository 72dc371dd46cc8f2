// SPDX-License-Identifier: Apache-2.0
// xbfs's levels as kernels of their own, queued to a stream: the host launches them one after the
// other, a CUDA graph records what each kind of level consists of.
#pragma once

#include <memory>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/engines/xbfs/class_steps.hpp"
#include "kernels/cuda/engines/xbfs/work.hpp"
#include "kernels/cuda/top_down/prepared_top_down.hpp"

namespace bfslab::cuda {

struct XbfsSettings {
  BalanceBy balance = BalanceBy::thread;
  const ExpansionPart* expand = nullptr;
  bool hub_cache = false;
  bool class_kernels = false;  // a kernel for each degree class, where a level goes by these
  XbfsRules rules;

  [[nodiscard]] bool by_list() const { return balance == BalanceBy::list; }
  [[nodiscard]] bool by_first() const { return balance == BalanceBy::first_neighbors; }
  // Whether queues of top-down levels have a region for each degree class.
  [[nodiscard]] bool by_class() const { return expand->takes == Takes::classes; }
};

class XbfsLevels {
 public:
  explicit XbfsLevels(const XbfsSettings& settings);

  // Throws Unsupported where the device is too small for the queues of a search.
  void choose_grids();
  // Memory of the scans and of the searches, and what `work`, which is complete otherwise, says of
  // it.
  void allocate(const CsrGraph& graph, XbfsWork& work, const Stream& stream);
  void add_memory(MemoryUse& use) const;

  // Once a graph: which vertices some edge enters.
  void find_enterable(const CsrView& incoming, std::uint32_t* enterable, cudaStream_t stream) const;

  // Launches since begin_count(), those of a search left out; a prefix sum is two of CUB's.
  void begin_count() { kernels_ = 0; }
  [[nodiscard]] unsigned kernels() const { return kernels_; }

  // What the reset has to do for a search's parts.
  [[nodiscard]] PreparedTopDown::ResetExtra reset_extra() const;
  // Whether a hierarchical queue may overflow.
  [[nodiscard]] PreparedTopDown* overflowing() const;

  // A bottom-up level is these two.
  void queue_unvisited(const XbfsWork& work, LevelNumber level, const XbfsLevel& how,
                       cudaStream_t stream);
  void bottom_up(const XbfsWork& work, LevelNumber level, bool counts, cudaStream_t stream);
  // `blocks` of the expansion.
  void top_down(const XbfsWork& work, LevelNumber level, const XbfsLevel& how, unsigned blocks,
                cudaStream_t stream);

 private:
  using LevelKernel = void (*)(XbfsWork, LevelNumber);

  template <int kClasses>
  void queue_unvisited_by(const XbfsWork& work, cudaStream_t stream);
  void queue_by_prefix_sum(const XbfsWork& work, LevelNumber level, unsigned later,
                           cudaStream_t stream);
  void expand(const XbfsWork& work, LevelNumber level, const XbfsLevel& how, unsigned blocks,
              cudaStream_t stream);
  void search_level(const XbfsWork& work, LevelNumber level, const XbfsLevel& how, unsigned blocks,
                    cudaStream_t stream) const;
  void scan_exclusive(std::size_t count, cudaStream_t stream);

  XbfsSettings settings_;
  unsigned kernels_ = 0;
  std::unique_ptr<ClassSteps> steps_;                   // null: no level takes them
  LevelKernel look_[2] = {};                            // [counting]
  std::unique_ptr<PreparedTopDown> queued_, streamed_;  // null: no level needs it
  DeviceBuffer<std::uint32_t> counts_, offsets_;
  DeviceBuffer<char> scratch_;
};

}  // namespace bfslab::cuda
