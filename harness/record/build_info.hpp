// SPDX-License-Identifier: Apache-2.0
// The sources, compiler and options of this program, which CMake fills in at build time.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

struct BuildInfo {
  std::string_view version;
  std::string_view commit;  // "unknown" outside of a git checkout
  bool dirty;               // tracked files outside of results/ differed from the commit
  std::string_view compiler;
  std::string_view flags;
  std::string_view native_target;  // what -march=native stood for, as "znver3"; empty without it
  std::string_view native_cpu;     // and the signature (observe/processor.hpp) of the CPU it named
  std::string_view build_type;
  std::string_view options;  // "NAME=VALUE;..." of every BFSLAB_ option
  std::string_view cuda;     // toolkit version, or empty
  bool nvtx;
};

const BuildInfo& build_info();

// The commit, with "+" where tracked files differed from it.
std::string commit_mark(const std::string& commit, bool dirty);

// "znver3 (AuthenticAMD 25 1)" where that is not the CPU of this machine; else empty.
std::string compiled_for_another_cpu();

// 16 hex digits of the SHA-256 of the running executable's bytes: two programs that could measure
// differently never share it. Throws std::runtime_error.
std::string executable_hash();

// The same of the executable and the plugins that are loaded (harness/plugin/plugins.hpp): the
// `build_hash` of rows. It is executable_hash() if there are none.
std::string program_hash();

}  // namespace bfslab
