// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bfslab {

// Throws InputError where a value of an environment.json, given as its text, has another type than
// bfslab writes there: a list in place of a commit. Keys may be missing or null. The message names
// `path`. A text that is not a JSON object passes, since its readers treat it as an empty one.
void require_environment_shape(const std::string& environment, const std::string& path);

}  // namespace bfslab
