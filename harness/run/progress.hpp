// SPDX-License-Identifier: Apache-2.0
// Progress: reports on standard error, by one bar on a terminal, and by plain lines elsewhere, of
// which one per minute says how far the run is. It reports between trials only, so that the driver
// sleeps while one runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace bfslab {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  // `quiet` keeps failures and warnings and drops the rest.
  explicit Progress(bool quiet);
  // Reports as on a terminal or elsewhere, whatever standard error is, by the time that `now`
  // returns.
  Progress(bool quiet, bool terminal, Now now);

  void plan(std::uint64_t trials) { total_ += trials; }
  // Adds to the number of planned trials, which has turned out to be different: the graph has fewer
  // sources, or the stopping rule has added repeats.
  void adjust(std::int64_t trials);

  // Reports a step: a graph was loaded, a configuration is done.
  void step(const std::string& line);
  // Reports a failure or a warning, even when quiet.
  void warn(const std::string& line);

  // Takes note of a trial that ended. `measured`: it ran now, and was not only recorded as skipped.
  void trial_done(const std::string& graph, const std::string& what, bool measured);
  // Takes note of trials that an earlier run has done.
  void found_done(std::uint64_t trials) { done_ += trials; }
  // Erases the bar.
  void finish();

  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  // Returns "12/96 0:30 elapsed, 3:30 left"; "?" in place of a time that is not known yet.
  [[nodiscard]] std::string state(Clock::time_point time) const;
  void draw(const std::string& graph, const std::string& what);
  void erase();
  void print(const std::string& line);

  bool terminal_;
  bool quiet_;
  bool drawn_ = false;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t measured_ = 0;
  Now now_;
  Clock::time_point begun_;
  Clock::time_point last_drawn_;
  Clock::time_point last_logged_;
};

// Returns "1:02:03" or "2:03".
std::string clock_text(double seconds);

}  // namespace bfslab
