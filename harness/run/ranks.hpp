// SPDX-License-Identifier: Apache-2.0
// What the processes of one worker (ranks) tell each other beside what their engines do. All calls
// are collective unless they say otherwise, and do nothing of note where there is one process.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/observe/load_meter.hpp"
#include "harness/record/rows.hpp"
#include "harness/run/line_pipe.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

// Rank 0 reads a line from `pipe`, and all get it. False on all once the other side has closed.
bool read_line(distributed::Processes& processes, LinePipe* pipe, std::string& line);

// Rank 0's text, on all.
void share_text(distributed::Processes& processes, std::string& text);

// Empty if `value` is the same on all ranks; else, on all alike, which rank has another one than
// rank 0: "rank 1 is of build X, and rank 0 of build Y". `what`: "of build".
std::string disagreement(distributed::Processes& processes, std::string_view what,
                         std::string_view value);

// The ranks of this host and their launcher.
Company company_on_host(distributed::Processes& processes);

// A plain value of each rank, by rank.
template <typename Plain>
std::vector<Plain> gather(distributed::Processes& processes, const Plain& mine) {
  const std::vector<distributed::Bytes> out(processes.size(), std::as_bytes(std::span(&mine, 1)));
  std::vector<distributed::Chunk> received;
  const std::vector<distributed::Bytes> in = processes.all_to_all(out, received);
  std::vector<Plain> all(processes.size(), mine);
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    if (in[rank].size() == sizeof(Plain)) std::memcpy(&all[rank], in[rank].data(), sizeof(Plain));
  }
  return all;
}

std::uint64_t sum(distributed::Processes& processes, std::uint64_t value);
// Of values >= 0.
double maximum(distributed::Processes& processes, double value);

// Not collective: writes why to the worker's log and ends all ranks.
[[noreturn]] void end_all_ranks(const distributed::Processes& processes, Status status,
                                const std::string& reason);

}  // namespace bfslab
