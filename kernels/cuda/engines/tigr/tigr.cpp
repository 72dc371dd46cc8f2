// SPDX-License-Identifier: Apache-2.0
// The registration of tigr: Tigr's virtual split transformation (Nodehi Sabet et al., ASPLOS 2018),
// reimplemented. The engine is that of engines/dfq; see also expand/virtual_vertices.cu.
//
// Section 4 of the paper: a vertex of many edges becomes virtual ones of at most K edges each, and
// the graph itself stays as it is. A level runs one thread per virtual vertex, which looks at its
// vertex's status. Statuses are written without atomics, since every writer of a level writes the
// same value. A vertex's edges go to its virtual vertices in turns (edge-array coalescing), so that
// neighbouring threads read neighbouring edges. As in the authors' code for BFS, each level looks
// at all virtual vertices, and the host launches it and reads back whether it found anything;
// `worklist` and `launch` switch the two.
//
// Deviations: K is 10 as in the paper's runs, and a toggle. A virtual vertex holds 4 bytes and not
// 8, since its place gives its share of the vertex. Threads take virtual vertices in turns, with as
// many threads as the device runs at once.
//
// Cost per level: 4 bytes per virtual vertex in order, and its status word, mostly beside the last
// one; 24 bytes of offsets per virtual vertex of the frontier, 4 and a random status word per edge.
// Wins on skewed graphs of few levels.
#include "kernels/cuda/engines/make_engine.hpp"

namespace bfslab::cuda {
namespace {

TopDownSettings settings_of(const Toggles& toggles) {
  TopDownSettings settings;
  settings.frontier.queue = toggles.flag("worklist") ? Queue::central : Queue::none;
  settings.expand = &expansion("virtual_split");
  settings.split = static_cast<unsigned>(toggles.integer("split"));
  settings.strided = toggles.flag("strided");
  settings.persistent = toggles.choice("launch") == "persistent";
  return settings;
}

const RegisterEngine registration{{
    .name = "tigr",
    .paper = "tigr",
    .section = "4",
    .summary = "Tigr's virtual vertices of at most `split` edges, a thread each.",
    .reimplemented = true,
    .can = {.gpu = true},
    .toggles =
        {
            Toggle::integer("split", 10, 1, 1024, "Most edges of a virtual vertex", "tigr 4"),
            Toggle::flag("strided", true,
                         "Virtual vertices of a vertex take turns at its edges; off: each takes a "
                         "run of them",
                         "tigr 4"),
            Toggle::flag("worklist", false,
                         "A queue of the frontier's virtual vertices, collected by a scan; off: a "
                         "level looks at all of them"),
            Toggle::choice("launch", "host", {"host", "persistent"},
                           "Who drives the levels: the host, or one kernel that runs them all"),
        },
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          // Fitted to one H200's gather rates and ten launches with read-backs: for `bfslab check`.
          const double seconds = 2e-4 + 1e-11 * static_cast<double>(facts.edges) +
                                 4e-11 * static_cast<double>(facts.vertices);
          return Estimate{.bytes = search_bytes(settings_of(toggles), facts, answer),
                          .seconds = seconds};
        },
    .make =
        [](const EngineSettings& settings) {
          return make_tigr(settings_of(settings.toggles), settings.answer);
        },
}};

}  // namespace
}  // namespace bfslab::cuda
