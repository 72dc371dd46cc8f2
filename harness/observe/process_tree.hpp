// SPDX-License-Identifier: Apache-2.0
// The processes below another one, from /proc: those that a launcher has started on this host.
#pragma once

#include <sys/types.h>

#include <vector>

namespace bfslab {

// Returns the children of `process`, their children, and so on, in this order. Dead ones that have
// not been waited for are included.
std::vector<pid_t> descendants_of(pid_t process);
// Returns whether a signal or a debugger has stopped the process.
bool is_stopped(pid_t process);
// Returns the children of the process only.
std::vector<pid_t> children_of(pid_t process);

}  // namespace bfslab
