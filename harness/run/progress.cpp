// SPDX-License-Identifier: Apache-2.0
#include "harness/run/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "datasets/text/printable.hpp"

namespace bfslab {

namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::minutes kBetweenLines{1};
constexpr std::size_t kBar = 20;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = std::int64_t{std::llround(std::max(0.0, seconds))};
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

Progress::Progress(bool quiet) : Progress(quiet, ::isatty(STDERR_FILENO) == 1, Clock::now) {}

Progress::Progress(bool quiet, bool terminal, Now now)
    : terminal_(terminal),
      quiet_(quiet),
      now_(std::move(now)),
      begun_(now_()),
      last_logged_(begun_) {}

void Progress::adjust(std::int64_t trials) {
  total_ = static_cast<std::uint64_t>(std::max<std::int64_t>(
      static_cast<std::int64_t>(done_), static_cast<std::int64_t>(total_) + trials));
}

void Progress::print(const std::string& line) {
  erase();
  std::fputs((printable_lines(line) + "\n").c_str(), stderr);
}

void Progress::step(const std::string& line) {
  if (!quiet_) print(line);
}

void Progress::warn(const std::string& line) { print(line); }

void Progress::trial_done(const std::string& graph, const std::string& what, bool measured) {
  ++done_;
  total_ = std::max(total_, done_);
  if (measured) ++measured_;
  if (quiet_) return;
  const Clock::time_point time = now_();
  if (terminal_) {
    if (time - last_drawn_ >= kRedraw) draw(graph, what);
  } else if (time - last_logged_ >= kBetweenLines && done_ < total_) {
    last_logged_ = time;
    print(fmt::format("  {}  {} {}", state(time), what, graph));
  }
}

std::string Progress::state(Clock::time_point time) const {
  const double elapsed = std::chrono::duration<double>(time - begun_).count();
  std::string left = "?";
  if (measured_ > 0) {
    left =
        clock_text(elapsed / static_cast<double>(measured_) * static_cast<double>(total_ - done_));
  }
  return fmt::format("{}/{} {} elapsed, {} left", done_, total_, clock_text(elapsed), left);
}

void Progress::draw(const std::string& graph, const std::string& what) {
  last_drawn_ = now_();
  const std::size_t full = total_ == 0 ? 0 : done_ * kBar / total_;
  std::string line =
      fmt::format("[{}{}] {}  {} {}", std::string(full, '#'), std::string(kBar - full, '.'),
                  state(last_drawn_), printable(what), printable(graph));
  const std::size_t width = terminal_width() - 1;
  if (line.size() > width) line.resize(width);
  std::fputs(("\r" + line + "\x1b[K").c_str(), stderr);
  drawn_ = true;
}

void Progress::erase() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::finish() {
  erase();
  last_drawn_ = {};
}

}  // namespace bfslab
