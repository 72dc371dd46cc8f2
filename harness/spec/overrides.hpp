// SPDX-License-Identifier: Apache-2.0
// --set PATH=VALUE: changes a spec before it is validated.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/json_value.hpp"

namespace bfslab {

// Applies "base.threads=2", "graphs=[\"path:n=9\"]", "cases.Ad.engine=xbfs" in their order; a value
// is JSON, or else a bare word. Missing objects on the way are created; array elements must exist.
// Overrides that cannot be applied are reported, the others are applied.
void apply_overrides(const std::vector<std::string>& overrides, Json& spec,
                     Diagnostics& diagnostics);

}  // namespace bfslab
