// SPDX-License-Identifier: Apache-2.0
// Starts the process of a worker: this same program again, or a launcher that starts its ranks.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "harness/run/step_clock.hpp"

namespace bfslab {

// Descriptors that a worker inherits.
inline constexpr int kRequestFd = 3;
inline constexpr int kReplyFd = 4;
inline constexpr int kStepFd = 5;

// The driver's ends of a started worker. The receiver closes the descriptors and reaps the process.
struct StartedWorker {
  pid_t process = -1;
  int request_fd = -1;
  int reply_fd = -1;
  int process_fd = -1;  // a pidfd; -1 on kernels without
};

// Starts a worker with the pipes of kRequestFd and kReplyFd, or a launcher with the same pipes as
// standard input and output. Standard error, and a worker's standard output, are appended to the
// file `log`. `launcher`: the words of its command, empty for a worker of one process. Throws
// std::runtime_error, and InputError if a link or a pipe is in the place of the log.
StartedWorker start_worker(const std::string& log, const std::vector<std::string>& launcher,
                           const StepClock& steps);

// The words with which a launcher starts this program as one of `ranks` processes.
std::vector<std::string> rank_command(unsigned ranks);

}  // namespace bfslab
