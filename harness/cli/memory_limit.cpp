// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/memory_limit.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "harness/cli/standard_streams.hpp"
#include "harness/observe/resident_memory.hpp"

namespace bfslab {

namespace {

constexpr std::uint64_t kThreadStack = std::uint64_t{8} << 20;

std::uint64_t limit_mib = 0;
std::string text = "out of memory";

// Ends the program, since an exception cannot leave a parallel region.
[[noreturn]] void end_out_of_memory() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    write_stderr("bfslab: " + text + '\n');
    _exit(1);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void add_memory_option(CLI::App& command, std::uint64_t& mib) {
  command.add_option("--memory-mib", mib, "Maximum memory of the command, in MiB; 0 sets no limit")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40))
      ->capture_default_str();
}

void limit_memory(std::uint64_t mib) {
  if (mib == 0) return;
  limit_mib = mib;
  text = fmt::format(
      "out of memory: --memory-mib {} is reached; allow more, or name a smaller graph", mib);
  const rlim_t bytes =
      (rlim_t{mib} << 20) + static_cast<rlim_t>(omp_get_max_threads()) * kThreadStack;
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min({bytes, limit.rlim_cur, limit.rlim_max});
  if (setrlimit(RLIMIT_DATA, &limit) != 0) {
    throw std::runtime_error("--memory-mib: the limit cannot be set");
  }
  std::set_terminate(end_out_of_memory);
}

void require_memory_kept() {
  if (limit_mib != 0 && peak_resident_bytes() > limit_mib << 20) throw std::bad_alloc();
}

const char* out_of_memory_text() { return text.c_str(); }

}  // namespace bfslab
