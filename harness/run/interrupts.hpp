// SPDX-License-Identifier: Apache-2.0
// Interrupts: receives ctrl-C and similar signals by a descriptor that the driver waits for.
#pragma once

#include <stdexcept>

namespace bfslab {

// Thrown when the user wants the run to end. All rows are complete then.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal);
  [[nodiscard]] int signal() const { return signal_; }

 private:
  int signal_;
};

class Interrupts {
 public:
  // Blocks SIGINT, SIGTERM and SIGHUP for this thread and ignores SIGPIPE.
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  [[nodiscard]] int fd() const { return fd_; }
  // Throws Interrupted if one of the signals has arrived. Never waits.
  void poll() const;

 private:
  int fd_ = -1;
};

}  // namespace bfslab
