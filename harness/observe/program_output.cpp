// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/program_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

extern char** environ;

namespace bfslab {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

// Starts the program in a new process group, so that the processes that it starts can be killed
// with it. Returns -1 if it could not be started.
pid_t start(const std::vector<std::string>& command, int output) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn does not write to them
  }
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, words.front(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? process : -1;
}

// Returns true when everything was read.
bool read_all(int input, std::chrono::steady_clock::time_point end, std::string& output) {
  std::array<char, 4096> block{};
  while (output.size() < kMaxBytes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd ready{input, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t got = ::read(input, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    output.append(block.data(), static_cast<std::size_t>(got));
  }
  return false;
}

}  // namespace

std::string program_output(const std::vector<std::string>& command,
                           std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const pid_t process = start(command, ends[1]);
  ::close(ends[1]);
  std::string output;
  const auto end = std::chrono::steady_clock::now() + limit;
  const bool whole = process > 0 && read_all(ends[0], end, output);
  ::close(ends[0]);
  if (process <= 0) return {};
  int status = 0;
  // A program that has closed its output may still hang.
  bool ended = false;
  while (whole && !ended && std::chrono::steady_clock::now() < end) {
    ended = ::waitpid(process, &status, WNOHANG) == process;
    if (!ended) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (!ended) {
    ::kill(-process, SIGKILL);
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return whole && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? output : std::string();
}

}  // namespace bfslab
