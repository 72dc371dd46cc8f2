// SPDX-License-Identifier: Apache-2.0
// Checks whether an engine can be made on this machine at all, before any graph is built for it.
#pragma once

#include <string>

#include "harness/spec/spec.hpp"

namespace bfslab {

// Returns the reason why this configuration's engine cannot be made here on any graph: no GPU, or a
// build without CUDA. Empty if it can, and if only its workers can find out (several ranks).
std::string cannot_make(const Configuration& configuration, Answer answer);

}  // namespace bfslab
