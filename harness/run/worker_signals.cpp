// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_signals.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "harness/run/protocol.hpp"

namespace bfslab {

namespace {

StepClock* notebook = nullptr;  // the handler below writes to it
// Index: signal. The line that a rank writes to its log; empty in a worker of one process.
std::array<std::string, NSIG> rank_lines;

// Notes that another process sent the signal, and then ends the process as without this handler.
void note_sender(int signal, siginfo_t* info, void* /*context*/) {
  const bool of_kernel = info->si_code > 0;
  const bool of_instruction =
      signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
  if (of_kernel && of_instruction) return;  // the faulty instruction runs into it again
  // Other signals of the kernel are not raised twice: a terminal's, and the process's own alarm.
  const bool own = of_kernel ? signal == SIGALRM : info->si_pid == ::getpid();
  if (!own) {
    notebook->note_foreign_signal();
    const std::string& line = rank_lines[static_cast<std::size_t>(signal)];
    const ssize_t wrote = line.empty() ? 0 : ::write(STDERR_FILENO, line.data(), line.size());
    static_cast<void>(wrote);  // without it the signal passes for the rank's own
  }
  ::raise(signal);
}

// The reader of a pipe or socket of this rank has ended: the driver, or another rank, whose end the
// launcher learns of a moment later. The launcher reports the first rank that ends as the one that
// failed. So this rank waits until the launcher ends it, and ends itself only after that.
void wait_for_the_launcher(int signal) {
  ::sleep(5);
  ::raise(signal);
}

}  // namespace

void note_senders(StepClock& steps) {
  notebook = &steps;
  struct sigaction action {};
  action.sa_sigaction = note_sender;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU,
                           SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);  // a sanitizer has its own handlers
    if (before.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
  }
}

void note_senders_of_rank(StepClock& steps, unsigned rank) {
  for (int signal = 1; signal < NSIG; ++signal) {
    rank_lines[static_cast<std::size_t>(signal)] = rank_signal_line(rank, signal);
  }
  note_senders(steps);
}

void outlive_broken_connections() {
  struct sigaction action {};
  action.sa_handler = wait_for_the_launcher;
  action.sa_flags = SA_RESETHAND;
  ::sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace bfslab
