// SPDX-License-Identifier: Apache-2.0
// The clock of a member's phases in a level, as Figures 8 and 10 of scalable-bfs divide it. A phase
// is timed apart or overlapped:
//
//   apart        the member waits for all that it has queued where a phase ends. Phases add up to
//                the level, and none overlaps another.
//   overlapped   nothing waits. Phases follow one another in the order of the member's work, but a
//                reduction that was begun beside it is timed by itself. The phases then exceed the
//                level by what the two overlap.
//
// Example: a level of 3 ms computes for 2 ms and exchanges vertices for 1 ms, while masks are
// reduced for 0.8 ms. Overlapped, its phases have 3.8 ms, 0.8 ms more than the level. Apart, with
// nothing to hide behind, the level takes 3.8 ms.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/engines/delegate/local_work.hpp"

namespace bfslab::distributed::delegate {

struct LevelTimes {
  std::array<double, kPhases> phase_ms{};
  double overlap_ms = 0;  // by which the phases exceed the level
};

class PhaseClock {
 public:
  // Does nothing unless `running`. `work` outlives it.
  PhaseClock(bool running, bool overlapped, LocalWork& work)
      : running_(running), overlapped_(overlapped), work_(work) {
    if (!running_) return;
    moments_ = overlapped_ ? work_.moments() : std::make_unique<HostMoments>();
    moments_->mark();
  }

  // Subtracts time that does not count as search time from the present phase.
  void leave_out(double ms) { spent_[static_cast<std::size_t>(phase_)] -= ms; }
  void enter(Phase phase) {
    if (!running_) return;
    if (!overlapped_) work_.wait();
    moments_->mark();
    ended_.push_back(std::exchange(phase_, phase));
  }
  // Begins and ends the interval of a reduction that `by` runs beside what else the member does.
  void begin_reduction() { reduction_begun_ = std::chrono::steady_clock::now(); }
  void end_reduction(const Communicator& by) {
    reduction_ms_ = ms_since(reduction_begun_);
    reduced_by_ = &by;
  }

  // Returns the times since the last call. Waits.
  LevelTimes take() {
    enter(phase_);
    const std::vector<double> between = moments_->take();
    for (std::size_t i = 0; i < ended_.size(); ++i) {
      spent_[static_cast<std::size_t>(ended_[i])] += between[i];
    }
    ended_.clear();
    LevelTimes times{std::exchange(spent_, {})};
    if (overlapped_ && reduced_by_ != nullptr) {
      // In the member's own order there was only what the reduction kept waiting.
      double& reduction = times.phase_ms[static_cast<std::size_t>(Phase::mask_reduction)];
      times.overlap_ms = -reduction;
      reduction = std::max(reduction, reduced_by_->begun_ms().value_or(reduction_ms_));
      times.overlap_ms += reduction;
    }
    reduced_by_ = nullptr;
    return times;
  }

 private:
  bool running_;
  bool overlapped_;
  LocalWork& work_;
  std::unique_ptr<Moments> moments_;
  Phase phase_ = Phase::compute;
  std::vector<Phase> ended_;  // since the last take(), in order
  std::array<double, kPhases> spent_{};
  std::chrono::steady_clock::time_point reduction_begun_;
  double reduction_ms_ = 0;
  const Communicator* reduced_by_ = nullptr;  // in this level
};

}  // namespace bfslab::distributed::delegate
