// SPDX-License-Identifier: Apache-2.0
// Memory and processor limits that a container sets, and the kernel's kills for lack of memory.
#pragma once

#include <cstdint>
#include <string>

namespace bfslab {

struct CgroupMemory {
  int version = 0;          // 1, 2, or 0 if there is none
  std::uint64_t limit = 0;  // bytes; 0: none
};

// Returns the memory limit of this process's cgroup and of those above it; the lowest applies.
CgroupMemory cgroup_memory();

// Returns "cpu.max" of version 2 or "quota/period" of version 1; empty without a limit.
std::string cgroup_cpu_limit();

// Returns the number of processes that the kernel has killed for lack of memory so far, in this
// cgroup or on the machine. An increase around a worker's death by SIGKILL explains the death.
std::uint64_t kernel_oom_kills();

}  // namespace bfslab
