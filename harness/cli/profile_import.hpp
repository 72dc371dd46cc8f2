// SPDX-License-Identifier: Apache-2.0
// Adds the counters of a profile to the rows of its experiment.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

struct ImportedCounters {
  std::string file;           // measures.csv
  std::size_t trials = 0;     // that have counters now
  std::size_t unmatched = 0;  // places of kernels that belong to no row
};

// Reads `file`, as `ncu --import REPORT --csv --page raw` prints it, and adds its counters to
// measures.csv in `folder`, with `own_metrics` under ncu's names. Throws InputError for a file that
// is no such text, and where no counter belongs to a row or rows have counters already.
ImportedCounters import_counters(const Spec& spec, const std::filesystem::path& folder,
                                 const std::string& file,
                                 const std::vector<std::string>& own_metrics);

}  // namespace bfslab
