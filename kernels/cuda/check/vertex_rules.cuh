// SPDX-License-Identifier: Apache-2.0
// The rules that one vertex shows, and the counts.
//
// Cost: levels, parents, offsets and input counts streamed (4 to 20 bytes per vertex); per reached
// vertex, if parents were given, a binary search of its row and one random level.
#pragma once

#include "kernels/cuda/check/judged.hpp"

namespace bfslab::cuda {

// Requires ascending rows.
__device__ inline bool row_holds(const CsrView& graph, vertex_t row, vertex_t wanted) {
  edge_t begin = graph.row_offsets[row];
  const edge_t row_end = graph.row_offsets[row + std::uint64_t{1}];
  edge_t end = row_end;
  while (begin < end) {
    const edge_t middle = begin + (end - begin) / 2;
    if (graph.columns[middle] < wanted) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < row_end && graph.columns[begin] == wanted;
}

// Searches the child's row of in-neighbours if there is one, since a hub has many children.
__device__ inline bool is_edge(const JudgedGraph& graph, vertex_t parent, vertex_t child) {
  return graph.in.row_offsets != nullptr ? row_holds(graph.in, child, parent)
                                         : row_holds(graph.out, parent, child);
}

// Returns the first rule that v breaks, as a key. No value is used as an index before its check.
__device__ inline std::uint64_t broken_by(const JudgedGraph& graph, const JudgedVectors& answer,
                                          vertex_t v, level_t level) {
  const vertex_t n = graph.out.vertices;
  const bool root = v == answer.source;
  const vertex_t parent = answer.parents != nullptr ? answer.parents[v] : kNoVertex;
  if (answer.levels_given) {
    if (root && level != 0) return broken_key(Rule::source_is_root, v);
    if (root && answer.parents != nullptr && parent != v) {
      return broken_key(Rule::source_is_root, v);
    }
    if ((level >= n && level != kUnreached) || (level == 0 && !root)) {
      return broken_key(Rule::levels_in_range, v);
    }
  }
  if (answer.parents == nullptr) return kNothingBroken;
  // With parents alone, deriving the levels has checked the first two rules.
  if (parent >= n && parent != kNoVertex) return broken_key(Rule::parents_in_range, v);
  if (answer.levels_given && (level == kUnreached) != (parent == kNoVertex)) {
    return broken_key(Rule::halves_agree, v);
  }
  if (root || parent == kNoVertex) return kNothingBroken;
  if (!is_edge(graph, parent, v)) return broken_key(Rule::parents_are_neighbors, v);
  const level_t above = answer.levels[parent];
  if (answer.levels_given && (above == kUnreached || above + 1 != level)) {
    return broken_key(Rule::parents_one_level_up, v);
  }
  return kNothingBroken;
}

struct Tally {
  std::uint64_t first_broken = kNothingBroken;
  std::uint64_t deepest = 0;
  std::uint64_t reached = 0;
  std::uint64_t level_sum = 0;
  std::uint64_t edges = 0;
  std::uint64_t input_edges = 0;
};

// Called by every lane of the warp; the first adds to the report.
__device__ inline void add_warps(Tally tally, CheckReport* report) {
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    const auto theirs = [&](std::uint64_t value) {
      return __shfl_down_sync(kAllLanes, value, distance);
    };
    tally.first_broken = min(tally.first_broken, theirs(tally.first_broken));
    tally.deepest = max(tally.deepest, theirs(tally.deepest));
    tally.reached += theirs(tally.reached);
    tally.level_sum += theirs(tally.level_sum);
    tally.edges += theirs(tally.edges);
    tally.input_edges += theirs(tally.input_edges);
  }
  if (threadIdx.x % kWarp != 0) return;
  if (tally.first_broken != kNothingBroken) report_broken(report, tally.first_broken);
  if (tally.reached == 0) return;
  atomicMax(&report->deepest, tally.deepest);
  atomicAdd(&report->reached, tally.reached);
  atomicAdd(&report->level_sum, tally.level_sum);
  atomicAdd(&report->edges, tally.edges);
  atomicAdd(&report->input_edges, tally.input_edges);
}

// Counts, and, if `rules`, judges what one vertex and its parent show.
__global__ void vertex_rules(JudgedGraph graph, JudgedVectors answer, bool rules,
                             CheckReport* report) {
  Tally tally;
  for (std::uint64_t i = grid_thread(); i < graph.out.vertices; i += grid_threads()) {
    const auto v = static_cast<vertex_t>(i);
    const level_t level = answer.levels[v];
    if (rules) tally.first_broken = min(tally.first_broken, broken_by(graph, answer, v, level));
    if (level == kUnreached) continue;
    tally.deepest = max(tally.deepest, std::uint64_t{level});
    ++tally.reached;
    tally.level_sum += level;
    tally.edges += graph.out.row_offsets[i + 1] - graph.out.row_offsets[i];
    if (graph.input_edges != nullptr) tally.input_edges += graph.input_edges[v];
  }
  __syncwarp();
  add_warps(tally, report);
}

// Judges that every reached vertex but the source has its bit in `supported` [ceil(n / 32)].
__global__ void support_rule(JudgedVectors answer, vertex_t n, const std::uint32_t* supported,
                             CheckReport* report) {
  for (std::uint64_t i = grid_thread(); i < n; i += grid_threads()) {
    const auto v = static_cast<vertex_t>(i);
    if (v == answer.source || answer.levels[v] == kUnreached) continue;
    if ((supported[v / kWarp] >> (v % kWarp) & 1U) == 0) {
      report_broken(report, broken_key(Rule::levels_are_supported, v));
    }
  }
}

}  // namespace bfslab::cuda
