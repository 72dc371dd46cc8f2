// SPDX-License-Identifier: Apache-2.0
// The table of GPU parts: the names, inputs and needs of each way to keep a frontier, to share its
// edges among threads, and to share bottom-up vertices. Toggles with their rules, kernels, scratch,
// estimates, tests, `bfslab list parts` and figures read it. A row of kExpansions makes the header
// of kernels/cuda/expand/ with the same name an expansion of dfq, xbfs and, if it says so, gunrock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab::cuda {

// The place of a top-down level's frontier.
enum class Queue : std::uint8_t {
  central,        // in one queue in global memory
  hierarchical,   // likewise, through one queue per block in shared memory
  decentralized,  // nowhere as a whole: each block streams its share through its queue
  adaptive,       // xbfs: central, but decentralized for a level that needs a separate scan
  none            // nowhere: each level scans all statuses
};

// The row of an enumerator: its name, its legal queues of dfq (bit 1 << Queue), and why not others.
struct Named {
  const char* name;
  unsigned queues = 0b10111;
  const char* why = "";
};
inline constexpr Named kQueues[] = {
    {"central"}, {"hierarchical"}, {"decentralized"}, {"adaptive"}, {"none"}};

// The way that a queue gets its entries: by a scan of all statuses with atomics, during the
// expansion of the level before, by two scans and a prefix sum, or from a list with duplicates.
enum class Collect : std::uint8_t { single_scan, scan_free, prefix_sum, filter };
inline constexpr Named kCollects[] = {
    {"single_scan"},
    {"scan_free", 0b11, "without a queue of its own the frontier is found by scanning"},
    {"prefix_sum", 0b1, "it writes one queue in global memory"},
    {"filter", 0b1, "it writes one queue in global memory"}};

// The ways to share bottom-up vertices among threads: the rows of kBalances, in their order.
enum class BalanceBy : std::uint8_t {
  degrees,
  fixed,
  thread,
  bounded,
  warp,
  warp_ahead,
  donation,
  list,
  first_neighbors
};

// The input of an expansion.
enum class Takes : std::uint8_t {
  vertices,  // one vertex for a fixed number of lanes, possibly from a scan of statuses
  entries,   // any list of a queue's entries
  whole,     // the whole frontier at once
  classes,   // the whole frontier at once, in a region for each degree class
  shares     // shares of a vertex's edges in place of vertices (traversal/items.hpp)
};
inline constexpr Named kTakes[] = {
    {"vertices"},
    {"entries", 0b111, "blocks share out entries of a queue"},
    {"whole", 0b11, "it needs the whole frontier, and a decentralized one is streamed"},
    {"classes", 0b1, "it needs a queue for each class, in global memory"},
    {"shares", 0b10101, "hierarchical queues hold vertices, not shares of them"}};

// The needs and abilities of an expansion.
struct ExpansionTraits {
  bool has_width = false;                // the number of lanes that take a vertex is a setting
  bool takes_shares = false;             // its kernels take shares of vertices, too
  bool sums_degrees = false;             // DegreeSums (expand/scratch.hpp)
  const char* runs_as = nullptr;         // the row whose kernels it runs; null: its own
  const char* gunrock_filter = nullptr;  // its name where gunrock filters what it finds; null:
                                         // gunrock does not offer it
};

struct ExpansionPart {
  const char* name;
  Takes takes;
  const char* doc;
  const char* paper;  // as Toggle::paper, or a citation; empty for our own part
  ExpansionTraits traits = {};
};

// clang-format off
inline constexpr ExpansionPart kExpansions[] = {
    {"thread", Takes::vertices, "A thread takes a vertex and reads its edges alone.",
     "dfq II.B", {.takes_shares = true}},
    {"virtual_warp", Takes::vertices, "A group of 1 to 32 lanes takes a vertex.",
     "dfq II.B", {.has_width = true}},
    {"cta", Takes::entries, "A block takes a vertex.", "xbfs 5.1.1"},
    {"thread_warp_cta", Takes::entries, "A block or a warp takes a long row; the edges of short "
     "rows are laid out, one per thread, by a prefix sum over the block.",
     "gunrock 5.1.1", {.gunrock_filter = "thread_warp_cta_filter"}},
    {"group_mapped", Takes::entries, "A warp takes up to 32 vertices, and shares out their edges, "
     "one per lane.", "Osama et al., PPoPP 2023", {.gunrock_filter = "group_mapped_filter"}},
    {"degree_classes", Takes::classes, "A thread, a warp, a block or the grid takes a vertex, by "
     "its degree.", "xbfs 5.1"},
    {"merge_path", Takes::whole, "A warp takes an equal share of edges and vertices together.",
     "Green et al., ICS 2012", {.sums_degrees = true}},
    {"load_balanced", Takes::whole, "A block takes an equal share of the edges.",
     "gunrock 5.1.2", {.sums_degrees = true, .gunrock_filter = "load_balanced_filter"}},
    {"virtual_split", Takes::shares, "A thread takes a virtual vertex, of at most `split` edges.",
     "tigr 4", {.takes_shares = true, .runs_as = "thread"}},
};
// clang-format on

struct Frontier {
  Queue queue = Queue::decentralized;
  Collect collect = Collect::single_scan;
  bool in_global_memory = false;  // decentralized queues; false: in shared memory

  constexpr bool operator==(const Frontier&) const = default;
};

struct FrontierPart {
  const char* name;  // as rows of levels have it
  Frontier frontier;
  const char* doc;
  const char* paper;
};

// clang-format off
inline constexpr FrontierPart kFrontiers[] = {
    {"status_scan", {Queue::none}, "Each level scans all statuses and expands what it finds.",
     "dfq II.B"},
    {"single_scan", {Queue::central}, "A scan of all statuses fills one queue by atomics.",
     "xbfs 4.1"},
    {"scan_free", {Queue::central, Collect::scan_free},
     "Expansion claims what it finds and queues it at once.", "xbfs 4.1"},
    {"prefix_sum", {Queue::central, Collect::prefix_sum},
     "Two scans with a prefix sum between them fill one queue.", "xbfs 4.1"},
    {"filter", {Queue::central, Collect::filter},
     "Expansion lists candidates, of which a filter queues each vertex once.", "gunrock 5.2"},
    {"hierarchical_single_scan", {Queue::hierarchical},
     "A scan fills a queue of each block, which joins the global one.", "dfq II.C"},
    {"hierarchical_scan_free", {Queue::hierarchical, Collect::scan_free},
     "Expansion fills a queue of each block, which joins the global one.", "dfq II.C"},
    {"decentralized_shared", {Queue::decentralized},
     "A block fills a queue in shared memory by a scan, and expands it when it is full.", "dfq IV"},
    {"decentralized_global", {Queue::decentralized, Collect::single_scan, true},
     "Likewise, with queues in global memory.", "dfq IV"},
};
// clang-format on

struct BalancePart {
  const char* name;
  const char* doc;
  const char* paper;
};

inline constexpr BalancePart kBalances[] = {
    {"degree_classes", "A thread, a warp or a block takes a vertex, by its degree.", "xbfs 5.1.1"},
    {"static", "A thread takes every T-th vertex, of T threads.", "xbfs 5.1.2"},
    {"thread", "Threads fetch vertices from a shared counter.", "xbfs 5.1.2"},
    {"thread_bounded",
     "Lanes of a warp fetch together; after 128 neighbours a vertex goes on by warp "
     "and block.",
     ""},
    {"warp", "Warps fetch 32 vertices at once from a shared counter.", "xbfs 5.1.2"},
    {"warp_ahead", "Likewise, and fetch the next 32 before they look at these.", ""},
    {"donation", "As warp; lanes that are done help the last one of their warp.", "xbfs 5.1.2"},
    {"unvisited_list", "Gunrock's pull: a list of the unvisited, and bitmaps.", "gunrock 5.1.3"},
    {"first_neighbors", "Bitmaps; a vertex looks at its first neighbour, then at its row.", ""},
};

// Returns the number of the row of that name in one of these tables. Throws std::invalid_argument
// if there is none, which is a compile-time error in a constant expression.
constexpr std::size_t row_of(const auto& table, std::string_view name) {
  for (std::size_t i = 0; i < std::size(table); ++i) {
    if (table[i].name == name) return i;
  }
  throw std::invalid_argument("no GPU part " + std::string(name));
}
// The row of an enumerator.
template <typename Enum>
constexpr const Named& named(const Named* table, Enum value) {
  return table[static_cast<std::size_t>(value)];
}
constexpr const ExpansionPart& expansion(std::string_view name) {
  return kExpansions[row_of(kExpansions, name)];
}

constexpr bool needs_whole(Takes takes) { return takes == Takes::whole || takes == Takes::classes; }

// Returns whether such a queue can give an expansion its input.
constexpr bool is_sound(Takes takes, Queue queue) {
  return (named(kTakes, takes).queues >> static_cast<unsigned>(queue) & 1U) != 0;
}

// Returns the names of the rows for which `is_wanted(row)` holds, in the table's order. Value:
// std::string for the choices of a toggle, or ToggleValue for its rules.
template <typename Value, typename IsWanted>
std::vector<Value> names_of(const auto& table, IsWanted is_wanted) {
  std::vector<Value> names;
  for (const auto& row : table) {
    if (is_wanted(row)) names.emplace_back(std::string(row.name));
  }
  return names;
}

}  // namespace bfslab::cuda
