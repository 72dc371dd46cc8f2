// SPDX-License-Identifier: Apache-2.0
// LevelRecorder: the level sink of the harness. It opens an NVTX range for each level that is
// reported live. When it counts or times, it keeps a row per level, or per part of a level, and
// the other measures of the engine.
#pragma once

#include <chrono>
#include <vector>

#include "harness/record/measure_collector.hpp"
#include "harness/record/rows.hpp"
#include "kernels/level_sink.hpp"

namespace bfslab {

class LevelRecorder : public LevelSink {
 public:
  struct Wants {  // as kernels/level_sink.hpp means them
    bool live = false;
    bool counts = false;
    bool times = false;
  };
  explicit LevelRecorder(Wants wants) : wants_(wants) {}
  LevelRecorder(const LevelRecorder&) = delete;
  LevelRecorder& operator=(const LevelRecorder&) = delete;
  ~LevelRecorder() override;  // closes the range of a level that a fault has ended

  [[nodiscard]] bool live() const override { return wants_.live; }
  [[nodiscard]] bool counts() const override { return wants_.counts; }
  [[nodiscard]] bool times() const override { return wants_.times; }
  // All three throw std::logic_error where the engine breaks the contract: a level that begins in
  // another or ends without having begun, one that is reported afterwards although a profiler is
  // attached, or the same part of a level reported twice; std::invalid_argument for a time that is
  // no number of milliseconds.
  void begin(const LevelStart& start) override;
  void end(const LevelFacts& facts) override;
  void report(const LevelReport& level) override;
  // Throws std::invalid_argument for a value that is no number.
  void measure(const Measure& measure) override;

  [[nodiscard]] const std::vector<LevelRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<MeasureRow>& measures() const { return measures_.rows(); }
  // Adjacency entries read, over all levels; empty where one did not count them.
  [[nodiscard]] OptionalCount edges_checked() const;

 private:
  static void pop_level();
  void keep(const LevelReport& level);

  Wants wants_;
  LevelStart start_;
  bool open_ = false;      // between begin and end
  bool in_parts_ = false;  // the open level was reported part by part
  std::chrono::steady_clock::time_point begun_;
  std::vector<LevelRow> rows_;
  MeasureCollector measures_;
};

}  // namespace bfslab
