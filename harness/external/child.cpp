// SPDX-License-Identifier: Apache-2.0
#include "harness/external/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "datasets/text/printable.hpp"
#include "harness/observe/kept_process.hpp"
#include "harness/observe/process_tree.hpp"

namespace bfslab {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t kLastWords = 300;

double ms_since(steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
}

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
// `input`: its standard input; -1: none.
[[noreturn]] void become(const Prepared& prepared, int input, int output, int error, int status) {
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
  ::dup2(input >= 0 ? input : ::open("/dev/null", O_RDONLY), STDIN_FILENO);
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

// A started program, and its output so far.
class Running {
 public:
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  virtual ~Running() = default;

 protected:
  explicit Running(ChildCommand command) : command_(std::move(command)) {}

  // Kills all processes of the program.
  virtual void end_all() = 0;

  // `input`: its standard input; -1: none.
  void start(int input) {
    Pipe output = make_pipe();
    Pipe error = make_pipe();
    Pipe status = make_pipe();
    const Prepared prepared{pointers(command_.words), pointers(command_.environment),
                            command_.folder.c_str(), command_.max_file, ::getpid()};
    process_ = ::fork();
    if (process_ == 0) {
      become(prepared, input, output.write.fd(), error.write.fd(), status.write.fd());
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

  // Waits for output or the end, and takes the output. Returns false when the program has ended and
  // its streams are empty. Does not wait for other processes that hold its streams after its end.
  bool wait_and_take() {
    while (true) {
      std::array<pollfd, 3> wait = {pollfd{output_.fd(), POLLIN, 0}, pollfd{error_.fd(), POLLIN, 0},
                                    pollfd{ended_.fd(), POLLIN, 0}};
      if (::poll(wait.data(), wait.size(), has_ended_ ? 0 : -1) < 0) {
        if (errno == EINTR) continue;
        throw std::runtime_error("cannot wait for a process");
      }
      if (wait[0].revents != 0) take(output_, end_.output);
      if (wait[1].revents != 0) take(error_, end_.error);
      if (wait[0].revents != 0 || wait[1].revents != 0) return true;
      if (has_ended_) return false;
      // The streams are looked at before the process: it may have written in between.
      has_ended_ = wait[2].revents != 0;
    }
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

  int wait_for_status() const {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  // Throws unless the program ended with exit code 0 and within its limits.
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

  const ChildCommand command_;
  pid_t process_ = -1;
  Descriptor output_;
  Descriptor error_;
  Descriptor ended_;
  ChildEnd end_;
  const char* too_much_ = nullptr;
  bool has_ended_ = false;
};

// A child, from its start to its end. Meanwhile this process adopts the processes that it leaves.
class Child final : public Running {
 public:
  explicit Child(const ChildCommand& command) : Running(command) {
    others_ = children_of(::getpid());
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~Child() override {
    ended_.close();
    end_all();
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  ChildEnd run() {
    const auto begin = steady_clock::now();
    start(-1);
    while (wait_and_take()) {
    }
    end_.wall_ms = ms_since(begin);
    const int status = wait_for_status();
    end_all();
    judge(status);
    return std::move(end_);
  }

 private:
  // Kills all processes that this process has started since, and those that they left behind.
  void end_all() override {
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

  std::vector<pid_t> others_;  // children that this process had before
};

}  // namespace

ChildEnd run_child(const ChildCommand& command) { return Child(command).run(); }

class AskedChild::Process final : public Running {
 public:
  explicit Process(const ChildCommand& command) : Running(command) {
    // A socket, since writing to a pipe without a reader would end this process by a signal.
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw std::runtime_error("cannot create a socket");
    }
    input_ = Descriptor(ends[0]);
    const Descriptor others_end(ends[1]);
    try {
      start(others_end.fd());
    } catch (...) {
      end();
      throw;
    }
    kept_.emplace(process_);
  }
  ~Process() override { end(); }

  ChildAnswer ask(std::string line) {
    line += '\n';
    require_silence();
    const auto begin = steady_clock::now();
    // A program that has ended takes nothing: waiting for its answer says so.
    static_cast<void>(::send(input_.fd(), line.data(), line.size(), MSG_NOSIGNAL));
    while (end_.output.find('\n') == std::string::npos) {
      if (wait_and_take()) continue;
      judge(end_status());
      throw std::runtime_error(
          fmt::format("{}: ended before it answered{}", command_.words.front(), last_words(end_)));
    }
    ChildAnswer answer{.wall_ms = ms_since(begin)};
    answer.line = std::exchange(end_.output, {});
    answer.line.pop_back();
    if (answer.line.find('\n') != std::string::npos) refuse_more(answer.line);
    if (end_.error.size() > kLastWords) end_.error.erase(0, end_.error.size() - kLastWords);
    return answer;
  }

 private:
  void end() {
    if (process_ <= 0) return;
    end_all();
    static_cast<void>(end_status());
  }
  void end_all() override {
    for (const pid_t process : descendants_of(process_)) ::kill(process, SIGKILL);
    ::kill(process_, SIGKILL);
  }

  int end_status() {
    kept_.reset();
    const int status = wait_for_status();
    process_ = -1;
    return status;
  }

  // Throws if the program has written anything since its answer.
  void require_silence() {
    pollfd more{output_.fd(), POLLIN, 0};
    if (::poll(&more, 1, 0) > 0 && (more.revents & POLLIN) != 0) {
      take(output_, end_.output);
      refuse_more(end_.output);
    }
  }
  [[noreturn]] void refuse_more(const std::string& text) const {
    throw std::runtime_error(fmt::format("{}: answered by more than one line: {}",
                                         command_.words.front(),
                                         printable(text.substr(0, kLastWords))));
  }

  Descriptor input_;
  std::optional<KeptProcess> kept_;
};

AskedChild::AskedChild(const ChildCommand& command)
    : process_(std::make_unique<Process>(command)) {}
AskedChild::~AskedChild() = default;
ChildAnswer AskedChild::ask(const std::string& line) { return process_->ask(line); }

}  // namespace bfslab
