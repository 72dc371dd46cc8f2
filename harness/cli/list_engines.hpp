// SPDX-License-Identifier: Apache-2.0
// bfslab list engines: engines and counters with their toggles, groups and presets.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

// Prints all engines and counters, or only the one called `name`, as text or as JSON. Throws
// InputError if no engine has that name.
void print_engines(const std::string& name, bool json);

// Throws InputError: no `what` ("engine") is called `name`. The message lists the names that exist,
// and suggests the nearest one.
[[noreturn]] void no_such(const std::string& what, const std::string& name,
                          const std::vector<std::string>& names);

}  // namespace bfslab
