// SPDX-License-Identifier: Apache-2.0
// bfslab-exam: the tests of all engines as a program of an installation, which `bfslab exam`
// starts:
//
//   bfslab-exam [--plugin HASH:PATH]... [--engine NAME]
//
// Without a name the engines of the plugins are examined. Exit codes: 0 all passed, 1 one failed,
// 2 bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "harness/plugin/plugins.hpp"
#include "kernels/device_services.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/program.hpp"
#include "tests/test_data.hpp"

namespace bfslab::tests {

namespace {
std::string& examined_engine() {
  static std::string name;
  return name;
}
}  // namespace

std::vector<const EngineInfo*> engines_under_test() {
  std::vector<const EngineInfo*> out = engines();
  std::erase_if(out, [](const EngineInfo* info) {
    const std::string& name = examined_engine();
    return info->counts() || (name.empty() ? info->plugin.empty() : info->name != name);
  });
  return out;
}

std::string cannot_run_here() { return {}; }

namespace {

// Prints a line for each exam, and each failure with the setting, the graph and the source.
class Examiner final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) std::printf("%s\n", result.message());
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    const char* const verdict = result.Skipped()  ? "skipped"
                                : result.Passed() ? "passed"
                                                  : "FAILED";
    std::printf("%-8s%s.%s\n", verdict, test.test_suite_name(), test.name());
    std::fflush(stdout);
  }
};

int examine(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--plugin") load_plugin_word(words[i + 1]);
    if (words[i] == "--engine") examined_engine() = words[i + 1];
  }
  for (const EngineInfo* engine : engines_under_test()) {
    if (!engine->can.gpu || !gpu::pci_bus_id().empty()) continue;
    throw InputError("engine \"" + engine->name +
                     "\" runs on a GPU, and there is none here that this bfslab can use");
  }
  testing::InitGoogleTest(&argc, argv);
  if (test_data_folder().empty()) GTEST_FLAG_SET(filter, "-*LargeReal*:*_real*");
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Examiner);
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::printf("%d exams passed, %d failed\n", all.successful_test_count(), all.failed_test_count());
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bfslab::tests

int main(int argc, char** argv) {
  try {
    return bfslab::tests::examine(argc, argv);
  } catch (const bfslab::InputError& error) {
    std::fprintf(stderr, "bfslab exam: %s\n", error.what());
    return 2;
  }
}
