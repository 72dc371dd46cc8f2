// SPDX-License-Identifier: Apache-2.0
// grid2d-cuda: registers grid2d's search (grid2d.cpp) with one GPU per member. gpu_work.cpp makes
// the engine; builds without CUDA omit it.
//
// A level enqueues, without a wait of the host, the exploration, the row's scan and broadcast, the
// update, and the exchange along columns by a transport between GPUs. Then the host reads the
// counts back, and members combine the sums on the host. Predecessors take one more read-back, of
// the lengths of the lists, once per search or per level.
//
// Cost: that of explore_rows.cu or explore.cu; the bitmaps of grid2d.cpp through the transport; six
// to twelve launches and a read-back of 48 bytes per level, which dominate small levels. Memory is
// that of grid2d, and 8 bytes per vertex of the row's range if predecessors are sent. GPUs make the
// keys of edges, send them and build the blocks; hosts do so if GPUs lack room (device_block.hpp).
//
// Deviations from the paper, beyond those of grid2d.cpp and explore_rows.cu:
//   * Section 3.4.5 sends queues from GPU to GPU by a CUDA-aware MPI. Here the toggle `transport`
//     chooses NCCL, which uses GPUDirect if available; loads from the other GPUs' memory; or
//     the memory of the host, like the paper's first version. Figure 3.6 compares such paths.
//   * Values that members agree on (the end of the search, the sums of the direction rule) go
//     through the host with every transport.
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

// Estimates bytes of GPU memory. `seconds` assumes the gather rates of one H200 and ten levels of
// launches and read-backs; it is not fitted. For `bfslab check`.
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
    // Members may throw Unsupported, depending on the GPUs that they find.
    .may_refuse = [](const Toggles& /*toggles*/) { return true; },
}};

}  // namespace
}  // namespace bfslab::distributed::grid2d
