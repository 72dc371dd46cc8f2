// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/observe/cgroup.hpp"
#include "harness/observe/process_tree.hpp"
#include "harness/observe/resident_memory.hpp"
#include "harness/record/table_file.hpp"
#include "harness/run/launcher.hpp"
#include "harness/run/line_pipe.hpp"

namespace bfslab {

namespace {

constexpr std::chrono::milliseconds kMemorySampling{20};
// How often the processes of a worker (ranks, an external program's) are looked up while their
// memory is limited, and how long a launcher has to end them.
constexpr std::chrono::milliseconds kTreeSampling{500};
constexpr std::chrono::seconds kGrace{3};
constexpr off_t kMostLog = off_t{1} << 20;  // of what a launched worker wrote

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // the worker is gone; reading will show how
    done += static_cast<std::size_t>(wrote);
  }
}

std::string mib(std::uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

// As exec takes them; `texts` keeps the characters.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// From a line of a launcher's output to the message in it; false if it has none. Open MPI's
// --tag-output puts its tag before a line, and into one too that it reads in several pieces.
bool take_message(std::string& line) {
  const std::size_t mark = line.find(kLineMark);
  if (mark == std::string::npos) return false;
  const std::string tag = line.substr(0, mark);
  line.erase(0, mark + kLineMark.size());
  if (!tag.ends_with("<stdout>:")) return true;
  for (std::size_t at = 0; (at = line.find(tag, at)) != std::string::npos;) {
    line.erase(at, tag.size());
  }
  return true;
}

struct EndedRank {
  std::string text;  // "rank 1 on a: killed by signal 9 (SIGKILL)", or empty
  int signal = 0;
};

// Which rank has ended, and how, as Open MPI's mpirun tells it: "process rank 1 with PID 17 on node
// a exited on signal 9 (Killed).", or "Process name: [[5305,1],1]" and "Exit code: 7". Empty if it
// is not in the log.
EndedRank ended_rank(const std::string& log) {
  static const std::regex killed(
      R"(process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+))");
  static const std::regex left(R"(Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+))");
  std::smatch found;
  if (std::regex_search(log, found, killed)) {
    const int signal = std::stoi(found[3]);
    const char* name = sigabbrev_np(signal);
    return {fmt::format("rank {} on {}: killed by signal {} (SIG{})", found[1].str(),
                        found[2].str(), signal, name == nullptr ? "?" : name),
            signal};
  }
  if (std::regex_search(log, found, left)) {
    return {fmt::format("rank {}: exited with code {}", found[1].str(), found[2].str()), 0};
  }
  return {};
}

}  // namespace

std::vector<std::string> rank_command(unsigned ranks) {
  return {std::filesystem::read_symlink("/proc/self/exe").string(), "worker", "--ranks",
          std::to_string(ranks)};
}

WorkerProcess::WorkerProcess(std::string log, WorkerLimits limits, const Interrupts& interrupts,
                             std::vector<std::string> launcher)
    : log_(std::move(log)),
      limits_(limits),
      interrupts_(interrupts),
      launcher_(std::move(launcher)),
      oom_kills_before_(kernel_oom_kills()) {
  if (launched()) {
    others_ = children_of(::getpid());
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  start();
}

WorkerProcess::~WorkerProcess() {
  kill_and_reap();
  if (launched()) ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void WorkerProcess::start() {
  // Before anything that would have to be closed: it throws where a link or a pipe is in its place.
  const int log = open_regular("write", log_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  int request[2];
  int reply[2];
  if (::pipe2(request, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  if (::pipe2(reply, O_CLOEXEC) != 0) {
    ::close(request[0]);
    ::close(request[1]);
    throw std::runtime_error("cannot create a pipe");
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  log_begin_ = log < 0 ? 0 : ::lseek(log, 0, SEEK_END);
  std::vector<std::string> command = launcher_;
  if (!launched()) command = {"bfslab", "worker"};
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  if (launched()) {
    for (const auto& [name, value] : launcher_environment()) {
      environment.push_back(name + "=" + value);
    }
  }
  const std::vector<char*> command_words = pointers(command);
  const std::vector<char*> environment_words = pointers(environment);
  const pid_t driver = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    // Between fork and exec only what POSIX allows there.
    // A worker never outlives its driver; a launcher takes its ranks along.
    ::prctl(PR_SET_PDEATHSIG, launched() ? SIGTERM : SIGKILL);
    if (::getppid() != driver) ::_exit(127);
    become_worker(request[0], reply[1], log < 0 ? null : log, command_words.data(),
                  environment_words.data());
  }
  ::close(request[0]);
  ::close(reply[1]);
  if (log >= 0) ::close(log);
  ::close(null);
  request_fd_ = request[1];
  reply_fd_ = reply[0];
  if (process_ < 0) throw std::runtime_error("cannot start a worker process");
  process_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, process_, 0));
}

void WorkerProcess::become_worker(int request_fd, int reply_fd, int log_fd, char* const* command,
                                  char* const* environment) const {
  ::setpgid(0, 0);  // ctrl-C reaches the driver alone, which decides
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  // Away from their final numbers first, then into place.
  const std::array<int, 4> sources = {
      ::fcntl(request_fd, F_DUPFD_CLOEXEC, 10), ::fcntl(reply_fd, F_DUPFD_CLOEXEC, 10),
      ::fcntl(steps_.fd(), F_DUPFD_CLOEXEC, 10), ::fcntl(log_fd, F_DUPFD_CLOEXEC, 10)};
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(launched() ? sources[0] : null, STDIN_FILENO);
  ::dup2(sources[launched() ? 1 : 3], STDOUT_FILENO);
  ::dup2(sources[3], STDERR_FILENO);
  // If the kernel runs out of memory, it should kill the worker and not the driver.
  const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0 && ::write(score, "1000", 4) < 0) ::close(score);
  if (launched()) {
    ::execvpe(command[0], command, environment);
    const char* const why = strerrordesc_np(errno);
    if (::write(STDERR_FILENO, why, std::strlen(why)) < 0) ::_exit(126);
  } else {
    for (int i = 0; i < 3; ++i) ::dup2(sources[static_cast<std::size_t>(i)], kRequestFd + i);
    ::execve("/proc/self/exe", command, environment);
  }
  ::_exit(127);
}

// Milliseconds until something must be checked; -1: only a reply or a signal.
int WorkerProcess::wait_ms() const {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  auto wait = milliseconds::max();
  if (limits_.memory_bytes > 0) wait = kMemorySampling;
  if (limits_.step_s > 0) {
    const auto limit = std::chrono::duration<double>(limits_.step_s);
    // A step that is not limited, or has not begun, is checked again after one full limit.
    const auto begun = limited(steps_.step()) ? steps_.since() : std::chrono::steady_clock::now();
    const auto left = limit - (std::chrono::steady_clock::now() - begun);
    wait = std::min(wait, duration_cast<milliseconds>(left) + milliseconds(1));
  }
  if (wait == milliseconds::max()) return -1;
  return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 1, 60'000));
}

bool WorkerProcess::over_limit() {
  const std::uint64_t resident = limits_.memory_bytes > 0 ? this->resident() : 0;
  const Step step = steps_.step();
  if (limits_.memory_bytes > 0 && resident > limits_.memory_bytes) {
    limit_passed_ = {Status::oom,
                     fmt::format("{} resident {}, limits.memory_mib is {}", mib(resident),
                                 to_text(step), limits_.memory_bytes >> 20)};
    return true;
  }
  if (limits_.step_s > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - steps_.since();
    if (spent.count() > limits_.step_s) {
      watch_stops();
      if (stopped_now() || (was_stopped_ && limited(step))) {
        limit_passed_ = {Status::interrupted,
                         fmt::format("was stopped by a signal {}, and {} s passed, which is "
                                     "limits.trial_s",
                                     to_text(step), limits_.step_s)};
        return true;
      }
      if (!limited(step)) return false;
      limit_passed_ = {Status::timeout, fmt::format("{} s {}, limits.trial_s is {}", limits_.step_s,
                                                    to_text(step), limits_.step_s)};
      return true;
    }
  }
  return false;
}

// What came and went between two looks at its memory.
bool WorkerProcess::peak_over_limit() {
  if (limits_.memory_bytes == 0) return false;
  std::uint64_t peak = 0;
  for (const pid_t process : launched() ? launched_processes() : std::vector<pid_t>{process_}) {
    peak += peak_resident_bytes(process);
  }
  if (peak <= limits_.memory_bytes) return false;
  limit_passed_ = {Status::oom, fmt::format("{} resident at most, limits.memory_mib is {}",
                                            mib(peak), limits_.memory_bytes >> 20)};
  killed_ = true;
  return true;
}

// Notices that the worker was stopped or continued since this was last asked.
void WorkerProcess::watch_stops() {
  siginfo_t event{};
  while (!launched() && process_ > 0 &&
         ::waitid(P_PID, static_cast<id_t>(process_), &event, WSTOPPED | WCONTINUED | WNOHANG) ==
             0 &&
         event.si_pid != 0) {
    was_stopped_ = true;
    event = {};
  }
}

// Whether one of its processes on this host is stopped.
bool WorkerProcess::stopped_now() const {
  std::vector<pid_t> processes{process_};
  if (launched()) processes = launched_processes();
  return std::ranges::any_of(processes, is_stopped);
}

std::uint64_t WorkerProcess::resident() {
  const auto now = std::chrono::steady_clock::now();
  if (now - tree_at_ > kTreeSampling) {
    tree_ = launched() ? launched_processes() : descendants_of(process_);
    if (!launched()) tree_.push_back(process_);
    tree_at_ = now;
  }
  std::uint64_t sum = 0;
  for (const pid_t process : tree_) sum += resident_bytes(process);
  return sum;
}

// False when the worker closed its end.
bool WorkerProcess::next_line(std::string& line) {
  while (true) {
    if (take_line(received_, line)) {
      if (!launched()) return true;
      if (take_message(line)) return true;
      log_line(line);
      continue;
    }
    // The process itself is watched as well: a child that an engine left running may hold the pipe
    // open. (poll ignores a negative descriptor, as on kernels without pidfd_open.)
    std::array<pollfd, 3> wait = {pollfd{reply_fd_, POLLIN, 0}, pollfd{interrupts_.fd(), POLLIN, 0},
                                  pollfd{process_fd_, POLLIN, 0}};
    const int ready = ::poll(wait.data(), wait.size(), wait_ms());
    if (ready < 0 && errno != EINTR) throw std::runtime_error("cannot wait for a worker");
    interrupts_.poll();
    if (ready > 0 && wait[0].revents != 0) {
      std::array<char, 1 << 16> block;
      const ssize_t got = ::read(reply_fd_, block.data(), block.size());
      if (got > 0) received_.append(block.data(), static_cast<std::size_t>(got));
      if (got == 0) return false;
      continue;
    }
    if (ready > 0 && wait[2].revents != 0) return false;
    if (over_limit()) {
      killed_ = true;
      return false;
    }
  }
}

WorkerProcess::Outcome WorkerProcess::ask(const Request& request,
                                          const std::function<void(const std::string&)>& notice) {
  watch_stops();
  was_stopped_ = false;  // what happened before this request
  write_all(request_fd_, encode(request) + "\n");
  std::string line;
  while (next_line(line)) {
    Reply reply = decode_reply(line);
    if (const auto* note = std::get_if<Notice>(&reply)) {
      notice(note->text);
    } else if (const auto* fault = std::get_if<FaultReply>(&reply)) {
      throw std::runtime_error(
          fmt::format("a worker failed through its own fault: {}", fault->reason));
    } else if (const auto* step = std::get_if<StepReply>(&reply)) {
      steps_.enter(step->step);
      if (step->step == Step::traverse) write_all(request_fd_, encode(Heard{}) + "\n");
    } else if (peak_over_limit()) {
      break;
    } else if (auto* graph = std::get_if<GraphFactsReply>(&reply)) {
      return std::move(*graph);
    } else if (auto* trial = std::get_if<TrialReply>(&reply)) {
      watch_stops();
      return std::move(*trial);
    } else if (auto* closed = std::get_if<ClosedReply>(&reply)) {
      return std::move(*closed);
    } else {
      return std::get<FailedReply>(std::move(reply));
    }
  }
  return died();
}

WorkerDeath WorkerProcess::died() {
  const Step step = steps_.step();
  if (killed_) {
    kill_and_reap();
    // Of ranks that waited in vain for one that had failed, this is the reason.
    if (const auto fault = find_rank_fault(launched() ? log_text(kMostLog) : "")) {
      return {fault->status, fmt::format("rank {}: {}", fault->rank, fault->reason)};
    }
    return limit_passed_;
  }
  // It has ended or is about to; an engine that closed the pipe and continues is killed.
  pollfd ended = {process_fd_, POLLIN, 0};
  const bool lingers = process_fd_ >= 0 && ::poll(&ended, 1, 5000) == 0;
  if (lingers) ::kill(process_, SIGKILL);
  if (!launched()) end_what_it_left();
  rusage usage{};
  while (::wait4(process_, &wait_status_, 0, &usage) < 0 && errno == EINTR) {
  }
  process_ = -1;
  EndedRank rank;  // which one died
  std::vector<int> signals;
  if (launched()) {
    end_launched();
    const std::string log = log_text(kMostLog);
    if (const auto fault = find_rank_fault(log)) {
      return {fault->status, fmt::format("rank {}: {}", fault->rank, fault->reason)};
    }
    rank = ended_rank(log);
    signals = find_rank_signals(log);
  }
  const std::string words = rank.text.empty() ? last_words() : std::string();
  const std::string tail = words.empty() ? std::string() : ": " + words;
  const int signal = WIFSIGNALED(wait_status_) ? WTERMSIG(wait_status_) : 0;
  if ((signal == SIGKILL || launched()) && kernel_oom_kills() > oom_kills_before_) {
    return out_of_memory(static_cast<std::uint64_t>(usage.ru_maxrss) << 10, tail);
  }
  const std::string how =
      fmt::format("{} {}{}", rank.text.empty() ? how_it_ended() : rank.text, to_text(step), tail);
  if (launched()) {
    // Either the launcher was ended, and ended its ranks, or a signal ended the rank that it names.
    const bool foreign = std::ranges::any_of(
        signals, [&](int each) { return rank.text.empty() || each == rank.signal; });
    if (foreign) return {Status::interrupted, how + ", sent by another process"};
    if (rank.text.empty() && signal != 0) return {Status::interrupted, how};
    const bool ends = rank.signal == SIGKILL || rank.signal == SIGTERM;
    return {ends ? Status::interrupted : Status::crash, how, false};
  }
  if (steps_.foreign_signal()) return {Status::interrupted, how + ", sent by another process"};
  const bool ended_it = signal == SIGKILL && !lingers;
  return {ended_it ? Status::interrupted : Status::crash, how, false};
}

// The kernel has killed it. Where its own memory is less than half of what there is, others'
// memory is the reason.
WorkerDeath WorkerProcess::out_of_memory(std::uint64_t peak_bytes, const std::string& tail) const {
  const std::uint64_t cgroup = cgroup_memory().limit;
  const std::uint64_t all = cgroup > 0 ? cgroup : machine_memory_bytes();
  const bool others = !launched() && peak_bytes < all / 2;
  return {others ? Status::interrupted : Status::oom,
          fmt::format(
              "the kernel ran out of memory{} and killed it {}{}{}",
              cgroup > 0 ? fmt::format(" (cgroup limit {})", mib(cgroup)) : std::string(),
              to_text(steps_.step()),
              others ? fmt::format("; it had {} itself at most", mib(peak_bytes)) : std::string(),
              tail)};
}

std::string WorkerProcess::how_it_ended() const {
  const std::string who = launched() ? fmt::format("the launcher {} ", launcher_.front()) : "";
  if (!WIFSIGNALED(wait_status_)) {
    return fmt::format("{}exited with code {}", who, WEXITSTATUS(wait_status_));
  }
  const int signal = WTERMSIG(wait_status_);
  const char* name = sigabbrev_np(signal);
  return fmt::format("{}{}killed by signal {} (SIG{})", who, launched() ? "was " : "", signal,
                     name == nullptr ? "?" : name);
}

std::string WorkerProcess::finish() {
  ::close(std::exchange(request_fd_, -1));
  // A profiler may take a while to write its report; an engine's destructor that hangs may not.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (::waitpid(process_, &wait_status_, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > patience) {
      kill_and_reap();
      return "did not end when asked to, and was killed";
    }
    std::array<pollfd, 2> wait = {pollfd{process_fd_, POLLIN, 0},
                                  pollfd{interrupts_.fd(), POLLIN, 0}};
    ::poll(wait.data(), wait.size(), process_fd_ >= 0 ? 1000 : 5);
    interrupts_.poll();
  }
  process_ = -1;
  end_launched();
  const bool well = WIFEXITED(wait_status_) && WEXITSTATUS(wait_status_) == 0;
  return well ? std::string() : how_it_ended();
}

// Of a worker that has ended, or is about to: processes that an engine started, in its group. Its
// number is the group's until it is waited for.
void WorkerProcess::end_what_it_left() const {
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  ::kill(-process_, SIGKILL);
}

void WorkerProcess::kill_and_reap() {
  if (request_fd_ >= 0) ::close(std::exchange(request_fd_, -1));
  if (reply_fd_ >= 0) ::close(std::exchange(reply_fd_, -1));
  if (process_fd_ >= 0) ::close(std::exchange(process_fd_, -1));
  if (launched()) return end_launched();
  if (process_ <= 0) return;
  const std::vector<pid_t> below = descendants_of(process_);  // some may have left its group
  ::kill(-process_, SIGKILL);  // with any process that an engine started
  ::kill(process_, SIGKILL);   // in case it has not reached setpgid yet
  for (const pid_t process : below) ::kill(process, SIGKILL);
  while (::waitpid(process_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

// The launcher, its descendants, and those of its descendants that have become this process's own.
std::vector<pid_t> WorkerProcess::launched_processes() const {
  std::vector<pid_t> found;
  for (const pid_t child : children_of(::getpid())) {
    if (std::ranges::find(others_, child) != others_.end()) continue;
    found.push_back(child);
    const std::vector<pid_t> below = descendants_of(child);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

// Ends all processes of a launched worker on this host and waits until they are gone.
void WorkerProcess::end_launched() {
  if (!launched()) return;
  using std::chrono::steady_clock;
  if (process_ > 0) ::kill(-process_, SIGTERM);  // with a script around it, and not its ranks
  const auto patience = steady_clock::now() + (process_ > 0 ? kGrace : std::chrono::seconds(0));
  while (true) {
    const std::vector<pid_t> left = launched_processes();
    if (left.empty()) break;
    const bool kills = steady_clock::now() >= patience;
    for (const pid_t process : left) {
      if (kills) ::kill(process, SIGKILL);
      int status = 0;  // of a child; an error for a descendant that is none (yet)
      if (::waitpid(process, &status, WNOHANG) == process && process == process_) {
        wait_status_ = status;
        process_ = -1;
      }
    }
    ::poll(nullptr, 0, 5);
  }
  process_ = -1;
}

std::string WorkerProcess::log_text(off_t most) const {
  const int fd = ::open(log_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const off_t end = ::lseek(fd, 0, SEEK_END);
  const off_t begin = std::max(log_begin_, end - most);
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, end - begin)), '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), begin);
  ::close(fd);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

// What a launcher says on its standard output and is none of ours.
void WorkerProcess::log_line(const std::string& line) const {
  const int fd = ::open(log_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;
  write_all(fd, line + "\n");
  ::close(fd);
}

// The last lines that this worker wrote to its log, joined into one.
std::string WorkerProcess::last_words() const {
  std::string text = log_text(600);
  if (launched()) {  // the frames around mpirun's messages
    text = std::regex_replace(text, std::regex("(^|\n)[-*]{8,}(?=\n|$)"), "");
    text = std::regex_replace(text, std::regex("\n[ \n]*\n"), "\n");
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  // At most three lines.
  std::size_t cut = text.size();
  for (int lines = 0; lines < 3 && cut != std::string::npos && cut > 0; ++lines) {
    cut = text.rfind('\n', cut - 1);
  }
  if (cut != std::string::npos && cut < text.size()) text.erase(0, cut + 1);
  std::string joined;
  for (const char c : text) {
    if (c == '\n') {
      joined += " | ";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      joined += c;
    }
  }
  return joined;
}

}  // namespace bfslab
