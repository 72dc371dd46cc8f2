// SPDX-License-Identifier: Apache-2.0
// The registration of fused-members. The engine itself is members_engine.cu, which a build without
// CUDA omits.
#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/fused/member_deal.hpp"
#include "kernels/cuda/fused/order.hpp"

namespace bfslab::cuda {
namespace {

// Returns the bytes beyond the host's CSR, without a few kilobytes of counts.
double members_bytes(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto count = static_cast<unsigned>(toggles.integer("members"));
  const auto members = static_cast<double>(count);
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  if (facts.vertices == 0) return 0;
  const double ids = FusedDeal{count}.ids(static_cast<vertex_t>(facts.vertices));
  const double offset = facts.edges <= kNarrowEdges ? 4 : 8;
  const double word = wants_parents(answer) ? 8 : 4;
  double bytes = offset * (ids + members) + 4 * m;      // rows
  bytes += 4 * ids + 4 * n + 4 * ids;                   // first neighbours, ids
  bytes += word * n + word * ids;                       // answers
  bytes += ids / 8 + members * 3 * ids / 8;             // bits
  bytes += 8 * ids + 8 * m / 64 + 8 * (ids + members);  // queues, sums
  return bytes + members * 4096;                        // the table, counts
}

const RegisterEngine registration{{
    .name = "fused-members",
    .paper = "",
    .section = "",
    .summary = "fused by several members on one GPU, each with a part of the rows, which meet in "
               "every level: what they exchange is counted.",
    .can = {.directed = false, .gpu = true},
    .toggles =
        {
            Toggle::integer("members", 2, 1, 8,
                            "Members that search together: groups of blocks of one launch, each "
                            "with the vertices whose ranks by degree are dealt to it"),
            Toggle::choice("map_back", "in_time", {"in_time", "after"},
                           "Whether the answer is put into the graph's own ids inside the timer or "
                           "after it"),
            Toggle::real("alpha", 0, 0, 1e9,
                         "Bottom-up where the frontier's edges times this exceed those that are "
                         "not reached yet; 0 is 15, of frontiers that have more edges than all "
                         "before them"),
            Toggle::real("beta", 1024, 0, 1e9,
                         "Top-down again where the frontier's vertices times this are fewer than "
                         "all"),
            Toggle::integer("hot_kib", 96, 0, 128,
                            "KiB of the frontier's first bits that a block keeps in shared memory "
                            "bottom-up"),
            Toggle::flag("late_labels", true,
                         "Where the next level is expected to go bottom-up, a sweep queues and "
                         "labels nothing, and the next level labels both levels' vertices"),
            Toggle::flag("leaves_apart", true,
                         "The search leaves out vertices of one neighbour, and labels them at its "
                         "end; levels that the host drives do not"),
        },
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          const double seconds = 1e-4 + 3e-12 * static_cast<double>(facts.edges) +
                                 4e-11 * static_cast<double>(facts.vertices);
          return Estimate{.bytes = members_bytes(facts, toggles, answer), .seconds = seconds};
        },
    .make = [](const EngineSettings& settings) { return make_fused_members(settings); },
    .may_refuse = [](const Toggles& toggles) { return toggles.integer("members") > 1; },
}};

}  // namespace
}  // namespace bfslab::cuda
