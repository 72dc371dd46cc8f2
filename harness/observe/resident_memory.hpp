// SPDX-License-Identifier: Apache-2.0
// Resident memory of a process, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace bfslab {

std::uint64_t resident_bytes(pid_t process);       // now; 0 if it is gone
std::uint64_t machine_memory_bytes();              // installed
std::uint64_t peak_resident_bytes(pid_t process);  // maximum so far; 0 if it is gone
std::uint64_t peak_resident_bytes();               // this process's
std::uint64_t peak_child_bytes();                  // the maximum of its ended children

}  // namespace bfslab
