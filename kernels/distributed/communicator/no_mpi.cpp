// SPDX-License-Identifier: Apache-2.0
// The functions of processes.hpp in a build without MPI.
#include <cstdlib>

#include "datasets/graph/types.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab::distributed {

bool built_with_mpi() { return false; }

std::unique_ptr<Processes> join_mpi() { throw InputError(kWithoutMpi); }

void abort_mpi(int exit_code) { std::_Exit(exit_code); }

}  // namespace bfslab::distributed
