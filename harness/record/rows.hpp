// SPDX-License-Identifier: Apache-2.0
// The rows that an experiment produces. Tidy CSV: units in the column names, counts stored and
// rates derived in the plots. A value that was not measured is an empty field, never a zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/graph/types.hpp"

namespace bfslab {

// interrupted: ended from outside; the trial is tried again.
enum class Status { ok, oom, timeout, crash, wrong, unsupported, skipped, interrupted };
inline constexpr std::size_t kStatuses = 8;
const char* to_text(Status status);
// Throws std::invalid_argument for any other word.
Status status_from(const std::string& text);

using OptionalCount = std::optional<std::uint64_t>;

// Makes members of the columns that the files *_columns.def declare; those files say what they
// mean.
#define BFSLAB_MEMBER(type, member, ...) type member{};
#define BFSLAB_NO_MEMBER(...)

// The columns of runs.csv that a worker reports about a trial.
struct TrialFacts {
#define WORKER_COLUMN BFSLAB_MEMBER
#define DRIVER_COLUMN BFSLAB_NO_MEMBER
#include "harness/record/run_columns.def"
#undef WORKER_COLUMN
#undef DRIVER_COLUMN
};

// runs.csv
struct RunRow : TrialFacts {
#define WORKER_COLUMN BFSLAB_NO_MEMBER
#define DRIVER_COLUMN BFSLAB_MEMBER
#include "harness/record/run_columns.def"
#undef WORKER_COLUMN
#undef DRIVER_COLUMN
};

// Returns whether the row says that its graph could not be loaded: it has no source and is no
// counter's. A later run tries again.
inline bool is_graph_failure(const RunRow& row) { return !row.source && !row.instrumented; }

// The value of `recorded` of a trial that measures energy.
inline constexpr const char* kEnergy = "energy";

// Returns whether the row is one of a search that records its levels.
inline bool has_levels(const RunRow& row) {
  return row.source && row.instrumented && row.recorded != kEnergy;
}

// Returns whether a disturbance spoils the row: it makes counts no less exact.
inline bool is_spoilt(const RunRow& row) {
  return row.polluted && (!row.instrumented || row.recorded == kEnergy);
}

#define WORKER_COLUMN BFSLAB_MEMBER
#define DRIVER_COLUMN BFSLAB_MEMBER
// levels.csv
struct LevelRow {
#include "harness/record/level_columns.def"
};

// measures.csv
struct MeasureRow {
#include "harness/record/measure_columns.def"
};
#undef WORKER_COLUMN
#undef DRIVER_COLUMN

// The columns of graphs.csv that a worker reports about the graph that it has loaded. A graph that
// was never built, since all that was asked for counts from its recipe, has the sizes that follow
// from its name (edges: an upper bound), a hash of its name and its generator or file instead of
// its contents, and its provenance says so.
struct GraphFactsRow {
#define WORKER_COLUMN BFSLAB_MEMBER
#define DRIVER_COLUMN BFSLAB_NO_MEMBER
#include "harness/record/graph_columns.def"
#undef WORKER_COLUMN
#undef DRIVER_COLUMN
};

// graphs.csv
struct GraphRow : GraphFactsRow {
#define WORKER_COLUMN BFSLAB_NO_MEMBER
#define DRIVER_COLUMN BFSLAB_MEMBER
#include "harness/record/graph_columns.def"
#undef WORKER_COLUMN
#undef DRIVER_COLUMN
};

#undef BFSLAB_MEMBER
#undef BFSLAB_NO_MEMBER

// Says why no search can have taken the row's time: it is not finite, not above a nanosecond, or
// less than the time that one byte of each reached vertex takes at 20 TB/s. Empty if it is possible
// or if the row is no search that succeeded.
std::string impossible_time(const RunRow& row);

// "2026-03-01T12:00:00.123Z"
std::string utc_now();

}  // namespace bfslab
