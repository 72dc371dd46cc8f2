// SPDX-License-Identifier: Apache-2.0
// What this program was built from and with: filled in by CMake at build time.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

struct BuildInfo {
  std::string_view version;
  std::string_view commit;  // "unknown" outside of a git checkout
  bool dirty;               // tracked files differed from the commit
  std::string_view compiler;
  std::string_view flags;
  std::string_view build_type;
  std::string_view options;  // "NAME=VALUE;..." of every BFSLAB_ option
  std::string_view cuda;     // toolkit version, or empty
  bool nvtx;
  std::string_view engine_hashes;  // JSON: by engine a hash of its code (plots/engine_hashes.py)
};

const BuildInfo& build_info();

// 16 hex digits of the SHA-256 of the running executable's bytes: two programs that could measure
// differently never share it. Throws std::runtime_error.
std::string executable_hash();

}  // namespace bfslab
