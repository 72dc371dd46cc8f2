// SPDX-License-Identifier: Apache-2.0
// The tables that `bfslab ablate` prints: techniques by gain, and pairs of them.
#pragma once

#include "harness/cli/run_specs.hpp"
#include "harness/spec/ablation.hpp"

namespace bfslab {

// The table of an experiment that measured `ablation`.
ResultTable ablation_table(const Ablation& ablation);

}  // namespace bfslab
