// SPDX-License-Identifier: Apache-2.0
// The folder of real graphs that some tests and benchmarks read.
#pragma once

#include <cstdlib>
#include <string>

namespace bfslab::tests {

// Returns the folder that the environment names by BFSLAB_TEST_DATA, or an empty text.
inline std::string test_data_folder() {
  const char* const folder = std::getenv("BFSLAB_TEST_DATA");
  return folder == nullptr ? "" : folder;
}

}  // namespace bfslab::tests
