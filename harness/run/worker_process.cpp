// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/observe/cgroup.hpp"
#include "harness/observe/process_tree.hpp"
#include "harness/observe/resident_memory.hpp"
#include "harness/run/line_pipe.hpp"

namespace bfslab {

namespace {

constexpr std::chrono::milliseconds kMemorySampling{20};
// Interval in which the processes of a worker (ranks, an external program's) are looked up while
// their memory is limited.
constexpr std::chrono::milliseconds kTreeSampling{500};
constexpr std::chrono::seconds kGrace{3};       // for a launcher to end its processes
constexpr off_t kMaxLogBytes = off_t{1} << 20;  // read from the log of a launched worker

std::string mib(std::uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

}  // namespace

WorkerProcess::WorkerProcess(std::string log, WorkerLimits limits, const Interrupts& interrupts,
                             std::vector<std::string> launcher)
    : log_(std::move(log), !launcher.empty()),
      limits_(limits),
      interrupts_(interrupts),
      launcher_(std::move(launcher)),
      oom_kills_before_(kernel_oom_kills()) {
  if (launched()) {
    others_ = children_of(::getpid());
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  started_ = start_worker(log_.file(), launcher_, steps_);
}

WorkerProcess::~WorkerProcess() {
  kill_and_reap();
  if (launched()) ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// Returns the milliseconds until a limit must be checked; -1: only a reply or a signal ends the
// wait.
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

// Finds memory that the worker used and freed between two looks.
bool WorkerProcess::peak_over_limit() {
  if (limits_.memory_bytes == 0) return false;
  std::uint64_t peak = 0;
  for (const pid_t process :
       launched() ? launched_processes() : std::vector<pid_t>{started_.process}) {
    peak += peak_resident_bytes(process);
  }
  if (peak <= limits_.memory_bytes) return false;
  limit_passed_ = {Status::oom, fmt::format("{} resident at most, limits.memory_mib is {}",
                                            mib(peak), limits_.memory_bytes >> 20)};
  killed_ = true;
  return true;
}

// Notes whether the worker was stopped or continued since the last call.
void WorkerProcess::watch_stops() {
  siginfo_t event{};
  while (!launched() && started_.process > 0 &&
         ::waitid(P_PID, static_cast<id_t>(started_.process), &event,
                  WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
         event.si_pid != 0) {
    was_stopped_ = true;
    event = {};
  }
}

// Returns whether one of its processes on this host is stopped.
bool WorkerProcess::stopped_now() const {
  std::vector<pid_t> processes{started_.process};
  if (launched()) processes = launched_processes();
  return std::ranges::any_of(processes, is_stopped);
}

std::uint64_t WorkerProcess::resident() {
  const auto now = std::chrono::steady_clock::now();
  if (now - tree_at_ > kTreeSampling) {
    tree_ = launched() ? launched_processes() : descendants_of(started_.process);
    if (!launched()) tree_.push_back(started_.process);
    tree_at_ = now;
  }
  std::uint64_t sum = 0;
  for (const pid_t process : tree_) sum += resident_bytes(process);
  return sum;
}

// Waits for a line of the worker. Returns false when the worker closed its end or passed a limit.
bool WorkerProcess::next_line(std::string& line) {
  while (true) {
    if (take_line(received_, line)) {
      if (!launched()) return true;
      if (take_message(line)) return true;
      log_.append(line);
      continue;
    }
    // The process itself is watched as well: a child that an engine left running may hold the pipe
    // open. (poll ignores a negative descriptor, as on kernels without pidfd_open.)
    std::array<pollfd, 3> wait = {pollfd{started_.reply_fd, POLLIN, 0},
                                  pollfd{interrupts_.fd(), POLLIN, 0},
                                  pollfd{started_.process_fd, POLLIN, 0}};
    const int ready = ::poll(wait.data(), wait.size(), wait_ms());
    if (ready < 0 && errno != EINTR) throw std::runtime_error("cannot wait for a worker");
    interrupts_.poll();
    if (ready > 0 && wait[0].revents != 0) {
      std::array<char, 1 << 16> block;
      const ssize_t got = ::read(started_.reply_fd, block.data(), block.size());
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
  was_stopped_ = false;  // stops before this request do not count
  write_all(started_.request_fd, encode(request) + "\n");
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
      if (step->step == Step::traverse)
        write_all(started_.request_fd, encode(Acknowledged{}) + "\n");
    } else if (peak_over_limit()) {
      break;
    } else if (auto* graph = std::get_if<GraphFactsReply>(&reply)) {
      has_loaded_ = true;
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
    // If ranks waited in vain for one that had failed, its fault is the reason.
    if (const auto fault = find_rank_fault(launched() ? log_.text(kMaxLogBytes) : "")) {
      return {fault->status, fmt::format("rank {}: {}", fault->rank, fault->reason)};
    }
    return limit_passed_;
  }
  // It has ended or is about to; an engine that closed the pipe and continues is killed.
  pollfd ended = {started_.process_fd, POLLIN, 0};
  const bool lingers = started_.process_fd >= 0 && ::poll(&ended, 1, 5000) == 0;
  if (lingers) ::kill(started_.process, SIGKILL);
  if (!launched()) end_what_it_left();
  rusage usage{};
  while (::wait4(started_.process, &wait_status_, 0, &usage) < 0 && errno == EINTR) {
  }
  started_.process = -1;
  EndedRank rank;  // the one that died
  std::vector<int> signals;
  if (launched()) {
    end_launched();
    const std::string log = log_.text(kMaxLogBytes);
    if (const auto fault = find_rank_fault(log)) {
      return {fault->status, fmt::format("rank {}: {}", fault->rank, fault->reason)};
    }
    rank = ended_rank(log);
    signals = find_rank_signals(log);
  }
  const std::string words = rank.text.empty() ? log_.last_lines() : std::string();
  const std::string tail = words.empty() ? std::string() : ": " + words;
  const int signal = WIFSIGNALED(wait_status_) ? WTERMSIG(wait_status_) : 0;
  if ((signal == SIGKILL || launched()) && kernel_oom_kills() > oom_kills_before_) {
    return out_of_memory(static_cast<std::uint64_t>(usage.ru_maxrss) << 10, tail);
  }
  const std::string cause =
      fmt::format("{} {}{}", rank.text.empty() ? how_it_ended() : rank.text, to_text(step), tail);
  if (launched()) {
    // Either the launcher was ended, and ended its ranks, or a signal ended the rank that it names.
    const bool foreign = std::ranges::any_of(
        signals, [&](int each) { return rank.text.empty() || each == rank.signal; });
    if (foreign) return {Status::interrupted, cause + ", sent by another process"};
    if (rank.text.empty() && signal != 0) return {Status::interrupted, cause};
    // A launcher that fails after the ranks have begun, without a signal and without a rank to
    // blame, was most likely asked to end: mpirun exits with code 1 then, perhaps before a rank can
    // say so.
    const bool began = has_loaded_ || step != Step::idle;
    const bool asked = rank.text.empty() && began && WEXITSTATUS(wait_status_) != 0;
    const bool ends = asked || rank.signal == SIGKILL || rank.signal == SIGTERM;
    return {ends ? Status::interrupted : Status::crash, cause, false};
  }
  if (steps_.foreign_signal()) return {Status::interrupted, cause + ", sent by another process"};
  const bool ended_it = signal == SIGKILL && !lingers;
  return {ended_it ? Status::interrupted : Status::crash, cause, false};
}

// Describes a worker that the kernel has killed. If it used less than half of the memory, the
// memory of others is the reason.
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
  ::close(std::exchange(started_.request_fd, -1));
  // A profiler may take a while to write its report; an engine's destructor that hangs may not.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (::waitpid(started_.process, &wait_status_, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > patience) {
      kill_and_reap();
      return "did not end when asked to, and was killed";
    }
    std::array<pollfd, 2> wait = {pollfd{started_.process_fd, POLLIN, 0},
                                  pollfd{interrupts_.fd(), POLLIN, 0}};
    ::poll(wait.data(), wait.size(), started_.process_fd >= 0 ? 1000 : 5);
    interrupts_.poll();
  }
  started_.process = -1;
  end_launched();
  const bool well = WIFEXITED(wait_status_) && WEXITSTATUS(wait_status_) == 0;
  if (well) return {};
  const std::string words = log_.last_lines();
  return how_it_ended() + (words.empty() ? "" : ": " + words);
}

// Kills the processes that an engine started in the group of a worker that has ended or is about
// to. The group keeps the worker's number until the worker is waited for.
void WorkerProcess::end_what_it_left() const {
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(started_.process), &ended, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  ::kill(-started_.process, SIGKILL);
}

void WorkerProcess::kill_and_reap() {
  if (started_.request_fd >= 0) ::close(std::exchange(started_.request_fd, -1));
  if (started_.reply_fd >= 0) ::close(std::exchange(started_.reply_fd, -1));
  if (started_.process_fd >= 0) ::close(std::exchange(started_.process_fd, -1));
  if (launched()) return end_launched();
  if (started_.process <= 0) return;
  const std::vector<pid_t> below =
      descendants_of(started_.process);  // some may have left its group
  ::kill(-started_.process, SIGKILL);    // with any process that an engine started
  ::kill(started_.process, SIGKILL);     // in case it has not reached setpgid yet
  for (const pid_t process : below) ::kill(process, SIGKILL);
  while (::waitpid(started_.process, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  started_.process = -1;
}

// Returns the launcher, its descendants, and those of its descendants that this process has
// adopted.
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
  if (started_.process > 0)
    ::kill(-started_.process, SIGTERM);  // also a script around it, but not its ranks
  const auto patience =
      steady_clock::now() + (started_.process > 0 ? kGrace : std::chrono::seconds(0));
  while (true) {
    const std::vector<pid_t> left = launched_processes();
    if (left.empty()) break;
    const bool kills = steady_clock::now() >= patience;
    for (const pid_t process : left) {
      if (kills) ::kill(process, SIGKILL);
      int status = 0;  // waitpid fails for a descendant that is not a child (yet)
      if (::waitpid(process, &status, WNOHANG) == process && process == started_.process) {
        wait_status_ = status;
        started_.process = -1;
      }
    }
    ::poll(nullptr, 0, 5);
  }
  started_.process = -1;
}

}  // namespace bfslab
