// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_start.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "harness/plugin/plugins.hpp"
#include "harness/record/table_file.hpp"
#include "harness/run/launcher.hpp"

namespace bfslab {

namespace {

// Returns the texts as exec takes them; `texts` keeps the characters.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The descriptors of the driver that a worker goes on with.
struct WorkerFiles {
  int request;
  int reply;
  int steps;
  int log;
};

// Runs in the new process: puts the descriptors in place, and becomes the worker or its launcher.
[[noreturn]] void become_worker(const WorkerFiles& files, bool launched, char* const* command,
                                char* const* environment) {
  ::setpgid(0, 0);  // ctrl-C reaches the driver alone, which decides
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  // Away from their final numbers first, then into place.
  const std::array<int, 4> sources = {
      ::fcntl(files.request, F_DUPFD_CLOEXEC, 10), ::fcntl(files.reply, F_DUPFD_CLOEXEC, 10),
      ::fcntl(files.steps, F_DUPFD_CLOEXEC, 10), ::fcntl(files.log, F_DUPFD_CLOEXEC, 10)};
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(launched ? sources[0] : null, STDIN_FILENO);
  ::dup2(sources[launched ? 1 : 3], STDOUT_FILENO);
  ::dup2(sources[3], STDERR_FILENO);
  // If the kernel runs out of memory, it should kill the worker and not the driver.
  const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0 && ::write(score, "1000", 4) < 0) ::close(score);
  if (launched) {
    ::execvpe(command[0], command, environment);
    const char* const why = strerrordesc_np(errno);
    if (::write(STDERR_FILENO, why, std::strlen(why)) < 0) ::_exit(126);
  } else {
    for (int i = 0; i < 3; ++i) ::dup2(sources[static_cast<std::size_t>(i)], kRequestFd + i);
    ::execve("/proc/self/exe", command, environment);
  }
  ::_exit(127);
}

}  // namespace

StartedWorker start_worker(const std::string& log_file, const std::vector<std::string>& launcher,
                           const StepClock& steps) {
  const bool launched = !launcher.empty();
  // Before anything that would have to be closed: it throws where a link or a pipe is in its place.
  const int log = open_regular("write", log_file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  std::array<int, 2> request{};
  std::array<int, 2> reply{};
  if (::pipe2(request.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  if (::pipe2(reply.data(), O_CLOEXEC) != 0) {
    ::close(request[0]);
    ::close(request[1]);
    throw std::runtime_error("cannot create a pipe");
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  std::vector<std::string> command = launcher;
  if (!launched) {
    command = {"bfslab", "worker"};
    std::ranges::copy(plugin_words(), std::back_inserter(command));
  }
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  if (launched) {
    for (const auto& [name, value] : launcher_environment()) {
      environment.push_back(name + "=" + value);
    }
  }
  const std::vector<char*> command_words = pointers(command);
  const std::vector<char*> environment_words = pointers(environment);
  const pid_t driver = ::getpid();
  StartedWorker worker;
  worker.process = ::fork();
  if (worker.process == 0) {
    // Between fork and exec only what POSIX allows there.
    // A worker never outlives its driver; a launcher takes its ranks along.
    ::prctl(PR_SET_PDEATHSIG, launched ? SIGTERM : SIGKILL);
    if (::getppid() != driver) ::_exit(127);
    const WorkerFiles files{request[0], reply[1], steps.fd(), log < 0 ? null : log};
    become_worker(files, launched, command_words.data(), environment_words.data());
  }
  ::close(request[0]);
  ::close(reply[1]);
  if (log >= 0) ::close(log);
  ::close(null);
  worker.request_fd = request[1];
  worker.reply_fd = reply[0];
  if (worker.process < 0) {
    ::close(worker.request_fd);
    ::close(worker.reply_fd);
    throw std::runtime_error("cannot start a worker process");
  }
  worker.process_fd = static_cast<int>(::syscall(SYS_pidfd_open, worker.process, 0));
  return worker;
}

std::vector<std::string> rank_command(unsigned ranks) {
  std::vector<std::string> words = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                    "worker", "--ranks", std::to_string(ranks)};
  std::ranges::copy(plugin_words(), std::back_inserter(words));
  return words;
}

}  // namespace bfslab
