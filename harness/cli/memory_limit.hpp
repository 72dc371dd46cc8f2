// SPDX-License-Identifier: Apache-2.0
// --memory-mib of the commands that load graphs in their own process. (`run` limits its workers.)
#pragma once

#include <cstdint>

namespace CLI {
class App;
}

namespace bfslab {

// Adds --memory-mib N. `mib` must live until the command has been parsed.
void add_memory_option(CLI::App& command, std::uint64_t& mib);

// Limits the memory of this process from now on; 0: no limit. An allocation above it throws
// std::bad_alloc, or ends the program with exit code 1 if that cannot be thrown. Stacks of threads
// are reserved in addition, so require_memory_kept() checks whether the limit was held.
void limit_memory(std::uint64_t mib);

// Throws std::bad_alloc if this process has used more than its limit allows. Call it before
// anything is printed.
void require_memory_kept();

// Returns "out of memory", and the limit if there is one.
const char* out_of_memory_text();

}  // namespace bfslab
