// SPDX-License-Identifier: Apache-2.0
// The registration of xbfs: XBFS (Gaihre et al., HPDC 2019), with every technique as a toggle. The
// engine itself is engine.cu, which a build without CUDA omits.
#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/engines/xbfs/memory.hpp"

namespace bfslab::cuda {
namespace {

ToggleSettings adaptive(bool on) {
  return {{"scan_free", on}, {"single_scan", on}, {"no_generation", on}, {"double_scan", on}};
}

// Over Enterprise, too: its bins, and its rule, which never returns to top-down, give way.
ToggleSettings adaptive_over_baseline() {
  ToggleSettings settings = adaptive(true);
  settings.emplace_back("bins", false);
  settings.emplace_back("rule", "xbfs");
  return settings;
}

ToggleSettings balance(const char* name) { return {{"balance", name}}; }

bool has_bottom_up_queue(const BalancePart& part) {
  const std::string name = part.name;
  return name != "unvisited_list" && name != "first_neighbors";
}

// All but Enterprise's, which is `false`, and those that keep bits in place of a queue.
ToggleGroup balances() {
  ToggleGroup group{"wb",
                    "Bottom-up workload balance; false: by degree, as Enterprise",
                    {{false, balance("degree_classes")}}};
  for (const BalancePart& part : kBalances) {
    if (part.name == std::string("degree_classes") || !has_bottom_up_queue(part)) continue;
    group.expansions.emplace_back(std::string(part.name), balance(part.name));
  }
  return group;
}

bool takes_vertices(const ExpansionPart& part) { return part.takes != Takes::shares; }
bool has_no_classes(const ExpansionPart& part) { return is_sound(part.takes, Queue::hierarchical); }

ToggleSettings enterprise(bool as_published) {
  ToggleSettings settings = adaptive(false);
  settings.emplace_back("balance", "degree_classes");
  settings.emplace_back("async", false);
  for (const char* const technique : {"hub_cache", "bins", "class_kernels", "edgeless"}) {
    settings.emplace_back(technique, as_published);
  }
  settings.emplace_back("rule", as_published ? "enterprise" : "xbfs");
  return settings;
}

constexpr const char* kHostWaits = "between its kernels the host waits";

const RegisterEngine registration{{
    .name = "xbfs",
    .paper = "xbfs",
    .section = "4, 5",
    .summary = "Adaptive frontiers, balanced and asynchronous bottom-up, over Enterprise.",
    .can = {.needs_transpose = true, .gpu = true},
    .toggles =
        {
            Toggle::flag("scan_free", true,
                         "Small top-down levels queue what they claim; off: prefix sum",
                         "xbfs 4.1"),
            Toggle::flag("single_scan", true,
                         "The level before bottom-up gathers by one scan and atomics; off: prefix "
                         "sum",
                         "xbfs 4.1"),
            Toggle::flag("no_generation", true,
                         "The first top-down level after bottom-up takes its queue; off: prefix "
                         "sum",
                         "xbfs 4.1"),
            Toggle::flag("double_scan", true,
                         "The bottom-up queue by coalesced segments; off: prefix sum over runs",
                         "xbfs 4.2"),
            Toggle::choice(
                "queue", "central", {"central", "hierarchical", "decentralized", "adaptive"},
                "Where frontiers of top-down levels are kept; decentralized: every such level "
                "streams its own, and scan_free, single_scan and no_generation have no say; "
                "adaptive: a queue where the rule queues, a stream where it would scan",
                "dfq II to IV",
                {{"launch",
                  {"host", "graph"},
                  "inside one kernel these queues would take threads from all other parts"},
                 {"expand",
                  names_of<ToggleValue>(kExpansions, has_no_classes),
                  "hierarchical queues have no region a degree class",
                  {"hierarchical"}}}),
            Toggle::choice(
                "expand", "degree_classes", names_of<std::string>(kExpansions, takes_vertices),
                "How top-down levels share a frontier's edges among threads; streamed levels take "
                "thread_warp_cta where it needs the whole frontier",
                "xbfs 5.1",
                {{"launch",
                  {"host", "graph"},
                  "inside one kernel the expansions would take threads from all other parts"}}),
            Toggle::choice(
                "balance", "warp",
                names_of<std::string>(kBalances, [](const auto&) { return true; }),
                "How bottom-up vertices are shared among threads; thread_bounded: what a "
                "thread has not found after 128 neighbours goes on by warp and block; "
                "unvisited_list: Gunrock's pull by list and bitmap; first_neighbors: each vertex "
                "looks at its first neighbour, in an array of these, before its row",
                "xbfs 5.1",
                {{"async",
                  {false},
                  "its bitmaps hold no levels, and asynchronous bottom-up needs them",
                  {"unvisited_list", "first_neighbors"}},
                 {"hub_cache",
                  {false},
                  "it looks vertices up in a bitmap",
                  {"unvisited_list", "first_neighbors"}},
                 {"no_generation",
                  {false},
                  "it leaves no queue that a level could take",
                  {"first_neighbors"}}}),
            Toggle::flag("async", true,
                         "A bottom-up level also finds vertices of the level after the next",
                         "xbfs 5.2"),
            Toggle::flag("hub_cache", false,
                         "Bottom-up looks hubs of the frontier up in shared memory", "xbfs 6"),
            Toggle::flag("bins", false,
                         "Threads of a scan sort what they find into bins by degree class, which "
                         "prefix sums place; off: they count, and look again",
                         "enterprise",
                         {{"launch", {"host"}, kHostWaits},
                          {"queue", {"central"}, "it fills a queue of all blocks"},
                          {"expand", {"degree_classes"}, "bins are of degree classes"}}),
            Toggle::flag("class_kernels", false,
                         "Each degree class has kernels and a stream of its own, where a level's "
                         "vertices are shared out by their degree; off: one kernel for all",
                         "enterprise",
                         {{"launch", {"host"}, kHostWaits},
                          {"queue", {"central"}, "other queues have no degree classes"},
                          {"expand", {"degree_classes"}, "no other expansion has classes"}}),
            Toggle::flag("edgeless", false, "Bottom-up also looks at vertices that no edge enters",
                         "xbfs 2.2",
                         {{"balance", names_of<ToggleValue>(kBalances, has_bottom_up_queue),
                           "it keeps the unvisited in another way"}}),
            Toggle::choice("rule", "xbfs", {"xbfs", "enterprise"},
                           "Direction; xbfs: by alpha, either way; enterprise: bottom-up once a "
                           "frontier after the first level has gamma of the adjacency entries, and "
                           "to the end",
                           "xbfs 4.3"),
            Toggle::real("alpha", 0.1, 0, 1,
                         "Bottom-up while edgeCheck is this share of the adjacency entries",
                         "xbfs 4.3", {{"rule", {"xbfs"}, "the rule of Enterprise goes by gamma"}}),
            Toggle::real("gamma", 0.3, 0, 1,
                         "Bottom-up once edgeCheck is this share of the adjacency entries",
                         "enterprise",
                         {{"rule", {"enterprise"}, "the rule of XBFS goes by alpha"}}),
            Toggle::choice("launch", "host", {"host", "graph", "persistent"},
                           "Who drives the levels: the host, one CUDA graph, or one kernel that "
                           "runs them all"),
            Toggle::choice("edge_check", "level", {"level", "cumulative"},
                           "edgeCheck: the frontier's edges, or these and all frontiers' before",
                           "xbfs 4.3"),
        },
    .groups =
        {
            {"ad",
             "Adaptive frontiers: its four techniques",
             {{true, adaptive_over_baseline()}, {false, adaptive(false)}}},
            balances(),
            {"decentralized",
             "Top-down levels stream frontiers by a queue a block",
             {{true, {{"queue", "decentralized"}}}, {false, {{"queue", "central"}}}}},
        },
    .presets = {{"enterprise",
                 "Enterprise as published, the paper's baseline: bins, and kernels for each degree "
                 "class, a hub cache, and bottom-up to the end",
                 enterprise(true)},
                {"enterprise_tuned",
                 "Its work in fewer steps: status scans with prefix sums, queues by degree",
                 enterprise(false)}},
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          // Fitted only to the gather rates of one H200; used by `bfslab check`.
          const double seconds = 1e-4 + 5e-12 * static_cast<double>(facts.edges) +
                                 2e-11 * static_cast<double>(facts.vertices);
          return Estimate{.bytes = xbfs_bytes(facts, toggles, answer), .seconds = seconds};
        },
    .make = [](const EngineSettings& settings) { return make_xbfs(settings); },
    .may_refuse = [](const Toggles& toggles) { return toggles.choice("queue") == "hierarchical"; },
}};

}  // namespace
}  // namespace bfslab::cuda
