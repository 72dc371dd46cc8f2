// SPDX-License-Identifier: Apache-2.0
// `spec_probe --schema` and `spec_probe SPEC...`: what `bfslab check` says about specs, in a
// program whose engines are the made-up ones. The schema's rules for presets, groups and limited
// engines are tested with it, since few real engines have any.
#include <cstdio>
#include <string_view>

#include "harness/spec/spec.hpp"

int main(int argc, char** argv) {
  int exit_code = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--schema") {
      std::fputs(bfslab::spec_schema().c_str(), stdout);
      continue;
    }
    try {
      bfslab::load_spec(argv[i]);
    } catch (const bfslab::InputError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      exit_code = 2;
    }
  }
  return exit_code;
}
