// SPDX-License-Identifier: Apache-2.0
// Progress on standard error: one bar on a terminal, plain lines elsewhere. Drawn between trials
// only, so that the driver sleeps while one runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bfslab {

class Progress {
 public:
  // `quiet` keeps failures and warnings and drops the rest.
  explicit Progress(bool quiet);

  void plan(std::uint64_t trials) { total_ += trials; }
  // The number of trials turned out to be different: sources that a graph does not have, repeats
  // that the stopping rule added.
  void adjust(std::int64_t trials);

  // A step: a graph was loaded, a configuration is done.
  void step(const std::string& line);
  // A failure or a warning: reported even when quiet.
  void warn(const std::string& line);

  // A trial ended. `measured`: it ran now, and was not merely recorded as skipped.
  void trial_done(const std::string& graph, const std::string& what, bool measured);
  // `trials` were done by an earlier run.
  void found_done(std::uint64_t trials) { done_ += trials; }
  // Erases the bar.
  void finish();

  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  using clock = std::chrono::steady_clock;
  void draw(const std::string& graph, const std::string& what);
  void erase();
  void print(const std::string& line);

  bool terminal_;
  bool quiet_;
  bool drawn_ = false;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t measured_ = 0;
  clock::time_point begun_ = clock::now();
  clock::time_point last_drawn_;
};

// "1:02:03" or "2:03".
std::string clock_text(double seconds);

}  // namespace bfslab
