// SPDX-License-Identifier: Apache-2.0
#include "harness/run/drift_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace bfslab {

namespace {

std::vector<MeasureRow> calibration_rows(const char* when, const Calibration& calibration) {
  std::vector<MeasureRow> rows;
  for (const auto& [metric, ms] : {std::pair("calibration_memory", calibration.memory_ms),
                                   std::pair("calibration_compute", calibration.compute_ms),
                                   std::pair("calibration_gpu", calibration.gpu_ms)}) {
    if (ms == 0) continue;
    MeasureRow row;
    row.part = fmt::format("worker {}", when);
    row.metric = metric;
    row.value = ms;
    row.unit = "ms";
    rows.push_back(row);
  }
  return rows;
}

bool uses_gpu(const RunRow& row) {
  const EngineInfo* const engine = find_engine(row.engine);
  return !row.gpu.empty() || (engine != nullptr && engine->can.gpu);
}

}  // namespace

void DriftWatch::begin(const std::optional<Calibration>& before) {
  end(before);
  before_ = before;
}

void DriftWatch::end(const std::optional<Calibration>& after) {
  const std::vector<RunRow> rows = std::exchange(rows_, {});
  const std::optional<Calibration> before = std::exchange(before_, std::nullopt);
  if (rows.empty() || !before || !after) return;
  context_.results.append_measures(rows.back().trial, calibration_rows("after", *after));
  for (const bool on_gpu : {false, true}) {
    const Drift drift = drift_between(*before, *after, on_gpu);
    if (drift.pct <= context_.spec.pollution.drift_pct) continue;
    std::vector<RunRow> drifted;
    std::ranges::copy_if(rows, std::back_inserter(drifted),
                         [&](const RunRow& row) { return uses_gpu(row) == on_gpu; });
    if (!drifted.empty()) pollute(drifted, drift);
  }
}

std::vector<MeasureRow> DriftWatch::details() const {
  if (!rows_.empty() || !before_) return {};
  return calibration_rows("before", *before_);
}

void DriftWatch::pollute(const std::vector<RunRow>& rows, const Drift& drift) {
  drifted_ = true;
  context_.results.pollute(rows, drift.words);
  const auto repeated =
      std::ranges::count_if(rows, [&](const RunRow& row) { return !trials_.state(row).settled; });
  context_.progress.adjust(repeated);
  context_.progress.warn(fmt::format("{}: {}; {} timed trials are polluted{}", trials_.graph().text,
                                     drift.words, rows.size(),
                                     repeated > 0 ? ", and are measured again" : ""));
}

bool DriftWatch::take_drifted() { return std::exchange(drifted_, false); }

}  // namespace bfslab
