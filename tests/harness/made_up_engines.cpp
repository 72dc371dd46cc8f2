// SPDX-License-Identifier: Apache-2.0
// Engines that compute nothing: their tables exercise what a table can express.
#include "kernels/engine.hpp"

namespace bfslab {

namespace {

ToggleGroup group(std::string name,
                  std::vector<std::pair<ToggleValue, ToggleSettings>> expansions) {
  return {std::move(name), "a made-up group", std::move(expansions)};
}

// Toggles, two groups that may clash over `queue`, presets, and a toggle bound to another.
const RegisterEngine kCrossed{{
    .name = "crossed",
    .paper = "",
    .section = "",
    .summary = "Everything a table can say.",
    .can = {},
    .toggles =
        {
            Toggle::choice("queue", "central", {"central", "shared", "scan"}, "Which queue"),
            Toggle::integer("capacity", 64, 1, 1024, "Entries of a shared queue", "",
                            {{"queue", {std::string("shared")}, "other queues have no capacity"}}),
            Toggle::flag("async", false, "Whether levels overlap"),
            Toggle::real("share", 0.5, 0, 1, "A share"),
        },
    .groups =
        {
            group("ad", {{true, {{"queue", std::string("scan")}, {"async", true}}},
                         {false, {{"queue", std::string("central")}, {"async", false}}}}),
            group("wb", {{std::string("thread"), {{"queue", std::string("shared")}}},
                         {std::string("warp"), {{"share", 0.25}}}}),
        },
    .presets =
        {
            {"plain", "Nothing", {}},
            {"tuned",
             "A shared queue",
             {{"queue", std::string("shared")}, {"capacity", std::int64_t{128}}, {"async", true}}},
        },
    .estimate = {},
    .make = {},
}};

ToggleValue word(const char* text) { return std::string(text); }

// Rules that bind single values: `scan_free` and `filter` to different queues, and the default of
// `width` to a default.
const RegisterEngine kMatched{{
    .name = "matched",
    .paper = "",
    .section = "",
    .summary = "Values that go with some values of another toggle.",
    .can = {},
    .toggles =
        {
            Toggle::choice("queue", "local", {"local", "central", "hierarchical"}, "Which queue"),
            Toggle::choice("collect", "scan", {"scan", "scan_free", "filter"}, "Who fills it", "",
                           {{"queue",
                             {word("central"), word("hierarchical")},
                             "claims need a queue of all",
                             {word("scan_free")}},
                            {"queue", {word("central")}, "filters it whole", {word("filter")}}}),
            Toggle::choice("width", "32", {"32", "1"}, "Lanes of a vertex", "",
                           {{"queue",
                             {word("local"), word("central")},
                             "a hierarchical queue is filled by threads",
                             {word("32")}}}),
        },
    .estimate = {},
    .make = {},
}};

Capabilities only_levels_of_symmetric_graphs() {
  Capabilities can;
  can.directed = false;
  can.parents = false;
  return can;
}

const RegisterEngine kLimited{{
    .name = "limited",
    .paper = "",
    .section = "",
    .summary = "Levels, on symmetric graphs.",
    .can = only_levels_of_symmetric_graphs(),
    .toggles = {Toggle::integer("capacity", 8, 1, 16, "Another engine's toggle of that name")},
    .estimate =
        [](const GraphFacts& facts, const Toggles&, Answer) {
          return Estimate{.bytes = static_cast<double>(facts.vertices), .seconds = 0.5};
        },
    .make = {},
}};

Capabilities only_parents() {
  Capabilities can;
  can.levels = false;
  return can;
}

const RegisterEngine kRooted{{
    .name = "rooted",
    .paper = "",
    .section = "",
    .summary = "Parents.",
    .can = only_parents(),
    .toggles = {},
    .estimate = {},
    .make = {},
}};

// Several ranks: of GPUs, and of CPUs only.
const RegisterEngine kRanked{{
    .name = "ranked",
    .paper = "",
    .section = "",
    .summary = "Ranks of GPUs.",
    .can = {.gpu = true, .distributed = true},
    .toggles = {Toggle::integer("threshold", 8, 1, 64, "What is delegated")},
    .estimate = {},
    .make = {},
}};

const RegisterEngine kRankedCpu{{
    .name = "ranked-cpu",
    .paper = "",
    .section = "",
    .summary = "Ranks of CPUs.",
    .can = {.distributed = true},
    .toggles = {},
    .estimate = {},
    .make = {},
}};

}  // namespace

}  // namespace bfslab
