// SPDX-License-Identifier: Apache-2.0
// SHA-256 of the SHA-256 of 4 MiB blocks: as trustworthy as one long hash, but computed in
// parallel.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace bfslab {

inline constexpr std::size_t kHashBlock = std::size_t{4} << 20;

// The parts' blocks in order; a part's last block may be short.
std::vector<std::span<const std::byte>> hash_blocks(
    std::span<const std::span<const std::byte>> parts);

// 64 hex digits over `prologue`, then each part's blocks in order. Where parts end is not hashed:
// the prologue contains their sizes.
std::string tree_hash(std::span<const std::byte> prologue,
                      std::span<const std::span<const std::byte>> parts, int threads);

}  // namespace bfslab
