// LevelRecorder: the level sink of the harness. It opens an NVTX range per level and, when it
// counts, keeps a row per level and whatever else the engine measures.
#pragma once

#include <chrono>
#include <vector>

#include "harness/record/measure_collector.hpp"
#include "harness/record/rows.hpp"
#include "kernels/level_sink.hpp"

namespace bfslab {

class LevelRecorder : public LevelSink {
 public:
  enum class Mode { trace, count };  // count implies tracing
  explicit LevelRecorder(Mode mode) : mode_(mode) {}

  [[nodiscard]] bool counts() const override { return mode_ == Mode::count; }
  void begin(const LevelStart& start) override;
  void end(const LevelFacts& facts) override;
  // Throws std::invalid_argument for a value that is not a number.
  void measure(const Measure& measure) override;

  [[nodiscard]] const std::vector<LevelRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<MeasureRow>& measures() const { return measures_.rows(); }
  // Adjacency entries read, over all levels.
  [[nodiscard]] std::uint64_t edges_checked() const;

 private:
  Mode mode_;
  LevelStart start_;
  std::chrono::steady_clock::time_point begun_;
  std::vector<LevelRow> rows_;
  MeasureCollector measures_;
};

}  // namespace bfslab
