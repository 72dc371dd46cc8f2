// SPDX-License-Identifier: Apache-2.0
// The names to which a profile can be limited: techniques of engines, kernels, and NVTX ranges.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

// Returns the techniques that levels of an engine can have, as levels.csv names them; none for an
// engine that is not in the table, as one of a plugin.
std::vector<std::string> techniques_of(std::string_view engine);

struct KernelName {
  const char* name;
  const char* file;  // within kernels/
};

// Returns the CUDA kernels of this source tree. Those of libraries, as CUB's, are not among them.
std::span<const KernelName> kernel_names();

// Returns whether the regular expression is found in the name of a kernel, as `ncu --kernel-name`
// looks for it; also for kernels of CUB. Throws InputError if it is no regular expression.
bool names_a_kernel(const std::string& expression);

struct RangeName {
  const char* name;  // "level=K"
  const char* doc;
};

// Returns the NVTX ranges of the domain bfslab, from the outermost to the innermost.
std::span<const RangeName> range_names();

}  // namespace bfslab
