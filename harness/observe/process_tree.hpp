// SPDX-License-Identifier: Apache-2.0
// The processes below one, from /proc: what a launcher has started on this host.
#pragma once

#include <sys/types.h>

#include <vector>

namespace bfslab {

// Children of `process`, their children, and so on, in this order; dead ones that nobody has waited
// for yet are among them.
std::vector<pid_t> descendants_of(pid_t process);
// Whether a signal or a debugger has stopped it.
bool is_stopped(pid_t process);
// Its children alone.
std::vector<pid_t> children_of(pid_t process);

}  // namespace bfslab
