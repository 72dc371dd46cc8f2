// SPDX-License-Identifier: Apache-2.0
// xbfs's levels as separate kernels, queued to a stream: the host launches them one after the
// other, and a CUDA graph records the kernels of each kind of level.
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

  // Throws Unsupported if the device is too small for the queues of a search.
  void choose_grids();
  // Allocates the memory of scans and searches, and enters it in `work`, otherwise complete.
  void allocate(const CsrGraph& graph, XbfsWork& work, const Stream& stream);
  void add_memory(MemoryUse& use) const;

  // Marks the vertices that some edge enters, once per graph.
  void find_enterable(const CsrView& incoming, std::uint32_t* enterable, cudaStream_t stream) const;

  // Launches since begin_count(), those of a search left out; a prefix sum is two of CUB's.
  void begin_count() { kernels_ = 0; }
  [[nodiscard]] unsigned kernels() const { return kernels_; }

  // Returns the searches' share of the reset.
  [[nodiscard]] PreparedTopDown::ResetExtra reset_extra() const;
  // Returns the search whose hierarchical queue may overflow; null if there is none.
  [[nodiscard]] PreparedTopDown* overflowing() const;

  // queue_unvisited() and bottom_up() make a bottom-up level.
  void queue_unvisited(const XbfsWork& work, LevelNumber level, const XbfsLevel& level_rule,
                       cudaStream_t stream);
  void bottom_up(const XbfsWork& work, LevelNumber level, bool counts, cudaStream_t stream);
  // `blocks` of the expansion.
  void top_down(const XbfsWork& work, LevelNumber level, const XbfsLevel& level_rule,
                unsigned blocks, cudaStream_t stream);

 private:
  using LevelKernel = void (*)(XbfsWork, LevelNumber);

  template <int kClasses>
  void queue_unvisited_by(const XbfsWork& work, cudaStream_t stream);
  void queue_by_prefix_sum(const XbfsWork& work, LevelNumber level, unsigned later,
                           cudaStream_t stream);
  void expand(const XbfsWork& work, LevelNumber level, const XbfsLevel& level_rule, unsigned blocks,
              cudaStream_t stream);
  void search_level(const XbfsWork& work, LevelNumber level, const XbfsLevel& level_rule,
                    unsigned blocks, cudaStream_t stream) const;
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
