// SPDX-License-Identifier: Apache-2.0
// The settings of `fused` that several members have in common, and what they make of a graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cuda/bottom_up/first_neighbors.hpp"
#include "kernels/cuda/fused/member.hpp"
#include "kernels/toggle.hpp"

namespace bfslab::cuda {

// Settings that `fused` has, too.
inline constexpr const char* kListFewText =
    "Bottom-up lists the vertices that it finds while a block finds at most 128, so that the way "
    "back top-down needs no sweep";
inline constexpr const char* kFirstRowText =
    "Each block reads a source's row of up to 1,024 neighbours, so that the first level needs no "
    "barrier of its own; not in a cluster";
inline constexpr const char* kLateLabelsText =
    "A sweep before a level that is expected to go bottom-up queues and labels nothing; that level "
    "labels both";
inline constexpr const char* kLeavesApartText =
    "Vertices of one neighbour are left out, and labelled at the end, in ids by degree of "
    "symmetric "
    "graphs; levels that the host drives have them";
inline constexpr const char* kSearchesText =
    "Searches in a row without returning to the host, each timed by the device's clock; answers "
    "are "
    "kept until all are done";

inline std::vector<Toggle> fused_member_toggles() {
  return {
      Toggle::choice("map_back", "in_time", {"in_time", "after"},
                     "Whether the answer is put into the graph's own ids inside the timer or after "
                     "it"),
      Toggle::real("alpha", 0, 0, 1e9,
                   "Bottom-up where the frontier's edges times this exceed those that are not "
                   "reached yet; 0 is 15, of frontiers that have more edges than all before them"),
      Toggle::real("beta", 1024, 0, 1e9,
                   "Top-down again where the frontier's vertices times this are fewer than all"),
      Toggle::integer("hot_kib", 96, 0, 128,
                      "KiB of the frontier's first bits that a block keeps in shared memory "
                      "bottom-up"),
      Toggle::flag("late_labels", true, kLateLabelsText),
      Toggle::flag("list_few", true, kListFewText),
      Toggle::flag("first_row", true, kFirstRowText),
      Toggle::flag("few_lists", true,
                   "Top-down levels of up to 65,536 edges pass finds between members as lists"),
      Toggle::flag("leaves_apart", true, kLeavesApartText),
  };
}

// Returns the bytes of a member's lists of what it has found (FusedMember::found).
inline double found_bytes(const Toggles& toggles, bool parents) {
  return toggles.flag("few_lists") ? (parents ? 8.0 : 4.0) * static_cast<double>(kFusedFewEdges)
                                   : 0;
}

struct FusedMemberSettings {
  explicit FusedMemberSettings(const Toggles& toggles)
      : maps_after(toggles.choice("map_back") == "after"),
        leaves_apart(toggles.flag("leaves_apart")),
        labels_late(toggles.flag("late_labels")),
        begins_at_row(toggles.flag("first_row")),
        lists_few(toggles.flag("list_few")),
        passes_lists(toggles.flag("few_lists")),
        hot_words(static_cast<std::uint32_t>(toggles.integer("hot_kib")) * 256),
        rules{.small = false, .alpha = toggles.real("alpha"), .beta = toggles.real("beta")} {
    rules.careful = rules.alpha == 0;
  }

  bool maps_after, leaves_apart, labels_late, begins_at_row, lists_few, passes_lists;
  std::uint32_t hot_words;
  FusedRules rules;

  // Completes the rules by the vertices that have edges, by all directed entries, and by the mean
  // degree of the vertices that these lead to.
  void set_graph(vertex_t ranks, edge_t edges, double end_degree) {
    rules.vertices = static_cast<double>(ranks);
    rules.edges = static_cast<double>(edges);
    if (rules.careful) rules.alpha = FusedRules::alpha_by_degree(rules.vertices);
    if (labels_late) rules.end_degree = end_degree;
  }
};

// Sets the vertices that member m searches, vertices_of[m], and the turns of its `warps` warps.
template <typename Offset>
void search_own(FusedMember<Offset>& work, unsigned m, std::uint32_t warps) {
  work.vertices = work.reachable = work.vertices_of[m];
  work.words = static_cast<std::uint32_t>((std::size_t{work.vertices} + 31) / 32);
  work.up_chunk = words_per_turn(work.words, warps);
  work.chunk = std::max(work.up_chunk, 8U);
  work.misses = work.up_chunk < 8 ? 16U : 64U;
}

}  // namespace bfslab::cuda
