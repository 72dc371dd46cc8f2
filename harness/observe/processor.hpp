// SPDX-License-Identifier: Apache-2.0
// Identifies the CPU by more than the name that a virtual machine gives it.
#pragma once

#include <string>

namespace bfslab {

// Returns the value of the first "key : value" line of a /proc file with exactly this key; empty
// without one.
std::string proc_field(const std::string& path, const std::string& key);

// Returns vendor, family and model of /proc/cpuinfo ("GenuineIntel 6 143"), or on Arm implementer
// and part ("0x41 0xd40"), joined by blanks; empty if it has none of them. cmake/BuildInfo.cmake
// makes the same text of the machine that compiles.
std::string processor_signature();

}  // namespace bfslab
