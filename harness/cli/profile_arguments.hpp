// SPDX-License-Identifier: Apache-2.0
// The arguments of `bfslab profile`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bfslab {

struct ProfileArguments {
  std::string spec;
  std::string tool = "ncu";
  std::string profiler;
  std::string results = "out/profile";
  std::vector<std::string> set;
  std::vector<std::string> only;
  std::vector<std::string> data;
  std::string cache;
  std::optional<unsigned> level;
  std::string technique;
  std::string kernel;
  std::vector<std::string> metrics;    // of ncu, as it names them; events of perf
  std::vector<std::string> sections;   // of ncu
  std::vector<std::string> arguments;  // more of the profiler's own
  bool full = false;
  bool dry_run = false;
  bool list = false;
  bool json = false;
  std::string import;

  [[nodiscard]] bool ncu() const { return tool == "ncu"; }
  [[nodiscard]] bool perf() const { return tool == "perf"; }
};

}  // namespace bfslab
