// Ctrl-C and its kin, taken in by a descriptor that the driver's one wait listens to.
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
  // Throws Interrupted when one of the signals has come in. Never waits.
  void poll() const;

 private:
  int fd_ = -1;
};

}  // namespace bfslab
