// SPDX-License-Identifier: Apache-2.0
// grid2d-cuda: grid2d's search (grid2d.cpp) with a GPU for each member, as specs and lists see it.
// gpu_work.cpp makes it, which a build without CUDA leaves out.
//
// A level queues, without the host's waiting in between: the exploration (explore.cu), the row's
// scan and broadcast, the update and the exchange along columns, which a transport brings about
// between the GPUs. Then the host reads three counts back, and members agree on the sums through
// the host. Predecessors take one more read-back, of the lengths of the lists: once a search, or in
// each level.
//
// Cost: explore_rows.cu's, or explore.cu's; the bitmaps of grid2d.cpp through the transport; six to
// twelve launches and a read-back of 48 bytes a level, which is what small levels take. Memory is
// grid2d's, and 8 bytes for each vertex of the row's range where predecessors are sent. The host
// generates and sends the edges, and the GPU makes the block of them (device_block.hpp).
//
// Deviations from the paper, beyond those of grid2d.cpp and explore.cu:
//   * Section 3.4.5 sends queues from GPU to GPU by a CUDA-aware MPI. Here the toggle `transport`
//     chooses: by NCCL, which takes GPUDirect where there is any; by loads from the other GPUs'
//     memory; or through the memory of the host, as the paper did it at first. Which of these is
//     fastest is Figure 3.6's question.
//   * What members agree on (whether a level found anything, the sums of the direction rule) goes
//     through the host in all of them.
#include "kernels/distributed/engines/grid2d/search.hpp"

namespace bfslab::distributed::grid2d {
namespace {

std::vector<Toggle> gpu_toggles() {
  std::vector<Toggle> table = toggles();
  table.push_back(Toggle::choice("exploration", "warp_per_row", {"warp_per_row", "equal_shares"},
                                 "How a warp explores the rows of its 32 vertices: one row at a "
                                 "time by all lanes, or all rows in equal shares, with hubs shared "
                                 "out among blocks",
                                 "graph500-romeo 3.4.4"));
  table.push_back(Toggle::choice(
      "visited_read", "read_only", {"read_only", "plain", "read_only_then_out"},
      "How top-down looks up whether a neighbour is visited before it claims it: in the visited "
      "bitmap of before the level, through the read-only cache (the texture memory of the paper) "
      "or by ordinary loads; or through that cache and then in the bitmap of what the level has "
      "found",
      "graph500-romeo 3.4.4"));
  table.push_back(Toggle::choice("transport", "nccl", {"nccl", "peer", "host"},
                                 "How GPUs reach one another: by NCCL; by loads from each other's "
                                 "memory, within a process; or "
                                 "through the host's memory. A GPU on its own uses none",
                                 "graph500-romeo 3.4.5"));
  return table;
}

// Bytes are of the GPUs' memory. Fitted to nothing but the gather rates of one H200, and ten levels
// of launches and read-backs: for `bfslab check`.
Estimate gpu_estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  Estimate made = estimate(facts, toggles, answer);
  const unsigned columns = columns_of(facts.members, toggles);
  const auto in_rows = static_cast<double>(facts.vertices) * columns;
  if (wants_parents(answer) && columns > 1) made.bytes += sizeof(Predecessor) * in_rows;
  made.seconds =
      5e-4 + (1e-11 * static_cast<double>(facts.edges) + 4e-11 * in_rows) / facts.members;
  return made;
}

const RegisterEngine registration{{
    .name = "grid2d-cuda",
    .paper = "graph500-romeo",
    .section = "3.4",
    .summary = "A 2D partition of the adjacency matrix over several GPUs, with bitmaps for queues, "
               "direction-optimising",
    .can = {.gpu = true, .recipe = true, .distributed = true},
    .toggles = gpu_toggles(),
    .presets = {{"tuned",
                 "Beyond the paper: rows in equal shares, and no second claim of what the level "
                 "has found",
                 {{"exploration", std::string("equal_shares")},
                  {"visited_read", std::string("read_only_then_out")}}}},
    .estimate = gpu_estimate,
    .make = [](const EngineSettings& settings) { return make_gpu_engine(settings); },
    // Several members may refuse, depending on the GPUs that they find.
    .may_refuse = [](const Toggles& /*toggles*/) { return true; },
}};

}  // namespace
}  // namespace bfslab::distributed::grid2d
