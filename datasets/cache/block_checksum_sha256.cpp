// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "datasets/build/tree_hash.hpp"
#include "datasets/cache/block_checksum.hpp"

namespace bfslab {

BlockChecksum block_checksum_kind() { return BlockChecksum::sha256; }

std::uint64_t block_checksum(std::span<const std::span<const std::byte>> parts, int threads) {
  return std::stoull(tree_hash({}, parts, threads).substr(0, 16), nullptr, 16);
}

}  // namespace bfslab
