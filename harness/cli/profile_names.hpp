// SPDX-License-Identifier: Apache-2.0
// Lists what `bfslab profile` can select by --technique and --kernel, and refuses what there is
// not.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/profile_arguments.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

// Prints the techniques of the engines, the kernels and the NVTX ranges, as text or JSON.
void print_profile_names(const std::vector<const EngineInfo*>& engines, bool json);

// Throws InputError if no engine has the technique or no kernel matches. An engine whose techniques
// are not known, as one of a plugin, may have any.
void require_profile_names(const ProfileArguments& arguments,
                           const std::vector<const EngineInfo*>& engines);

}  // namespace bfslab
