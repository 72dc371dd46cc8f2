// SPDX-License-Identifier: Apache-2.0
// The registration of fused. The engine itself is engine.cu, which a build without CUDA omits.
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/fused/member_toggles.hpp"
#include "kernels/cuda/fused/order.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab::cuda {

bool fused_may_be_resident(const Toggles& toggles) {
  if (toggles.choice("resident") == "never") return false;
  const Toggles defaults(find_engine("fused")->toggles);
  return std::ranges::all_of(toggles.values(), [&](const auto& setting) {
    constexpr std::array<std::string_view, 3> kLeftOpen{"map_back", "resident_blocks", "searches"};
    const auto& [name, value] = setting;
    return std::ranges::count(kLeftOpen, name) > 0 || value == defaults.at(name);
  });
}

unsigned fused_resident_blocks(const Toggles& toggles) {
  const std::string& blocks = toggles.choice("resident_blocks");
  unsigned number = 0;  // for "auto", too
  std::from_chars(blocks.data(), blocks.data() + blocks.size(), number);
  return number;
}

namespace {

// Returns the bytes beyond the host's CSR, without a few kilobytes of counts. The graph as given
// stays until the searched one is made. A resident graph's parts, a few megabytes at most, and the
// table of cuts, a tenth of the longest rows, depend on the device, which may have no clusters and
// any number of blocks: MemoryUse::sized_by_device has them.
double fused_bytes(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const std::string& order = toggles.choice("order");
  const bool ordered =
      order == "degree" || order == "rcm" || (order == "auto" && facts.max_degree > kFewNeighbors);
  const bool up = toggles.flag("bottom_up");
  const double copies = up && !facts.symmetric ? 2 : 1;
  const double offset = facts.edges <= kNarrowEdges ? 4 : 8;
  const double answers = (wants_parents(answer) ? 8 : 4) * n;
  double bytes = copies * (offset * (n + 1) + 4 * m) + answers;
  if (up) bytes += 4 * n + 8 * m / 64;  // first neighbours, segments of rows
  if (n > 0) {
    // Vertices without edges are left out, which raises the mean.
    const unsigned max = max_packed(facts.max_degree <= kFewNeighbors, facts.edges);
    const unsigned packed = packed_to(facts.vertices, facts.edges, max);
    bytes += 4 * n * (ordered && packed > 4 ? max : packed);
  }
  if (ordered) bytes += 8.5 * n + 2 * answers;       // ids and their order, the answer in them
  bytes += 5 * n / 8 + 8 * n + 8 * n;                // bits, queues, sums
  bytes += 16 * std::min<double>(n, kClaimedEdges);  // sums of levels that claim
  const std::size_t batch = batch_of(toggles);
  if (batch > 1) bytes += batch_bytes(n, m);
  const auto searches =
      std::max(static_cast<double>(toggles.integer("searches")), static_cast<double>(batch));
  if (searches > 1) bytes += searches * answers;
  return bytes;
}

const LegalWith kOnlyUp{"bottom_up", {true}, "nothing is ever searched bottom-up"};
const LegalWith kOnlySmall{"small", {true}, "no level runs apart from the grid"};
const LegalWith kOnlyPersistent{
    "launch", {std::string("persistent")}, "the host drives one search at a time"};
const LegalWith kOnlyResident{"resident", {std::string("auto")}, "no graph is resident"};
// The settings of searches in the device's memory have no effect on a resident graph.
std::vector<LegalWith> only_resident() {
  constexpr const char* kWhy = "nothing else is decided where a graph is resident";
  return {kOnlyResident,
          {"order", {std::string("auto")}, kWhy},
          {"bottom_up", {true}, kWhy},
          {"alpha", {0.0}, kWhy},
          {"beta", {0.0}, kWhy},
          {"hot_kib", {std::int64_t{96}}, kWhy},
          {"degree_table", {true}, kWhy},
          {"late_labels", {true}, kWhy},
          {"list_few", {true}, kWhy},
          {"leaves_apart", {true}, kWhy},
          {"first_row", {true}, kWhy},
          {"first_parents", {true}, kWhy},
          {"hub_first", {true}, kWhy},
          {"cut_degree", {std::int64_t{512}}, kWhy},
          {"small", {true}, kWhy},
          {"cluster", {true}, kWhy},
          {"launch", {std::string("persistent")}, "the host launches levels of other graphs"}};
}
const LegalWith kOnlyAlone{"batch", {std::int64_t{1}}, "sources are searched together"};
const LegalWith kOnlyOrdered{"order",
                             {std::string("auto"), std::string("degree"), std::string("rcm")},
                             "ids are as given already"};
const LegalWith kNotByDegree{"order",
                             {std::string("auto"), std::string("rcm"), std::string("none")},
                             "rows by degree begin with it already"};
const LegalWith kOnlyByDegree{
    "order", {std::string("auto"), std::string("degree")}, "ids are not by degree"};

const RegisterEngine registration{{
    .name = "fused",
    .paper = "",
    .section = "",
    .summary = "All levels in one kernel over bits: ids by degree, top-down by merge path, "
               "bottom-up by first neighbours, small frontiers in one block.",
    .can = {.needs_transpose = true, .gpu = true},
    .toggles =
        {
            Toggle::choice("order", "auto", {"auto", "degree", "rcm", "none"},
                           "Ids of the search, made as set-up: by descending degree, without "
                           "isolated vertices; by reverse Cuthill-McKee, on one thread of the "
                           "host; as given; auto: by degree if some vertex has more than 32 "
                           "neighbours and sampled searches gain by it"),
            Toggle::choice("map_back", "in_time", {"in_time", "after"},
                           "Whether the answer is put into the graph's own ids inside the timer or "
                           "after it",
                           "", {kOnlyOrdered}),
            Toggle::flag("bottom_up", true, "Levels may go bottom-up"),
            Toggle::real("alpha", 0, 0, 1e9,
                         "Bottom-up where the frontier's edges times this exceed those that are "
                         "not reached yet; 0: as suits sampled searches, made as set-up, and only "
                         "from frontiers of more edges than all before them",
                         "", {kOnlyUp}),
            Toggle::real("beta", 0, 0, 1e9,
                         "Top-down again where the frontier's vertices times this are fewer than "
                         "all; 0: as suits these searches",
                         "", {kOnlyUp}),
            Toggle::integer("hot_kib", 96, 0, 128,
                            "KiB of the frontier's first bits that a block keeps in shared memory "
                            "bottom-up, in graphs of more than 8 million vertices",
                            "", {kOnlyUp}),
            Toggle::flag("degree_table", true,
                         "Bottom-up, a table says where rows of up to 32 neighbours begin, in ids "
                         "by degree of symmetric graphs",
                         "", {kOnlyUp, kOnlyByDegree}),
            Toggle::flag("late_labels", true, kLateLabelsText, "", {kOnlyUp}),
            Toggle::flag("list_few", true, kListFewText, "", {kOnlyUp, kOnlyPersistent}),
            Toggle::flag("first_row", true, kFirstRowText, "", {kOnlyPersistent}),
            Toggle::flag("leaves_apart", true, kLeavesApartText, "",
                         {kOnlyUp, kOnlyByDegree, kOnlyPersistent}),
            Toggle::flag("hub_first", true, "Rows begin with their largest neighbour", "",
                         {kOnlyUp, kNotByDegree}),
            Toggle::flag("first_parents", true, "Levels mark first neighbours as parents", "",
                         {kOnlyUp, kOnlyOrdered}),
            Toggle::integer("cut_degree", 512, 0, 65536,
                            "Fewest neighbours of a row that is cut top-down; 0: none", "",
                            {kOnlyByDegree, kOnlyPersistent}),
            Toggle::flag("small", true, "One block runs small levels by itself"),
            Toggle::flag("cluster", true,
                         "In graphs of small degrees a cluster of eight blocks runs the first "
                         "levels, up to 8,192 vertices each, the smallest in one of its blocks, "
                         "where the GPU has clusters",
                         "", {kOnlySmall}),
            Toggle::choice(
                "resident", "auto", {"auto", "never"},
                "Graphs that fit are searched in the shared memory of a cluster of blocks, "
                "in ids as given, but not above 65,536 vertices of at most 32 neighbours each; "
                "auto: where all settings but map_back, resident_blocks and searches are at their "
                "defaults"),
            Toggle::choice(
                "resident_blocks", "auto", {"auto", "2", "4", "8", "16"},
                "The blocks that share such a graph, of any degrees; unsupported "
                "where it does not fit; auto: sixteen, or eight where clusters are smaller",
                "", only_resident()),
            Toggle::choice("launch", "persistent", {"persistent", "host"},
                           "Who drives the levels: the host, or one kernel that runs them all"),
            Toggle::integer("searches", 1, 1, 64, kSearchesText, "", {kOnlyPersistent, kOnlyAlone}),
            batch_toggle(),
            depth_limit_toggle(),
        },
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          const double an_edge = toggles.flag("bottom_up") ? 2e-12 : 1e-11;
          const double seconds = 5e-5 + an_edge * static_cast<double>(facts.edges) +
                                 2e-11 * static_cast<double>(facts.vertices);
          return Estimate{.bytes = fused_bytes(facts, toggles, answer), .seconds = seconds};
        },
    .make = [](const EngineSettings& settings) { return make_fused(settings); },
    .may_refuse =
        [](const Toggles& toggles) {
          return fused_resident_blocks(toggles) != 0 || batch_of(toggles) > 1;
        },
}};

}  // namespace
}  // namespace bfslab::cuda
