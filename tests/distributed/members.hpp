// SPDX-License-Identifier: Apache-2.0
// The members that the tests of this folder run on: threads of this process and, under mpirun,
// those of the other ranks.
#pragma once

#include <functional>
#include <vector>

#include "kernels/distributed/communicator/team.hpp"

namespace bfslab::tests {

// This process alone, or all that mpirun started.
distributed::Processes& processes();

// GPUs a rank to try: 1, 2, 3, 4 and 6 in one process, 1 and 2 in two, 1 in more.
std::vector<unsigned> gpus_to_try();

// Runs `work` on every member of a team for each of gpus_to_try().
void on_teams(const std::function<void(distributed::Member&)>& work);
// The same for one of them, another for each `turn`.
void on_a_team(unsigned turn, const std::function<void(distributed::Member&)>& work);

}  // namespace bfslab::tests
