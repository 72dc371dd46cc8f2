// SPDX-License-Identifier: Apache-2.0
// The worker: the process that holds a graph in memory and runs engines. `bfslab run` starts it;
// it takes requests on kRequestFd and answers on kReplyFd until the driver closes the pipe. A
// worker may also be several processes (ranks), which a launcher starts. Each then does the same
// work on its part: rank 0 takes the requests from its standard input, sends them to all, and
// answers on its standard output.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

// Returns the process's exit code. `plugins`: words of plugin_words() (plugin/plugins.hpp) to load.
// Throws InputError when it was not started by `bfslab run`.
int run_worker(const std::vector<std::string>& plugins);
// The same as one of `ranks` processes. Throws InputError in a build without MPI.
int run_rank(unsigned ranks, const std::vector<std::string>& plugins);

}  // namespace bfslab
