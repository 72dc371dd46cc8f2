// SPDX-License-Identifier: Apache-2.0
// Which CPU this is, by more than the name that a virtual machine gives it.
#pragma once

#include <string>

namespace bfslab {

// Value of the first "key : value" line of a /proc file with exactly this key; empty without one.
std::string proc_field(const std::string& path, const std::string& key);

// Of /proc/cpuinfo vendor, family and model ("GenuineIntel 6 143"), or on Arm implementer and part
// ("0x41 0xd40"), joined by blanks; empty where it has none of them. cmake/BuildInfo.cmake makes
// the same text of the machine that compiles.
std::string processor_signature();

}  // namespace bfslab
