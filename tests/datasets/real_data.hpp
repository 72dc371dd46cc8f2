// SPDX-License-Identifier: Apache-2.0
// How a test finds a real graph, and how it is skipped without it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/test_data.hpp"

namespace bfslab::tests {

// Returns the path of a file in the folder of real graphs; empty if no folder is named.
inline std::string real_data(const std::string& file) {
  const std::string folder = test_data_folder();
  if (folder.empty()) return {};
  return (std::filesystem::path(folder) / file).lexically_normal().string();
}

}  // namespace bfslab::tests

// In a test's body: `path`, or the test is skipped with the reason.
#define BFSLAB_REAL_DATA(path, file)                                    \
  const std::string path = ::bfslab::tests::real_data(file);            \
  if (!std::filesystem::exists(path)) {                                 \
    GTEST_SKIP() << "BFSLAB_TEST_DATA names no folder with " << (file); \
  }
