// SPDX-License-Identifier: Apache-2.0
// The registration of gunrock: Gunrock's BFS (Wang et al., TOPC 2017), reimplemented. The engine
// itself is engine.cu, which a build without CUDA omits.
#include "kernels/cuda/engines/make_engine.hpp"

namespace bfslab::cuda {
namespace {

// Returns the bytes beyond the host's CSR, without a few kilobytes of counts.
double gunrock_bytes(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const bool pulls = toggles.flag("direction_optimised");
  const double copies = pulls && !facts.symmetric ? 2 : 1;
  const double answers = wants_parents(answer) ? 2 : 1;  // levels are kept in any case
  const double lists = pulls ? 4 : 2;
  double bytes = copies * ((n + 1) * sizeof(edge_t) + m * sizeof(vertex_t)) +
                 (answers + lists) * n * sizeof(vertex_t);
  if (pulls) bytes += 3 * n / 8;
  if (toggles.flag("idempotent")) bytes += (m + 1) * sizeof(vertex_t) + n / 8;
  const ExpansionTraits& advance = expansion(toggles.choice("advance")).traits;
  if (advance.sums_degrees) bytes += (n + 1) * sizeof(edge_t);
  return bytes;
}

bool is_advance(const ExpansionPart& part) { return part.traits.gunrock_filter != nullptr; }

const LegalWith kOnlyWithPull{
    "direction_optimised", {true}, "without direction optimisation it never pulls"};

const RegisterEngine registration{{
    .name = "gunrock",
    .paper = "gunrock",
    .section = "5",
    .summary = "Gunrock's advance and filter, load-balanced, with direction-optimised pulls.",
    .reimplemented = true,
    .can = {.needs_transpose = true, .gpu = true},
    .toggles =
        {
            Toggle::flag("direction_optimised", true,
                         "Large frontiers are pulled by the list of unvisited vertices",
                         "gunrock 5.1.3"),
            Toggle::flag("idempotent", true,
                         "Advance claims nothing and a filter takes duplicates out; off: advance "
                         "claims by atomics",
                         "gunrock 5.2"),
            Toggle::choice("advance", "load_balanced",
                           names_of<std::string>(kExpansions, is_advance),
                           "How the edges of a frontier are shared among threads", "gunrock 5.1"),
            Toggle::real("do_a", 0.001, 0, 1000,
                         "Pull when the frontier's guessed edges exceed this share of a pull's",
                         "gunrock 5.1.3", {kOnlyWithPull}),
            Toggle::real("do_b", 0.2, 0, 1000,
                         "Push again when the frontier's guessed edges are at most this share of a "
                         "pull's",
                         "gunrock 5.1.3", {kOnlyWithPull}),
            Toggle::choice("launch", "host", {"host", "persistent"},
                           "Who drives the levels: the host, or one kernel that runs them all"),
        },
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          // Fitted to one H200's gather rates and ten launches with read-backs: for `bfslab check`.
          const double an_edge = toggles.flag("direction_optimised") ? 5e-12 : 1.5e-11;
          const double seconds = 2e-4 + an_edge * static_cast<double>(facts.edges) +
                                 4e-11 * static_cast<double>(facts.vertices);
          return Estimate{.bytes = gunrock_bytes(facts, toggles, answer), .seconds = seconds};
        },
    .make = [](const EngineSettings& settings) { return make_gunrock(settings); },
    // Refuses a graph of 2^32 adjacency entries or more.
    .may_refuse = [](const Toggles& toggles) { return toggles.flag("idempotent"); },
}};

}  // namespace
}  // namespace bfslab::cuda
