// SPDX-License-Identifier: Apache-2.0
// bfslab-fuzz TARGET [libFuzzer's options] [corpus folders]: libFuzzer brings the main function.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/guarded_memory.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using bfslab::fuzz::Target;

const Target* chosen = nullptr;
// Workers that libFuzzer starts find the target here: it gives them its own arguments alone.
constexpr const char* kVariable = "BFSLAB_FUZZ_TARGET";

[[noreturn]] void list_and_exit() {
  std::puts("bfslab-fuzz TARGET [OPTION...] [FOLDER...]: fuzzes one of");
  for (const Target& target : bfslab::fuzz::targets()) {
    std::printf("  %-16s%s\n", target.name.c_str(), target.doc.c_str());
  }
  std::puts("and `bfslab-fuzz TARGET -help=1` lists libFuzzer's options.");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc > 1) chosen = bfslab::fuzz::find_target((*argv)[1]);
  if (chosen != nullptr) {
    setenv(kVariable, chosen->name.c_str(), 1);
    for (int i = 1; i < *argc; ++i) (*argv)[i] = (*argv)[i + 1];  // the last is a null pointer
    --*argc;
  } else if (const char* const inherited = std::getenv(kVariable)) {
    chosen = bfslab::fuzz::find_target(inherited);
  }
  if (chosen == nullptr) list_and_exit();
  bfslab::fuzz::check_that_memory_is_guarded();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bfslab::fuzz::run_one(*chosen, {data, size});
  return 0;
}
