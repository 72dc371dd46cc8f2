// SPDX-License-Identifier: Apache-2.0
// The kernels of GpuAnswerChecker, in plain C++. All work in the order of the stream.
#pragma once

#include <cstdint>

#include "kernels/answer_rules.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/edges/device_tuples.hpp"
#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed {

// The answer of all members in the memory of a GPU: member m's from m * stride on.
struct GatheredAnswer {
  level_t* levels = nullptr;          // null: not asked for, and not derived yet
  const vertex_t* parents = nullptr;  // null: not asked for
  Ownership own;
  std::uint64_t stride = 0;
  std::uint64_t vertices = 0;
  global_vertex_t source = 0;

  [[nodiscard]] constexpr std::uint64_t index(global_vertex_t v) const {
    return own.owner(v) * stride + own.local(v);
  }
};

struct Findings {
  // The first broken rule's smallest vertex, as broken_key() has it; all ones: none.
  unsigned long long broken = ~0ULL;
  unsigned long long other = ~0ULL;    // of find_head()
  unsigned long long reached = 0;      // owned vertices
  unsigned long long levels = 0;       // one more than the deepest of these
  unsigned long long level_sum = 0;    // of these
  unsigned long long hashes = 0;       // of these, added up
  unsigned long long input_edges = 0;  // tuples that leave reached vertices
};

inline constexpr unsigned kVertexBits = 40;

constexpr std::uint64_t broken_key(Rule rule, global_vertex_t v) {
  return static_cast<std::uint64_t>(rule) << kVertexBits | v;
}

// An answer while it is judged.
struct Judging {
  GatheredAnswer answer;
  EdgeRules rules;
  unsigned member;     // whose vertices are looked at where only one member's are
  Findings* findings;  // in the memory of the GPU
  const cuda::Stream& stream;
};

// The rules that a vertex can break by itself, for `member`'s vertices.
void check_vertices(const Judging& at);

// Fills answer.levels with those that the tree implies (kernels/cuda/check/tree_levels.cuh); a
// vertex that does not lead to the source breaks a rule. `ancestors`: [vertices], and `changed`:
// [cuda::kTreeRounds], are scratch.
void derive_levels(const Judging& at, std::uint64_t* ancestors, std::uint32_t* changed);

// Judges the entries of the tuples, and sets bit index(v) of `proven` where one shows v's parent to
// be a neighbour or, without parents, its level to be supported. With `count_input` their tuples
// are counted as input edges; with `judge` false nothing else is done.
void judge_tuples(const Judging& at, const TuplePortion& tuples, bool judge, bool count_input,
                  std::uint64_t* proven);
// Reports the facts of `member`'s vertices that no tuple has proven.
void check_proven(const Judging& at, const std::uint64_t* proven);
// The smallest head of an entry from `tail` that leads more than one level down.
void find_head(const Judging& at, const TuplePortion& tuples, global_vertex_t tail);

// Reached vertices of `member`'s, their levels and their hashes.
void count_reached(const Judging& at);
// counts[i] is of vertex first + i.
void count_input_edges(const Judging& at, global_vertex_t first,
                       const cuda::DeviceBuffer<std::uint32_t>& counts);

}  // namespace bfslab::distributed
