// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/load_meter.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string_view>
#include <thread>

#include "harness/observe/kept_process.hpp"

namespace bfslab {

namespace {

// Takes the next unsigned number from the beginning of `text`; 0 at the end.
std::uint64_t take_number(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? value : 0;
}

}  // namespace

Company Company::of_one() {
  Company company{.others = {::getppid()}};
  sched_getaffinity(0, sizeof company.processors, &company.processors);
  return company;
}

LoadMeter::LoadMeter(const Company& company)
    : stat_fd_(::open("/proc/stat", O_RDONLY | O_CLOEXEC)),
      ranks_(company.ranks),
      tick_ns_(1'000'000'000 / std::max(1L, sysconf(_SC_CLK_TCK))) {
  for (const pid_t process : company.others) {
    clockid_t clock{};
    if (clock_getcpuclockid(process, &clock) == 0) others_.push_back(clock);
  }
  if (CPU_COUNT(&company.processors) > 0) {
    allowed_.resize(CPU_SETSIZE);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      allowed_[static_cast<std::size_t>(cpu)] = CPU_ISSET(cpu, &company.processors);
    }
    processors_ = static_cast<std::size_t>(CPU_COUNT(&company.processors));
  }
  samples_.push_back(sample());
}

LoadMeter::~LoadMeter() {
  if (stat_fd_ >= 0) ::close(stat_fd_);
}

LoadMeter::Sample LoadMeter::sample() const {
  Sample out;
  // The top of /proc/stat has one line per processor; 1024 processors of 100 bytes fit.
  static thread_local std::array<char, 1 << 17> text;
  const ssize_t got = ::pread(stat_fd_, text.data(), text.size(), 0);
  out.at = clock::now();
  std::string_view rest(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  std::uint64_t ticks = 0;
  std::uint64_t stolen = 0;
  while (rest.starts_with("cpu")) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    line.remove_prefix(3);
    if (line.starts_with(' ')) continue;  // the sum of all processors
    const std::uint64_t cpu = take_number(line);
    if (cpu >= allowed_.size() || !allowed_[cpu]) continue;
    std::array<std::uint64_t, 8> field{};  // user nice system idle iowait irq softirq steal
    for (auto& value : field) value = take_number(line);
    stolen += field[7];
    ticks += field[0] + field[1] + field[2] + field[5] + field[6] + field[7];
  }
  out.busy_ns = static_cast<std::int64_t>(ticks) * tick_ns_;
  out.stolen_ns = static_cast<std::int64_t>(stolen) * tick_ns_;
  const auto spent = [](clockid_t clock) {
    timespec time{};
    return clock_gettime(clock, &time) == 0 ? time.tv_sec * 1'000'000'000LL + time.tv_nsec : 0;
  };
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  const auto ns = [](const timeval& time) {
    return time.tv_sec * 1'000'000'000LL + time.tv_usec * 1000LL;
  };
  out.self_ns = out.own_ns = spent(CLOCK_PROCESS_CPUTIME_ID) + ns(children.ru_utime) +
                             ns(children.ru_stime) + kept_processes_ns();
  for (const clockid_t other : others_) out.own_ns += spent(other);
  return out;
}

LoadMeter::Threads LoadMeter::threads() {
  Threads out;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  out.involuntary = static_cast<std::uint64_t>(usage.ru_nivcsw);
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return out;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    ++out.count;
    const std::string path = fmt::format("/proc/self/task/{}/schedstat", entry->d_name);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    std::array<char, 128> text{};
    const ssize_t got = ::read(fd, text.data(), text.size());
    ::close(fd);
    std::string_view numbers(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    take_number(numbers);  // time on a processor
    out.delay_ns += static_cast<std::int64_t>(take_number(numbers));
  }
  ::closedir(folder);
  return out;
}

void LoadMeter::begin(bool whole_window) {
  if (whole_window) std::this_thread::sleep_until(samples_.front().at + kWindow);
  threads_begun_ = threads();
  begun_ = sample();
  samples_.push_back(begun_);
}

LoadReading LoadMeter::end(double device_ms) {
  const Sample now = sample();
  const Threads threads_now = threads();
  // Takes the newest sample that makes the window long enough, and never one inside the trial.
  while (samples_.size() > 1 && now.at - samples_[1].at >= kWindow && samples_[1].at <= begun_.at) {
    samples_.pop_front();
  }
  const Sample& from = samples_.front();
  const double window = std::chrono::duration<double, std::nano>(now.at - from.at).count();
  const double trial = std::chrono::duration<double, std::nano>(now.at - begun_.at).count();
  const auto foreign =
      static_cast<double>((now.busy_ns - from.busy_ns) - (now.own_ns - from.own_ns));
  LoadReading out;
  double load = 0;
  const auto consider = [&](Disturbance by, double pct) {
    if (pct <= load) return;
    load = pct;
    out.by = by;
  };
  // Two decimals, as rows have them: ticks have no better resolution.
  const auto rounded = [](double pct) {
    return std::round(std::clamp(pct, 0.0, 100.0) * 100) / 100;
  };
  if (window > 0) {
    const double all = window * static_cast<double>(processors_);
    const auto stolen = static_cast<double>(now.stolen_ns - from.stolen_ns);
    out.steal_pct = rounded(100 * stolen / all);
    consider(2 * stolen > foreign ? Disturbance::stolen : Disturbance::processes,
             100 * foreign / all);
  }
  // The figures of threads that ended during the trial are gone: never below zero.
  out.queue_delay_ms = static_cast<double>(std::max<std::int64_t>(
                           0, threads_now.delay_ns - threads_begun_.delay_ns)) /
                       1e6;
  out.involuntary_switches = threads_now.involuntary - threads_begun_.involuntary;
  if (out.involuntary_switches > 0 && threads_now.count * ranks_ <= processors_ && trial > 0) {
    const auto lanes = static_cast<double>(std::max<std::size_t>(1, threads_now.count));
    consider(Disturbance::queue, 100 * out.queue_delay_ms * 1e6 / (trial * lanes));
  }
  const double explained =
      static_cast<double>(now.self_ns - begun_.self_ns) / 1e6 + out.queue_delay_ms + device_ms;
  const double lost_ms = trial / 1e6 - explained;
  if (lost_ms >= kLeastLostMs) {
    out.lost_ms = lost_ms;
    consider(Disturbance::lost_time, 100 * lost_ms * 1e6 / trial);
  }
  out.foreign_load_pct = rounded(load);
  samples_.push_back(now);
  return out;
}

std::string to_text(const LoadReading& reading) {
  switch (reading.by) {
    case Disturbance::none:
      return {};
    case Disturbance::processes:
      return fmt::format("{} % of the processors' time went to other processes",
                         reading.foreign_load_pct);
    case Disturbance::stolen:
      return fmt::format(
          "{} % of the processors' time went to others, most of it stolen: the host "
          "of this virtual machine has other work",
          reading.foreign_load_pct);
    case Disturbance::queue:
      return fmt::format("its threads waited {:.1f} ms for a processor", reading.queue_delay_ms);
    case Disturbance::lost_time:
      return fmt::format(
          "{:.1f} ms were spent neither by its threads nor by a device nor waiting for a "
          "processor: it was stopped, or it waited for a disk",
          reading.lost_ms);
  }
  return {};
}

}  // namespace bfslab
