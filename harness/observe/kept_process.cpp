// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/kept_process.hpp"

#include <ctime>
#include <vector>

namespace bfslab {

namespace {
std::vector<clockid_t>& clocks() {
  static std::vector<clockid_t> all;
  return all;
}
}  // namespace

KeptProcess::KeptProcess(pid_t child) {
  if (::clock_getcpuclockid(child, &clock_) == 0) clocks().push_back(clock_);
}

KeptProcess::~KeptProcess() { std::erase(clocks(), clock_); }

std::int64_t kept_processes_ns() {
  std::int64_t sum = 0;
  for (const clockid_t clock : clocks()) {
    timespec time{};
    if (::clock_gettime(clock, &time) == 0) sum += time.tv_sec * 1'000'000'000LL + time.tv_nsec;
  }
  return sum;
}

}  // namespace bfslab
