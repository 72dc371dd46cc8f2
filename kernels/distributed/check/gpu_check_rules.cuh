// SPDX-License-Identifier: Apache-2.0
// The kernels of GpuAnswerChecker: the rules that vertices and edges show, and the counts.
#pragma once

#include <cstdint>

#include "datasets/build/counter_random.hpp"
#include "kernels/answer_rules.hpp"
#include "kernels/cuda/check/tree_levels.cuh"
#include "kernels/distributed/edges/device_tuples.cuh"
#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed {

using cuda::kBlockThreads;

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
  unsigned long long other = ~0ULL;    // of long_edges()
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

using Counter = unsigned long long;  // as atomicAdd takes it

// Notes that a rule is broken. This is rare, but one may be broken everywhere: most threads then
// see a smaller one.
__device__ inline void note(Findings* findings, Rule rule, global_vertex_t v) {
  const Counter key = broken_key(rule, v);
  if (*static_cast<volatile Counter*>(&findings->broken) > key) {
    atomicMin(&findings->broken, key);
  }
}

// Judges the rules that a vertex can break by itself, for `member`'s vertices, of which there are
// `count`.
__global__ void __launch_bounds__(kBlockThreads)
    vertex_rules(GatheredAnswer answer, unsigned member, std::uint64_t count, Findings* findings) {
  const level_t* const levels = answer.levels;
  const vertex_t* const parents = answer.parents;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const global_vertex_t v = answer.own.global(member, i);
    const std::uint64_t at = member * answer.stride + i;
    const level_t level = levels != nullptr ? levels[at] : 0;
    const vertex_t parent = parents != nullptr ? parents[at] : 0;
    if (v == answer.source &&
        ((levels != nullptr && level != 0) || (parents != nullptr && parent != v))) {
      note(findings, Rule::source_is_root, v);
    }
    if (levels != nullptr &&
        ((level >= answer.vertices && level != kUnreached) || (level == 0 && v != answer.source))) {
      note(findings, Rule::levels_in_range, v);
    }
    if (parents != nullptr && parent >= answer.vertices && parent != kNoVertex) {
      note(findings, Rule::parents_in_range, v);
    }
    if (levels != nullptr && parents != nullptr && (level == kUnreached) != (parent == kNoVertex)) {
      note(findings, Rule::halves_agree, v);
    }
  }
}

// The tree whose levels kernels/cuda/check/tree_levels.cuh writes to the answer.
struct GatheredTree {
  GatheredAnswer answer;
  Findings* findings;
  std::uint64_t vertices;
  vertex_t source;

  [[nodiscard]] __device__ vertex_t parent(vertex_t v) const {
    return answer.parents[answer.index(v)];
  }
  __device__ void set_level(vertex_t v, level_t level) const {
    answer.levels[answer.index(v)] = level;
  }
  __device__ void broken(Rule rule, vertex_t v) const { note(findings, rule, v); }
};

struct End {
  global_vertex_t vertex;
  std::uint64_t at;  // in the gathered answer
  std::uint64_t level;
};

__device__ inline End end_of(const GatheredAnswer& answer, global_vertex_t v) {
  const std::uint64_t at = answer.index(v);
  return {v, at, answer.levels[at]};
}

__device__ inline bool too_long(const End& from, const End& to) {
  return from.level != kUnreached && to.level > from.level + 1;
}

__device__ inline void prove(std::uint64_t* proven, std::uint64_t at) {
  auto* const word = reinterpret_cast<Counter*>(proven + at / 64);
  const Counter bit = Counter{1} << (at % 64);
  if ((*static_cast<volatile Counter*>(word) & bit) == 0) atomicOr(word, bit);
}

__device__ inline void judge_entry(const GatheredAnswer& answer, const End& from, const End& to,
                                   std::uint64_t* proven, Findings* findings) {
  if (too_long(from, to)) note(findings, Rule::edges_span_one_level, from.vertex);
  if (to.level == kUnreached) return;
  const bool one_down = from.level != kUnreached && from.level + 1 == to.level;
  if (answer.parents == nullptr) {
    if (one_down) prove(proven, to.at);
    return;
  }
  if (answer.parents[to.at] != from.vertex) return;
  prove(proven, to.at);
  if (to.vertex != answer.source && !one_down) {
    note(findings, Rule::parents_one_level_up, to.vertex);
  }
}

// Judges the entries of the tuples, and sets bit index(v) of `proven` where one shows v's parent to
// be a neighbour or, without parents, its level to be supported. Counts the tuples in `input_edges`
// unless it is null; with `judge` false nothing else is done.
template <typename Source>
__global__ void __launch_bounds__(kBlockThreads)
    tuple_rules(Source source, EdgeRules rules, GatheredAnswer answer, bool judge,
                std::uint64_t* proven, Findings* findings, Counter* input_edges) {
  __shared__ typename Source::Tables tables;
  source.open(tables);
  Counter leaving = 0;
  for (std::uint64_t i = grid_thread(); i < source.count; i += grid_threads()) {
    const GlobalEdge edge = source(i);
    const End from = end_of(answer, edge.from);
    leaving += from.level != kUnreached ? 1 : 0;
    const bool loop = edge.from == edge.to;
    if (!judge || (loop && rules.drop_self_loops)) continue;
    const End to = end_of(answer, edge.to);
    judge_entry(answer, from, to, proven, findings);
    if (rules.symmetrize && !loop) judge_entry(answer, to, from, proven, findings);
  }
  if (input_edges != nullptr && leaving > 0) atomicAdd(input_edges, leaving);
}

// Finds the smallest head of an entry from `tail` that leads more than one level down.
template <typename Source>
__global__ void __launch_bounds__(kBlockThreads)
    long_edges(Source source, EdgeRules rules, GatheredAnswer answer, global_vertex_t tail,
               Findings* findings) {
  __shared__ typename Source::Tables tables;
  source.open(tables);
  for (std::uint64_t i = grid_thread(); i < source.count; i += grid_threads()) {
    const GlobalEdge edge = source(i);
    if (edge.from != tail && edge.to != tail) continue;
    const End from = end_of(answer, edge.from);
    const End to = end_of(answer, edge.to);
    if (edge.from == tail && too_long(from, to)) atomicMin(&findings->other, Counter{edge.to});
    if (rules.symmetrize && edge.to == tail && too_long(to, from)) {
      atomicMin(&findings->other, Counter{edge.from});
    }
  }
}

// Reports the facts of `member`'s vertices that no tuple has proven.
__global__ void __launch_bounds__(kBlockThreads)
    unproven(GatheredAnswer answer, unsigned member, std::uint64_t count,
             const std::uint64_t* proven, Findings* findings) {
  const Rule rule =
      answer.parents != nullptr ? Rule::parents_are_neighbors : Rule::levels_are_supported;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const std::uint64_t at = member * answer.stride + i;
    if (answer.levels[at] == kUnreached || ((proven[at / 64] >> (at % 64)) & 1) != 0) continue;
    const global_vertex_t v = answer.own.global(member, i);
    if (v != answer.source) note(findings, rule, v);
  }
}

// Counts the reached vertices of `member`'s, their levels and their hashes.
__global__ void __launch_bounds__(kBlockThreads)
    reached_levels(GatheredAnswer answer, unsigned member, std::uint64_t count,
                   Findings* findings) {
  Counter reached = 0;
  Counter levels = 0;
  Counter sum = 0;
  Counter hashes = 0;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    const level_t level = answer.levels[member * answer.stride + i];
    if (level == kUnreached) continue;
    ++reached;
    sum += level;
    hashes += mix64(answer.own.global(member, i));
    levels = levels > level ? levels : Counter{level} + 1;
  }
  if (reached == 0) return;
  atomicAdd(&findings->reached, reached);
  atomicAdd(&findings->level_sum, sum);
  atomicAdd(&findings->hashes, hashes);
  atomicMax(&findings->levels, levels);
}

// Adds up the input edges of reached vertices: counts[i] is of vertex first + i.
__global__ void __launch_bounds__(kBlockThreads)
    sum_counts(GatheredAnswer answer, global_vertex_t first, const std::uint32_t* counts,
               std::uint64_t count, Findings* findings) {
  Counter sum = 0;
  for (std::uint64_t i = grid_thread(); i < count; i += grid_threads()) {
    if (answer.levels[answer.index(first + i)] != kUnreached) sum += counts[i];
  }
  if (sum > 0) atomicAdd(&findings->input_edges, sum);
}

}  // namespace bfslab::distributed
