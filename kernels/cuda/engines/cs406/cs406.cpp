// SPDX-License-Identifier: Apache-2.0
// The registration of cs406-cuda, the GPU half of cs406: its four implementations as one toggle.
// The engine itself is engine.cu, which a build without CUDA omits.
#include "kernels/cuda/engines/make_engine.hpp"

namespace bfslab::cuda {
namespace {

// Returns the bytes beyond the host's CSR, without a few hundred bytes of counts.
double cs406_bytes(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const std::string& algorithm = toggles.choice("algorithm");
  const auto n = static_cast<double>(facts.vertices);
  const double graph =
      (n + 1) * sizeof(edge_t) + static_cast<double>(facts.edges) * sizeof(vertex_t);
  const bool both_ways = algorithm == "bottom_up" || algorithm == "hybrid";
  const double copies = both_ways && !facts.symmetric ? 2 : 1;
  const double answers = wants_parents(answer) ? 2 : 1;  // levels are kept in any case
  const double queues = algorithm == "top_down" ? 2 : 0;
  return copies * graph + (answers + queues) * n * sizeof(vertex_t);
}

const RegisterEngine registration{{
    .name = "cs406-cuda",
    .paper = "cs406",
    .section = "4.2",
    .summary = "A thread a vertex: status scan, top-down queue, bottom-up, and the hybrid.",
    .can = {.needs_transpose = true, .gpu = true},
    .toggles =
        {
            Toggle::choice("algorithm", "hybrid",
                           {"status_scan", "top_down", "bottom_up", "hybrid"},
                           "Search based, by a queue, search-based bottom-up, or the first and the "
                           "third by the frontier's size",
                           "cs406 4.2"),
            Toggle::choice("geometry", "paper", {"paper", "device"},
                           "Blocks of 1024 threads, a thread a vertex; or as many threads as the "
                           "device runs at once, which take vertices in turns",
                           "cs406 4.2"),
            Toggle::real("threshold", 0.05, 0, 1,
                         "Bottom-up when the frontier has this share of all vertices",
                         "cs406 4.1.6",
                         {{"algorithm", {std::string("hybrid")}, "the others never switch"}}),
        },
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          // Fitted to one H200's gather rates and ten launches with read-backs: for `bfslab check`.
          const double seconds = 2e-4 + 1e-11 * static_cast<double>(facts.edges) +
                                 4e-11 * static_cast<double>(facts.vertices);
          return Estimate{.bytes = cs406_bytes(facts, toggles, answer), .seconds = seconds};
        },
    .make = [](const EngineSettings& settings) { return make_cs406(settings); },
}};

}  // namespace
}  // namespace bfslab::cuda
