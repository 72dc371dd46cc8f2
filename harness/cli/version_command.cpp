// SPDX-License-Identifier: Apache-2.0
// bfslab version: prints the sources and the tools that this program was built from.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/cli/commands.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/record/build_info.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

namespace {

void print_version(bool as_json) {
  const BuildInfo& build = build_info();
  const std::string hash = executable_hash();
  if (as_json) {
    const nlohmann::ordered_json out = {{"version", std::string(build.version)},
                                        {"commit", std::string(build.commit)},
                                        {"dirty", build.dirty},
                                        {"compiler", std::string(build.compiler)},
                                        {"flags", std::string(build.flags)},
                                        {"native_target", std::string(build.native_target)},
                                        {"native_cpu", std::string(build.native_cpu)},
                                        {"build_type", std::string(build.build_type)},
                                        {"options", std::string(build.options)},
                                        {"cuda", std::string(build.cuda)},
                                        {"nvtx", build.nvtx},
                                        {"mpi", distributed::built_with_mpi()},
                                        {"build_hash", hash}};
    print_json(out);
    return;
  }
  fmt::print("bfslab {}\n", build.version);
  fmt::print("commit      {}{}\n", build.commit, build.dirty ? " (with local changes)" : "");
  fmt::print("compiler    {}\n", build.compiler);
  fmt::print("flags       {}\n", build.flags);
  if (build.native_cpu.empty()) {
    fmt::print("native      no CPU in particular\n");
  } else {
    fmt::print("native      {} ({})\n", build.native_target, build.native_cpu);
  }
  fmt::print("build type  {}\n", build.build_type);
  fmt::print("CUDA        {}\n", build.cuda.empty() ? "not built in" : build.cuda);
  fmt::print("NVTX        {}\n", build.nvtx ? "built in" : "not built in");
  fmt::print("MPI         {}\n", distributed::built_with_mpi() ? "built in" : "not built in");
  fmt::print("options     {}\n", build.options);
  fmt::print("build hash  {}\n", hash);
}

}  // namespace

void add_version_command(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand(
      "version", "Version, commit, compiler, CUDA, options, and the hash that rows carry");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "As JSON");
  command->footer("Example:\n  bfslab version --json");
  command->callback([as_json] { print_version(*as_json); });
}

}  // namespace bfslab
