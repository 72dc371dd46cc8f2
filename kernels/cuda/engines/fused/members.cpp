// SPDX-License-Identifier: Apache-2.0
// The registration of fused-members. The engine itself is members_engine.cu, which a build without
// CUDA omits.
#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/fused/member_toggles.hpp"
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
  bytes += 4 * ids + 4.5 * n + 8 * ids;                 // first neighbours, ids and their order
  bytes += word * n + word * ids;                       // answers
  bytes += ids / 8 + members * 3 * ids / 8;             // bits
  bytes += 8 * ids + 8 * m / 64 + 8 * (ids + members);  // queues, sums
  bytes += members * found_bytes(toggles, wants_parents(answer));
  return bytes + members * 4096;  // the table, counts
}

std::vector<Toggle> toggles() {
  std::vector<Toggle> all = fused_member_toggles();
  all.insert(all.begin(),
             Toggle::integer("members", 2, 1, 8,
                             "Groups of blocks of one launch that search together; vertices are "
                             "dealt out to them by degree"));
  return all;
}

const RegisterEngine registration{{
    .name = "fused-members",
    .paper = "",
    .section = "",
    .summary = "fused by several members on one GPU, each with a part of the rows, which meet in "
               "every level: what they exchange is counted.",
    .can = {.directed = false, .gpu = true},
    .toggles = toggles(),
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
