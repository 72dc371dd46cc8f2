// SPDX-License-Identifier: Apache-2.0
// Whether an engine can be made on this machine at all, before any graph is built for it.
#pragma once

#include <string>

#include "harness/spec/spec.hpp"

namespace bfslab {

// Why this configuration's engine cannot be made here, whatever the graph: no GPU, or a build
// without CUDA. Empty where it can, and where only its workers can tell (several ranks).
std::string cannot_make(const Configuration& configuration, Answer answer);

}  // namespace bfslab
