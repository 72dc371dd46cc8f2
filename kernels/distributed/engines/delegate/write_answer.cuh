// SPDX-License-Identifier: Apache-2.0
// The answer of a search of `delegate-cuda` on one GPU: levels and parents by id.
#pragma once

#include "kernels/distributed/engines/delegate/gpu_memory.cuh"
#include "kernels/distributed/engines/delegate/one_kernel.cuh"

namespace bfslab::distributed::delegate {

// Queues the writing of levels and parents, as far as this member has them. `source` is the
// source's local id where it is a normal vertex of this member, or LocalWork::kNone.
void write_answer(const GpuMemory& memory, local_vertex_t source);
// Queues the reading of parents that other members have found for own delegates. `parents` is
// [members], of delegates in the memory of each; `done` belongs to the kernel that ran the levels.
void read_parents_of_delegates(const GpuMemory& memory, vertex_t* const* parents,
                               const OneKernelArgs::Done* done);

}  // namespace bfslab::distributed::delegate
