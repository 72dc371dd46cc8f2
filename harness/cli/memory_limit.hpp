// SPDX-License-Identifier: Apache-2.0
// --memory-mib of the commands that load graphs in their own process. (`run` limits its workers.)
#pragma once

#include <cstdint>

namespace CLI {
class App;
}

namespace bfslab {

// --memory-mib N. `mib` must live until the command has been parsed.
void add_memory_option(CLI::App& command, std::uint64_t& mib);

// From now on this process gets no more memory than that; 0: no limit. What exceeds it is
// std::bad_alloc, or ends the program with exit code 1 where that cannot be thrown. Stacks of
// threads are reserved beside it, so `require_memory_kept` says whether the limit was held in fact.
void limit_memory(std::uint64_t mib);

// Throws std::bad_alloc if this process has used more than its limit allows. Before anything is
// printed.
void require_memory_kept();

// "out of memory", and the limit if there is one.
const char* out_of_memory_text();

}  // namespace bfslab
