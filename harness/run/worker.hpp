// The worker: the process that holds a graph in memory and runs engines. `bfslab run` starts it;
// it takes requests on kRequestFd and answers on kReplyFd until the driver closes the pipe.
#pragma once

namespace bfslab {

// Returns the process's exit code. Throws InputError when it was not started by `bfslab run`.
int run_worker();

}  // namespace bfslab
