// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "datasets/text/sha256.hpp"
#include "harness/observe/processor.hpp"
#include "harness/plugin/plugins.hpp"
#include "harness/record/build_info.hpp"

namespace bfslab {

std::string commit_mark(const std::string& commit, bool dirty) {
  return dirty ? commit + "+" : commit;
}

std::string executable_hash() {
  const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw std::runtime_error("cannot read /proc/self/exe");
  Sha256 hash;
  std::vector<char> block(1 << 20);
  ssize_t got = 0;
  while ((got = ::read(fd, block.data(), block.size())) > 0) {
    hash.add({block.data(), static_cast<std::size_t>(got)});
  }
  ::close(fd);
  if (got < 0) throw std::runtime_error("cannot read /proc/self/exe");
  return hash.hex().substr(0, 16);
}

std::string program_hash() {
  std::string executable = executable_hash();
  if (plugins().empty()) return executable;
  Sha256 hash;
  hash.add(executable);
  for (const Plugin& plugin : plugins()) hash.add(plugin.sha256);
  return hash.hex().substr(0, 16);
}

std::string compiled_for_another_cpu() {
  const BuildInfo& build = build_info();
  if (build.native_cpu.empty() || build.native_cpu == processor_signature()) return {};
  return fmt::format("{} ({})", build.native_target, build.native_cpu);
}

}  // namespace bfslab
