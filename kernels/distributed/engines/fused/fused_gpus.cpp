// SPDX-License-Identifier: Apache-2.0
// fused-gpus: registers the search of `fused` over several GPUs of one machine, each with a part of
// the rows (rows.hpp), which exchange bits in every level (cuda/fused/members.cuh). gpu_search.cpp
// makes the search; builds without CUDA omit it.
#include <string>
#include <vector>

#include "kernels/cuda/fused/member_toggles.hpp"
#include "kernels/cuda/fused/order.hpp"
#include "kernels/cuda/traversal/meeting.hpp"
#include "kernels/distributed/engines/fused/search.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed::fused {
namespace {

// Estimates all members together. How many vertices have edges is not known before: all count.
Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const double members = facts.members;
  const double ids = n + members * cuda::FusedDeal::kRun;
  const bool parents = wants_parents(answer);
  const double offset = m / members <= cuda::kNarrowEdges ? 4 : 8;
  double bytes = offset * ids + 4 * m;                           // rows
  bytes += 4 * ids + 4 * n;                                      // first neighbours, places
  if (parents) bytes += members * 4 * ids;                       // names of ids
  bytes += (parents ? 8 : 4) * (n + ids);                        // answers
  if (members > 1 && toggles.choice("map_back") == "in_time") {  // copies
    bytes += ids + members * (parents ? 5 : 1) * ids;
  }
  const auto searches = static_cast<double>(toggles.integer("searches"));
  if (searches > 1) bytes += searches * (parents ? 8 : 4) * n;
  bytes += members * cuda::found_bytes(toggles, parents);
  bytes += ids / 8 + members * 3 * ids / 8;             // bits
  bytes += 8 * ids + 8 * m / 64 + 8 * (ids + members);  // queues, sums
  if (members > 1) bytes += members * static_cast<double>(cuda::kLinkBytes);
  const bool maps = toggles.choice("map_back") == "in_time";
  const double seconds = 1e-4 + 2e-12 * m / members + (maps ? 4e-11 : 1e-11) * n / members;
  return {.bytes = bytes + members * 8192, .seconds = seconds};
}

std::vector<Toggle> toggles() {
  std::vector<Toggle> all = cuda::fused_member_toggles();
  all.push_back(Toggle::integer("searches", 1, 1, 64, cuda::kSearchesText));
  return all;
}

std::unique_ptr<MemberSearch> make_member(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings) {
  if (!share.rules().symmetric) {
    throw Unsupported("fused-gpus searches undirected graphs only: this one is directed");
  }
  if (share.vertices() >= kNoVertex) {
    throw Unsupported("fused-gpus: ids have 32 bits, and there are " +
                      std::to_string(share.vertices()) + " vertices");
  }
  if (member.count() > cuda::kMaxFusedMembers) {
    throw Unsupported("fused-gpus runs on up to " + std::to_string(cuda::kMaxFusedMembers) +
                      " GPUs, and there are " + std::to_string(member.count()) + " members");
  }
  return make_search(member, share, settings);
}

const RegisterEngine registration{{
    .name = "fused-gpus",
    .paper = "",
    .section = "",
    .summary = "fused over several GPUs of one machine: rows are dealt out by degree, and new bits "
               "are written into the other GPUs' memory while a level finds them.",
    .can = {.directed = false, .gpu = true, .recipe = true, .distributed = true},
    .toggles = toggles(),
    .estimate = estimate,
    .make =
        [](const EngineSettings& settings) {
          return std::make_unique<DistributedEngine>(settings, make_member);
        },
    // Members may find GPUs that cannot write each other's memory.
    .may_refuse = [](const Toggles& /*toggles*/) { return true; },
}};

}  // namespace
}  // namespace bfslab::distributed::fused
