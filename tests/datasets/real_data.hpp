// SPDX-License-Identifier: Apache-2.0
// The folder of real graphs that some tests need, and how a test is skipped without it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace bfslab::tests {

// BFSLAB_TEST_DATA, else the folder shared/data beside the checkout.
inline std::string real_data(const std::string& file) {
  const char* folder = std::getenv("BFSLAB_TEST_DATA");
  const std::filesystem::path root =
      folder != nullptr ? std::filesystem::path(folder)
                        : std::filesystem::path(BFSLAB_SOURCE_DIR) / "../shared/data";
  return (root / file).lexically_normal().string();
}

}  // namespace bfslab::tests

// In a test's body: `path`, or the test is skipped with the reason.
#define BFSLAB_REAL_DATA(path, file)                                                        \
  const std::string path = ::bfslab::tests::real_data(file);                                \
  if (!std::filesystem::exists(path)) {                                                     \
    GTEST_SKIP() << (path) << " is not here; set BFSLAB_TEST_DATA to a folder that has it"; \
  }
