// SPDX-License-Identifier: Apache-2.0
#include "datasets/build/tree_hash.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <vector>

#include "datasets/build/team.hpp"
#include "datasets/text/sha256.hpp"

namespace bfslab {

std::vector<std::span<const std::byte>> hash_blocks(
    std::span<const std::span<const std::byte>> parts) {
  std::vector<std::span<const std::byte>> blocks;
  for (auto part : parts) {
    while (!part.empty()) {
      const std::size_t size = std::min(kHashBlock, part.size());
      blocks.push_back(part.first(size));
      part = part.subspan(size);
    }
  }
  return blocks;
}

std::string tree_hash(std::span<const std::byte> prologue,
                      std::span<const std::span<const std::byte>> parts, int threads) {
  const std::vector<std::span<const std::byte>> blocks = hash_blocks(parts);
  constexpr std::size_t kDigest = SHA256_DIGEST_LENGTH;
  std::vector<unsigned char> root(prologue.size() + blocks.size() * kDigest);
  std::transform(prologue.begin(), prologue.end(), root.begin(),
                 [](std::byte b) { return static_cast<unsigned char>(b); });
#pragma omp parallel for schedule(dynamic, 1) num_threads(team(threads))
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    SHA256(reinterpret_cast<const unsigned char*>(blocks[b].data()), blocks[b].size(),
           root.data() + prologue.size() + b * kDigest);
  }
  return Sha256().add({reinterpret_cast<const char*>(root.data()), root.size()}).hex();
}

}  // namespace bfslab
