// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and similar signals, received by a descriptor that the driver's single wait includes.
#pragma once

#include <stdexcept>

namespace bfslab {

// The user wants the run to end. Rows are complete when this is thrown.
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
