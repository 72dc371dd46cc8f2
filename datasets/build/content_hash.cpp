#include <openssl/sha.h>

#include <array>
#include <cstring>
#include <vector>

#include "datasets/build/build.hpp"
#include "datasets/build/team.hpp"

namespace bfslab {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

constexpr std::size_t kBlock = std::size_t{4} << 20;

std::size_t block_count(std::size_t bytes) { return (bytes + kBlock - 1) / kBlock; }

}  // namespace

// The last digest is over n, m, the symmetric flag, then the blocks of the offsets, then those of
// the columns; arrays are hashed as little-endian bytes.
std::string content_hash(const CsrGraph& graph, int threads) {
  const auto offsets = std::as_bytes(graph.row_offsets());
  const auto columns = std::as_bytes(graph.columns());
  const std::size_t offset_blocks = block_count(offsets.size());
  std::vector<Digest> digests(offset_blocks + block_count(columns.size()));
#pragma omp parallel for schedule(dynamic, 1) num_threads(team(threads))
  for (std::size_t block = 0; block < digests.size(); ++block) {
    const bool first = block < offset_blocks;
    const auto bytes = first ? offsets : columns;
    const std::size_t begin = (first ? block : block - offset_blocks) * kBlock;
    const auto part = bytes.subspan(begin, std::min(kBlock, bytes.size() - begin));
    SHA256(reinterpret_cast<const unsigned char*>(part.data()), part.size(), digests[block].data());
  }

  const std::array<std::uint64_t, 3> facts = {graph.vertex_count(), graph.edge_count(),
                                              graph.symmetric() ? 1U : 0U};
  std::vector<unsigned char> root(sizeof(facts) + digests.size() * sizeof(Digest));
  std::memcpy(root.data(), facts.data(), sizeof(facts));
  if (!digests.empty()) {
    std::memcpy(root.data() + sizeof(facts), digests.data(), digests.size() * sizeof(Digest));
  }
  Digest digest{};
  SHA256(root.data(), root.size(), digest.data());
  std::string text;
  for (std::size_t i = 0; i < 16; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace bfslab
