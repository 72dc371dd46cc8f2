// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/edges/eligible.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <numeric>

#include "kernels/distributed/communicator/team.hpp"
#include "kernels/distributed/edges/edge_share.hpp"

namespace bfslab::distributed {

namespace {

constexpr unsigned kBits = 64;

void mark(std::vector<Word>& bits, global_vertex_t v) {
  std::atomic_ref<Word> word(bits[v / kBits]);
  const Word bit = Word{1} << (v % kBits);
  // Most tuples find their ends marked: reading shares the line, where writing would not.
  if ((word.load(std::memory_order_relaxed) & bit) == 0) {
    word.fetch_or(bit, std::memory_order_relaxed);
  }
}

void mark_ends(const EdgeShare& share, Eligible rule, std::vector<Word>& bits) {
  const EdgeRules rules = share.rules();
  const bool skips_loops = rule == Eligible::two_levels || rules.drop_self_loops;
  share.for_each_batch(0, share.size(), [&](std::span<const GlobalEdge> batch) {
    for (const GlobalEdge& edge : batch) {
      if (skips_loops && edge.from == edge.to) continue;
      mark(bits, edge.from);
      if (rules.symmetrize) mark(bits, edge.to);
    }
  });
}

}  // namespace

EligibleVertices::EligibleVertices(Processes& processes, unsigned threads,
                                   const GraphSource& source, Eligible rule) {
  Team team(processes, threads);
  team.run([&](Member& member) {
    const std::unique_ptr<EdgeShare> share = share_edges(source, member);
    if (member.gpu == 0) {
      vertices_ = share->vertices();
      tuples_ = share->total();
      if (rule != Eligible::any) bits_.assign((vertices_ + kBits - 1) / kBits, 0);
    }
    member.all->barrier();
    if (rule != Eligible::any) mark_ends(*share, rule, bits_);
  });
  processes.all_reduce(bits_, Reduction::bit_or);
  count_ = rule == Eligible::any
               ? vertices_
               : std::accumulate(bits_.begin(), bits_.end(), std::uint64_t{0},
                                 [](std::uint64_t sum, Word word) {
                                   return sum + static_cast<unsigned>(std::popcount(word));
                                 });
}

std::vector<global_vertex_t> EligibleVertices::at(std::span<const std::uint64_t> positions) const {
  std::vector<global_vertex_t> found(positions.begin(), positions.end());
  if (bits_.empty()) return found;
  std::vector<std::size_t> ascending(positions.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::ranges::sort(ascending, {}, [&](std::size_t i) { return positions[i]; });
  std::size_t word = 0;
  std::uint64_t before = 0;  // eligible vertices in the words before it
  for (const std::size_t i : ascending) {
    for (unsigned here = 0;
         before + (here = static_cast<unsigned>(std::popcount(bits_[word]))) <= positions[i];
         ++word) {
      before += here;
    }
    Word rest = bits_[word];
    for (std::uint64_t skipped = before; skipped < positions[i]; ++skipped) rest &= rest - 1;
    found[i] = word * kBits + static_cast<unsigned>(std::countr_zero(rest));
  }
  return found;
}

}  // namespace bfslab::distributed
