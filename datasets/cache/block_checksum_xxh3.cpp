// SPDX-License-Identifier: Apache-2.0
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <vector>

#include "datasets/build/team.hpp"
#include "datasets/build/tree_hash.hpp"
#include "datasets/cache/block_checksum.hpp"

namespace bfslab {

BlockChecksum block_checksum_kind() { return BlockChecksum::xxh3; }

std::uint64_t block_checksum(std::span<const std::span<const std::byte>> parts, int threads) {
  const std::vector<std::span<const std::byte>> blocks = hash_blocks(parts);
  std::vector<std::uint64_t> sums(blocks.size());
#pragma omp parallel for schedule(dynamic, 1) num_threads(team(threads))
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    sums[b] = XXH3_64bits(blocks[b].data(), blocks[b].size());
  }
  return XXH3_64bits(sums.data(), sums.size() * sizeof(sums[0]));
}

}  // namespace bfslab
