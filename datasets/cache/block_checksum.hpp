// SPDX-License-Identifier: Apache-2.0
// The checksum by which cached graphs are verified each time they are mapped. With xxhash it keeps
// up with memory: XXH3 of blocks of 4 MiB, in parallel; a build without it uses SHA-256.
// It finds damage, not malice: a graph's identity is the SHA-256 of its contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bfslab {

enum class BlockChecksum : std::uint32_t { xxh3 = 1, sha256 = 2 };

// The one that this build computes.
BlockChecksum block_checksum_kind();

// 64 bits over the parts' blocks in order; a part's last block may be short.
std::uint64_t block_checksum(std::span<const std::span<const std::byte>> parts, int threads);

}  // namespace bfslab
