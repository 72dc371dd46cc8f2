// One look at all statuses, shared by every frontier that is collected by scanning: blocks take
// tiles of four items a thread, in turns.
//
// Cost: 4 bytes an item, read in order; for Tigr's virtual vertices 4 more and a gather.
#pragma once

#include "kernels/cuda/search/search.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kItemsEach = 4;

// What a thread's four items of a tile are: bit j of `mask` says that item first + j is of the
// level.
struct Tile {
  std::uint32_t first = 0;
  unsigned mask = 0;
};

class ItemScan {
 public:
  __device__ ItemScan(const Search& search, level_t level)
      : search_(search), level_(level), base_(std::size_t{blockIdx.x} * blockDim.x * kItemsEach) {}

  // The block's next tile; false where there is none, for all its threads alike. Levels that other
  // threads write meanwhile may or may not be seen, but none of them is this scan's.
  __device__ bool next(Tile& tile) {
    const std::size_t count = search_.items.count;
    if (base_ >= count) return false;
    const std::size_t first = base_ + std::size_t{threadIdx.x} * kItemsEach;
    base_ += std::size_t{gridDim.x} * blockDim.x * kItemsEach;
    tile.first = static_cast<std::uint32_t>(first);
    tile.mask = 0;
    if (search_.items.vertex == nullptr && first + kItemsEach <= count) {
      // Not from L1: what it holds may be a level old.
      const uint4 four = __ldcg(reinterpret_cast<const uint4*>(search_.levels + first));
      tile.mask = (four.x == level_ ? 1U : 0U) | (four.y == level_ ? 2U : 0U) |
                  (four.z == level_ ? 4U : 0U) | (four.w == level_ ? 8U : 0U);
      return true;
    }
    vertex_t vertex[kItemsEach];
#pragma unroll
    for (unsigned j = 0; j < kItemsEach; ++j) {
      vertex[j] = kNoVertex;
      if (first + j >= count) continue;
      vertex[j] = search_.items.vertex == nullptr ? static_cast<vertex_t>(first + j)
                                                  : search_.items.vertex[first + j];
    }
#pragma unroll
    for (unsigned j = 0; j < kItemsEach; ++j) {
      if (vertex[j] != kNoVertex && __ldcg(search_.levels + vertex[j]) == level_) {
        tile.mask |= 1U << j;
      }
    }
    return true;
  }

 private:
  const Search& search_;
  level_t level_;
  std::size_t base_;
};

}  // namespace bfslab::cuda
