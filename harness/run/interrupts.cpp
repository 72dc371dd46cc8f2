// SPDX-License-Identifier: Apache-2.0
#include "harness/run/interrupts.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace bfslab {

namespace {

sigset_t endings() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

Interrupted::Interrupted(int signal)
    : std::runtime_error(signal == SIGINT    ? "interrupted by ctrl-C (SIGINT)"
                         : signal == SIGTERM ? "interrupted by SIGTERM"
                                             : "interrupted by SIGHUP"),
      signal_(signal) {}

Interrupts::Interrupts() {
  const sigset_t set = endings();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  fd_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (fd_ < 0) throw std::runtime_error("cannot listen to signals");
}

Interrupts::~Interrupts() {
  ::close(fd_);
  const sigset_t set = endings();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupts::poll() const {
  signalfd_siginfo info{};
  if (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    throw Interrupted(static_cast<int>(info.ssi_signo));
  }
}

}  // namespace bfslab
