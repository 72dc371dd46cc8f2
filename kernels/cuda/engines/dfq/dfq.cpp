// SPDX-License-Identifier: Apache-2.0
// The registration of dfq: the queues of DFQ (Hsieh et al., DATE 2023) and their rivals, each with
// every sound expansion. The engine itself is engine.cu, which a build without CUDA omits.
//
// Each default is the paper's form; `reserve` = exact, `scan` = interleaved and `enqueue` = warp
// are ours. How the paper's sections are read, and what is mended of Figure 4:
// frontier/decentralized.cuh.
// The paper compares BASE and DFQ by single-scan with HQ by scan-free, two changes at once
// (docs/errata.md#dfq-collection); the presets have both collections of either.
#include "kernels/cuda/engines/make_engine.hpp"

namespace bfslab::cuda {
namespace {

bool has_width(const ExpansionPart& part) { return part.traits.has_width; }
bool takes_shares_only(const ExpansionPart& part) { return part.takes == Takes::shares; }

// Limits `values` to the queues that work with the row.
LegalWith queue_rule(const Named& row, std::vector<ToggleValue> values) {
  auto queues = names_of<ToggleValue>(
      kQueues, [&](const Named& queue) { return (row.queues >> (&queue - kQueues) & 1U) != 0; });
  return {"queue", std::move(queues), row.why, std::move(values)};
}

std::vector<LegalWith> rules_of_collect() {
  std::vector<LegalWith> rules;
  for (const Collect collect : {Collect::scan_free, Collect::prefix_sum, Collect::filter}) {
    rules.push_back(queue_rule(named(kCollects, collect), {named(kCollects, collect).name}));
  }
  return rules;
}

std::vector<LegalWith> rules_of_expand() {
  std::vector<LegalWith> rules;
  for (const Takes takes : {Takes::entries, Takes::whole, Takes::classes, Takes::shares}) {
    rules.push_back(queue_rule(named(kTakes, takes),
                               names_of<ToggleValue>(kExpansions, [&](const ExpansionPart& part) {
                                 return part.takes == takes;
                               })));
  }
  rules.push_back({"collect",
                   {"single_scan"},
                   "shares of a vertex are collected by scanning them",
                   names_of<ToggleValue>(kExpansions, takes_shares_only)});
  return rules;
}

Reserve reserve_of(const std::string& name) {
  if (name == "warp") return Reserve::warp;
  return name == "cta" ? Reserve::cta : Reserve::exact;
}

TopDownSettings settings_of(const Toggles& toggles) {
  TopDownSettings settings;
  settings.frontier = {
      .queue = static_cast<Queue>(row_of(kQueues, toggles.choice("queue"))),
      .collect = static_cast<Collect>(row_of(kCollects, toggles.choice("collect"))),
      .in_global_memory = toggles.choice("memory") == "global"};
  settings.expand = &expansion(toggles.choice("expand"));
  settings.one_atomic_a_vertex = toggles.choice("enqueue") == "thread";
  settings.capacity = static_cast<std::uint32_t>(toggles.integer("capacity"));
  settings.reserve = reserve_of(toggles.choice("reserve"));
  settings.scan_by_block = toggles.choice("scan") == "by_block";
  settings.ctas = static_cast<unsigned>(toggles.integer("ctas"));
  settings.threads = static_cast<unsigned>(std::stoul(toggles.choice("threads")));
  settings.width = static_cast<unsigned>(std::stoul(toggles.choice("width")));
  if (takes_shares_only(*settings.expand)) {
    settings.split = static_cast<unsigned>(toggles.integer("split"));
  }
  settings.persistent = toggles.choice("launch") == "persistent";
  return settings;
}

ToggleSettings queue_and(const char* queue, const char* collect, const char* memory) {
  return {{"queue", queue}, {"collect", collect}, {"memory", memory}};
}

ToggleSettings hierarchical(const char* collect) {
  ToggleSettings settings = queue_and("hierarchical", collect, "shared");
  settings.emplace_back("capacity", std::int64_t{0});
  return settings;
}

ToggleSettings harish() {
  ToggleSettings settings = queue_and("none", "single_scan", "shared");
  settings.emplace_back("expand", "thread");
  return settings;
}

const RegisterEngine registration{{
    .name = "dfq",
    .paper = "dfq",
    .section = "II to V",
    .summary =
        "Top-down by any frontier queue with any expansion; a decentralized queue by default.",
    .can = {.streamed_frontier = true, .gpu = true},
    .toggles =
        {
            Toggle::choice(
                "queue", "decentralized", {"none", "central", "hierarchical", "decentralized"},
                "Where frontiers are kept; none: each level looks at all statuses", "dfq II to IV"),
            Toggle::choice(
                "collect", "single_scan",
                names_of<std::string>(kCollects, [](const auto&) { return true; }),
                "How frontiers are collected: by a scan and atomics, while expanding, by a prefix "
                "sum, or with duplicates that a filter takes out",
                "dfq V.C", rules_of_collect()),
            Toggle::choice("memory", "shared", {"shared", "global"},
                           "Where decentralized sub-queues lie: DFQ-S or DFQ-G", "dfq V.A",
                           {{"queue",
                             {"decentralized"},
                             "central queues lie in global memory, hierarchical ones in both"}}),
            Toggle::integer(
                "capacity", 2048, 0, 65536,
                "Entries of a CTA's queue, decentralized or hierarchical; 0: as many as its shared "
                "memory holds",
                "dfq V.E",
                {{"queue", {"decentralized", "hierarchical"}, "there is no queue of a CTA"},
                 {"memory",
                  {"shared"},
                  "the shared memory of a CTA bounds no queue in global memory",
                  {std::int64_t{0}}}}),
            Toggle::choice(
                "reserve", "warp", {"warp", "cta", "exact"},
                "Places of a decentralized queue that are reserved before statuses are read: 32 by "
                "a "
                "warp, one per thread by the CTA; exact: what the statuses that were read need",
                "dfq IV.B", {{"queue", {"decentralized"}, "it is the decentralized queue's"}}),
            Toggle::choice("scan", "by_block", {"by_block", "interleaved"},
                           "Statuses that a CTA scans: ranges of its own threads' ids, in turns, "
                           "or runs of four "
                           "that go round all CTAs",
                           "dfq V.B",
                           {{"collect", {"single_scan"}, "no other collection scans in this way"},
                            {"queue",
                             {"central", "hierarchical", "decentralized"},
                             "without a queue each thread looks at its own statuses"}}),
            Toggle::integer("ctas", 0, 0, 4096,
                            "CTAs of the grid; 0: as many as the device runs at once", "dfq V.B"),
            Toggle::choice("threads", "1024", {"256", "512", "1024"}, "Threads of a CTA",
                           "dfq V.B"),
            Toggle::choice(
                "enqueue", "thread", {"thread", "warp"},
                "Atomics at a queue's end: one per frontier vertex, or one for all that a "
                "warp enters together",
                "dfq III.A",
                {{"queue",
                  {"central", "decentralized"},
                  "without a queue nothing is entered; a hierarchical one counts by "
                  "thread"}}),
            Toggle::choice("expand", "virtual_warp",
                           names_of<std::string>(kExpansions, [](const auto&) { return true; }),
                           "How the edges of a frontier are shared among threads", "dfq II.B",
                           rules_of_expand()),
            Toggle::choice("width", "32", {"1", "2", "4", "8", "16", "32"},
                           "Lanes of a virtual warp", "dfq II.B",
                           {{"expand", names_of<ToggleValue>(kExpansions, has_width),
                             "it is the virtual warp's"}}),
            Toggle::integer("split", 10, 1, 1024, "Most edges of a virtual vertex (Tigr)", "",
                            {{"expand", names_of<ToggleValue>(kExpansions, takes_shares_only),
                              "it is the virtual vertex's"}}),
            Toggle::choice("launch", "persistent", {"persistent", "host"},
                           "One cooperative kernel a traversal, or the same kernel once a level",
                           "dfq IV.A"),
        },
    .presets =
        {
            {"base", "BASE: a central queue, collected by single-scan",
             queue_and("central", "single_scan", "shared")},
            {"base_scan_free", "A central queue that expansion fills",
             queue_and("central", "scan_free", "shared")},
            {"hq",
             "HQ: a hierarchical queue that expansion fills, in all the shared memory of a CTA",
             hierarchical("scan_free")},
            {"hq_single_scan", "A hierarchical queue, collected by single-scan",
             hierarchical("single_scan")},
            {"dfq_g", "DFQ-G: decentralized queues in global memory",
             queue_and("decentralized", "single_scan", "global")},
            {"dfq_s", "DFQ-S: decentralized queues in shared memory",
             queue_and("decentralized", "single_scan", "shared")},
            {"harish", "No queue: a thread a vertex looks at its status", harish()},
        },
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          // Fitted only to the gather rates of one H200; used by `bfslab check`.
          const double seconds = 1e-4 + 1e-11 * static_cast<double>(facts.edges) +
                                 4e-11 * static_cast<double>(facts.vertices);
          return Estimate{.bytes = search_bytes(settings_of(toggles), facts, answer),
                          .seconds = seconds};
        },
    .make =
        [](const EngineSettings& settings) {
          return make_dfq(settings_of(settings.toggles), settings.answer);
        },
    .may_refuse =
        [](const Toggles& toggles) {
          // Depends on the device's shared memory and resident blocks, and on the graph's levels.
          return toggles.choice("queue") == "hierarchical" ||
                 toggles.choice("collect") == "filter" || toggles.integer("capacity") > 8192 ||
                 toggles.integer("capacity") < 1024 || toggles.integer("ctas") > 0;
        },
}};

}  // namespace
}  // namespace bfslab::cuda
