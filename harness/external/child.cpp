// SPDX-License-Identifier: Apache-2.0
#include "harness/external/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "datasets/text/printable.hpp"
#include "harness/observe/process_tree.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kLastWords = 300;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) {
    out.push_back(const_cast<char*>(text.c_str()));  // NOLINT: exec does not write to them
  }
  out.push_back(nullptr);
  return out;
}

struct Prepared {
  std::vector<char*> words;
  std::vector<char*> environment;
  const char* folder;
  rlim_t max_file;
  pid_t parent;
};

// Runs between fork and exec, and calls only functions that POSIX allows there. The child stays in
// the worker's process group, so that a signal to the group ends it, too.
[[noreturn]] void become(const Prepared& prepared, int output, int error, int status) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != prepared.parent) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  const rlimit file{prepared.max_file, prepared.max_file};
  const rlimit core{0, 0};
  ::setrlimit(RLIMIT_FSIZE, &file);
  ::setrlimit(RLIMIT_CORE, &core);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (::chdir(prepared.folder) == 0) {
    ::execve(prepared.words[0], prepared.words.data(), prepared.environment.data());
  }
  const int why = errno;
  if (::write(status, &why, sizeof why) < 0) ::_exit(126);
  ::_exit(127);
}

// Returns the last lines of the output, joined into one.
std::string last_words(const ChildEnd& end) {
  std::string text =
      end.error.find_first_not_of(" \n") == std::string::npos ? end.output : end.error;
  text.erase(text.find_last_not_of(" \n") + 1);
  if (text.size() > kLastWords) text.erase(0, text.size() - kLastWords);
  std::ranges::replace(text, '\n', ' ');
  return text.empty() ? text : ": " + printable(text);
}

std::string signal_text(int signal) {
  const char* const name = sigabbrev_np(signal);
  return fmt::format("killed by signal {} (SIG{})", signal, name == nullptr ? "?" : name);
}

// A child, from its start to its end. Meanwhile this process adopts the processes that it leaves.
class Child {
 public:
  explicit Child(const ChildCommand& command) : command_(command) {
    others_ = children_of(::getpid());
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ended_.close();
    end_all();
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  ChildEnd run() {
    const auto begin = std::chrono::steady_clock::now();
    start();
    read_until_end();
    const auto end = std::chrono::steady_clock::now();
    end_.wall_ms = std::chrono::duration<double, std::milli>(end - begin).count();
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    end_all();
    judge(status);
    return std::move(end_);
  }

 private:
  void start() {
    Pipe output = make_pipe();
    Pipe error = make_pipe();
    Pipe status = make_pipe();
    const Prepared prepared{pointers(command_.words), pointers(command_.environment),
                            command_.folder.c_str(), command_.max_file, ::getpid()};
    process_ = ::fork();
    if (process_ == 0) {
      become(prepared, output.write.fd(), error.write.fd(), status.write.fd());
    }
    if (process_ < 0) throw std::runtime_error("cannot start a process");
    status.write.close();
    int why = 0;
    ssize_t got = 0;
    while ((got = ::read(status.read.fd(), &why, sizeof why)) < 0 && errno == EINTR) {
    }
    if (got > 0) {
      throw std::runtime_error(fmt::format("{}: cannot be started: {}{}", command_.words.front(),
                                           strerrordesc_np(why),
                                           why == ENOEXEC ? " (a script begins with #!)" : ""));
    }
    output_ = std::move(output.read);
    error_ = std::move(error.read);
    ended_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
    if (ended_.fd() < 0) throw std::runtime_error("cannot watch a process");
  }

  // Reads the available output. A program that writes too much is ended.
  void take(Descriptor& stream, std::string& text) {
    std::array<char, 1 << 16> block;
    const ssize_t got = ::read(stream.fd(), block.data(), block.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return stream.close();
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() <= command_.max_output) return;
    too_much_ = &stream == &output_ ? "standard output" : "standard error";
    text.resize(kLastWords);
    end_all();
    stream.close();
  }

  // Reads until the program has ended and its streams are empty. Does not wait for other processes
  // that hold its streams after its end.
  void read_until_end() {
    bool has_ended = false;
    while (true) {
      std::array<pollfd, 3> wait = {pollfd{output_.fd(), POLLIN, 0}, pollfd{error_.fd(), POLLIN, 0},
                                    pollfd{ended_.fd(), POLLIN, 0}};
      if (::poll(wait.data(), wait.size(), has_ended ? 0 : -1) < 0) {
        if (errno == EINTR) continue;
        throw std::runtime_error("cannot wait for a process");
      }
      if (wait[0].revents != 0) take(output_, end_.output);
      if (wait[1].revents != 0) take(error_, end_.error);
      if (wait[0].revents != 0 || wait[1].revents != 0) continue;
      if (has_ended) return;
      // The streams are looked at before the process: it may have written in between.
      has_ended = wait[2].revents != 0;
    }
  }

  // Kills all processes that this process has started since, and those that they left behind.
  void end_all() {
    while (true) {
      bool any = false;
      for (const pid_t child : children_of(::getpid())) {
        if (std::ranges::find(others_, child) != others_.end()) continue;
        ::kill(child, SIGKILL);
        if (child == process_ && ended_.fd() >= 0) continue;  // run() waits for it
        any = true;
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
      }
      if (!any) return;
    }
  }

  void judge(int status) const {
    const std::string& who = command_.words.front();
    if (too_much_ != nullptr) {
      throw std::runtime_error(fmt::format("{}: wrote more than {} MiB to its {}", who,
                                           command_.max_output >> 20, too_much_));
    }
    const bool by_signal = WIFSIGNALED(status);
    if (by_signal && WTERMSIG(status) == SIGXFSZ) {
      throw std::runtime_error(
          fmt::format("{}: wrote more than {} MiB to a file", who, command_.max_file >> 20));
    }
    if (by_signal) {
      throw std::runtime_error(
          fmt::format("{}: {}{}", who, signal_text(WTERMSIG(status)), last_words(end_)));
    }
    if (WEXITSTATUS(status) != 0) {
      throw std::runtime_error(
          fmt::format("{}: exited with code {}{}", who, WEXITSTATUS(status), last_words(end_)));
    }
  }

  const ChildCommand& command_;
  std::vector<pid_t> others_;  // children that this process had before
  pid_t process_ = -1;
  Descriptor output_;
  Descriptor error_;
  Descriptor ended_;
  ChildEnd end_;
  const char* too_much_ = nullptr;
};

}  // namespace

ChildEnd run_child(const ChildCommand& command) { return Child(command).run(); }

}  // namespace bfslab
