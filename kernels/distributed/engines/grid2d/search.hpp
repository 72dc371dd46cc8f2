// SPDX-License-Identifier: Apache-2.0
// The search of grid2d on one member: Algorithm 3 (graph500-romeo, section 3.4.2) over any
// LocalWork; and what its two engines, on CPUs and on GPUs, have in common.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/cuda_function.hpp"
#include "kernels/distributed/engines/distributed_engine.hpp"
#include "kernels/distributed/engines/grid2d/local_work.hpp"

namespace bfslab::distributed::grid2d {

std::vector<Toggle> toggles();
// Estimates all members together, without the rounding of pieces to whole words and without lists
// of predecessors. `seconds` is of CPU threads.
Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer);
// Columns of the grid that so many members make.
unsigned columns_of(unsigned members, const Toggles& toggles);

// Throws Unsupported where the members make no such grid or it is too small for the graph.
Grid choose_grid(const Member& member, const EdgeShare& share, const EngineSettings& settings);

// Makes the member's block from its share, sending each edge to the member whose block has it.
// Collective.
using MakeBlock = std::function<BlockWork(const BlockPlan&)>;

// Makes the member's block, its work and its search. `bulk` exchanges what the work holds; null
// takes the members' own communicator, for work in host memory, and a member on its own needs none.
// Collective.
std::unique_ptr<MemberSearch> make_search(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings, const Grid& grid,
                                          const MakeBlock& make_block,
                                          std::unique_ptr<Communicator> bulk);

// Makes grid2d-cuda, which is declared in every build: without CUDA a call refuses.
inline constinit CudaFunction<std::unique_ptr<Engine>(const EngineSettings&)> make_gpu_engine{
    "engine \"grid2d-cuda\""};

}  // namespace bfslab::distributed::grid2d
