// SPDX-License-Identifier: Apache-2.0
// The search of grid2d on one member: Algorithm 3 (graph500-romeo, section 3.4.2) over any
// LocalWork, and the functions that its CPU and GPU engines share.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/cuda_function.hpp"
#include "kernels/distributed/engines/distributed_engine.hpp"
#include "kernels/distributed/engines/grid2d/local_work.hpp"

namespace bfslab::distributed::grid2d {

std::vector<Toggle> toggles();
// Estimates all members together. Omits the rounding of pieces to whole words and the lists of
// predecessors. `seconds` is for CPU threads.
Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer);
// Returns the number of columns of the grid of `members` members.
unsigned columns_of(unsigned members, const Toggles& toggles);

// Throws Unsupported if the members cannot form the grid or the graph is too large for it.
Grid choose_grid(const Member& member, const EdgeShare& share, const EngineSettings& settings);

// Makes the member's block from its share: sends each edge to the member of its block. Collective.
using MakeBlock = std::function<BlockWork(const BlockPlan&)>;

// Makes the member's block, work and search. `bulk` exchanges the memory of the work. Null means
// the members' own communicator, for host memory; a single member needs none. Collective.
std::unique_ptr<MemberSearch> make_search(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings, const Grid& grid,
                                          const MakeBlock& make_block,
                                          std::unique_ptr<Communicator> bulk);

// Makes grid2d-cuda, which is declared in every build: without CUDA a call refuses.
inline constinit CudaFunction<std::unique_ptr<Engine>(const EngineSettings&)> make_gpu_engine{
    "engine \"grid2d-cuda\""};

}  // namespace bfslab::distributed::grid2d
