// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bfslab {

// Throws InputError where a value of an environment.json, given as its text, has another type than
// bfslab writes there: a list in place of a commit. Keys may be missing or null. `path` is the
// file, for the message. A text that is no JSON object passes: its readers treat it as an empty
// one.
void require_environment_shape(const std::string& environment, const std::string& path);

}  // namespace bfslab
