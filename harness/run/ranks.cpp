// SPDX-License-Identifier: Apache-2.0
#include "harness/run/ranks.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstdio>
#include <cstring>
#include <vector>

#include "harness/observe/first_line.hpp"
#include "harness/run/protocol.hpp"

namespace bfslab {

namespace {

using distributed::Processes;
using distributed::Reduction;
using distributed::Word;

constexpr Word kClosed = ~Word{0};

// Identifies this host and container. A process number means the same process to all ranks with the
// same text.
std::string host_mark() {
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  std::array<char, 64> space{};
  if (::readlink("/proc/self/ns/pid", space.data(), space.size() - 1) < 0) space[0] = '\0';
  std::array<char, HOST_NAME_MAX + 1> name{};
  ::gethostname(name.data(), name.size() - 1);
  return fmt::format("{} {} {}", boot, space.data(), name.data());
}

// Sends rank 0's text to all ranks. `length` on rank 0: that of its text, or kClosed.
Word broadcast_text(Processes& processes, std::string& text, Word length) {
  processes.broadcast(std::as_writable_bytes(std::span(&length, 1)), 0);
  if (length == kClosed) return length;
  text.resize(length);
  if (length > 0) processes.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return length;
}

}  // namespace

bool read_line(Processes& processes, LinePipe* pipe, std::string& line) {
  Word length = kClosed;
  if (processes.rank() == 0 && pipe->read(line)) length = line.size();
  return broadcast_text(processes, line, length) != kClosed;
}

void share_text(Processes& processes, std::string& text) {
  broadcast_text(processes, text, text.size());
}

std::string disagreement(Processes& processes, std::string_view what, std::string_view value) {
  using Text = std::array<char, 64>;
  Text own{};
  std::copy_n(value.begin(), std::min(value.size(), own.size() - 1), own.begin());
  const std::vector<Text> all = gather(processes, own);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    return fmt::format("rank {} is {} {}, and rank 0 {} {}", rank, what, all[rank].data(), what,
                       all[0].data());
  }
  return {};
}

Company company_on_host(Processes& processes) {
  if (processes.size() == 1) return Company::of_one();
  struct Where {
    std::array<char, 320> host{};
    pid_t process = 0;
    pid_t parent = 0;
    cpu_set_t processors{};
  };
  Where own;
  const std::string host = host_mark();
  std::copy_n(host.begin(), std::min(host.size(), own.host.size() - 1), own.host.begin());
  own.process = ::getpid();
  own.parent = ::getppid();
  ::sched_getaffinity(0, sizeof own.processors, &own.processors);
  Company company{.ranks = 0};
  for (const Where& each : gather(processes, own)) {
    if (each.host != own.host) continue;
    ++company.ranks;
    if (each.process != own.process) company.others.push_back(each.process);
    if (std::ranges::find(company.others, each.parent) == company.others.end()) {
      company.others.push_back(each.parent);
    }
    CPU_OR(&company.processors, &company.processors, &each.processors);
  }
  return company;
}

std::uint64_t sum(Processes& processes, std::uint64_t value) {
  processes.all_reduce({&value, 1}, Reduction::sum);
  return value;
}

double maximum(Processes& processes, double value) {
  Word bits = std::bit_cast<Word>(value);  // in the same order as values >= 0
  processes.all_reduce({&bits, 1}, Reduction::maximum);
  return std::bit_cast<double>(bits);
}

void end_all_ranks(const Processes& processes, Status status, const std::string& reason) {
  const std::string line = encode(RankFault{processes.rank(), status, reason}) + "\n";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  distributed::abort_mpi(1);
}

}  // namespace bfslab
